//===- WriteRowParts.cpp - Kernels for parts of rows ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// All ops of the kernel whose sums are wanted run over the parts too, the sums
// along the elements of one. The last part may go on past the end of a row:
// what is there changes no sum. Of parts that take turns, part p of P has the
// elements of size * (p + P * t) on in turn t.
//
//===----------------------------------------------------------------------===//

#include "Passes/RowPartsWriter.h"

#include "Kernels/KernelShape.h"
#include "Passes/DeclareKernel.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// How many parts of the row there are; may be dynamic.
static int64_t numberOfParts(int64_t extent, int64_t size) {
  return ShapedType::isDynamic(extent) ? extent
                                       : llvm::divideCeil(extent, size);
}

RowPartsWriter::RowPartsWriter(RewriterBase &rewriter, KernelOp kernel,
                               const RowSums &rows, const PartsOfRow &wanted)
    : rewriter(rewriter), kernel(kernel), rows(rows), wanted(wanted),
      extent(extentOf(kernel, rows.row, ShapedType::kDynamic)),
      divided(rows.row, wanted.size, LoopParts::Place::Last),
      parts(numberOfParts(extent, wanted.size)), loc(kernel.getLoc()) {
  divided.isRagged = isDynamic() || extent % wanted.size != 0;
  if (wanted.takesTurns)
    divided.turnSize = wanted.size * wanted.maxParts;
}

/// Computes the number of parts, and of their turns, on the host.
void RowPartsWriter::countParts() {
  if (!isDynamic())
    return;
  rewriter.setInsertionPoint(kernel);
  wholeRow = cast<Value>(kernel.getExtent(*kernel.findLoop(rows.row)));
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto countOf = [&](int64_t each) -> Value {
    Value more =
        arith::AddIOp::create(rewriter, loc, wholeRow, number(each - 1));
    return arith::DivUIOp::create(rewriter, loc, more, number(each));
  };
  wholeParts = countOf(divided.size);
  if (!wanted.takesTurns)
    return;
  wholeParts = arith::MinUIOp::create(rewriter, loc, wholeParts,
                                      number(wanted.maxParts));
  wholeTurns = countOf(divided.turnSize);
}

/// Returns true if each dynamic size of the tensor is that of one loop.
static bool hasSizes(Value tensor) {
  Subscripts access = writtenBy(tensor).second;
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::all_of(llvm::enumerate(access), [&](auto at) {
    return at.value().getLoop() || !type.isDynamicDim(at.index());
  });
}

/// Returns true if the op may go on past the end of the row, where it does.
bool RowPartsWriter::mayGoOn(ComputeOp op) {
  return !divided.isRagged ||
         (llvm::all_of(
              op.getBody()->without_terminator(),
              [](Operation &inner) { return isSpeculatable(&inner); }) &&
          llvm::none_of(readInputs(op), [](OpOperand *input) {
            return Access(*input).hasRanges();
          }));
}

/// Returns true if the kernel has a loop `name`, or one with that name before a
/// dot.
static bool hasLoopLike(KernelOp kernel, StringRef name) {
  return llvm::any_of(loopNames(kernel), [&](StringRef loop) {
    return loop.split('.').first == name;
  });
}

bool RowPartsWriter::check() {
  if ((!isDynamic() && parts < 2) || kernel.findLoop(divided.part) ||
      kernel.findLoop(divided.turn) || hasLoopLike(kernel, combined))
    return false;
  if (!llvm::all_of(rows.sums,
                    [&](const RowSum &sum) { return mayGoOn(sum.op); }))
    return false;
  collectScratch();
  return llvm::all_of(scratch, hasSizes) && llvm::all_of(passed, hasSizes);
}

/// A kernel without ops over these loops. Those of its inputs that the kernel
/// has too are mapped.
KernelOp RowPartsWriter::declare(StringRef suffix, ArrayRef<std::string> names,
                                 ArrayRef<Value> ins, ArrayRef<Value> outs) {
  SmallVector<LoopAttr> loops;
  MLIRContext *context = rewriter.getContext();
  for (const std::string &name : names) {
    bool isPart = name == rows.row && llvm::is_contained(names, divided.part);
    if (name == divided.part || name == combined)
      loops.push_back(LoopAttr::get(context, name, parts,
                                    isDynamic() ? wanted.maxParts + 1 : 0,
                                    /*atLeast=*/0));
    else if (name == divided.turn)
      loops.push_back(LoopAttr::get(context, name, ShapedType::kDynamic));
    else if (isPart)
      loops.push_back(LoopAttr::get(context, name, divided.size));
    else
      loops.push_back(kernel.getLoop(*kernel.findLoop(name)));
  }
  SmallVector<Value> inputs(ins);
  if (isDynamic())
    inputs.push_back(wholeRow);
  KernelOp made =
      declareKernel(rewriter, kernel, suffix, loops, inputs, outs, mapping,
                    [&](StringRef loop) {
                      return loop == divided.turn ? wholeTurns : wholeParts;
                    });
  if (isDynamic()) {
    end = made.getInArgument(ins.size());
    mapping.map(cast<Value>(kernel.getExtentInside(*kernel.findLoop(rows.row))),
                end);
  }
  return made;
}

std::pair<ComputeOp, Subscripts> writtenBy(Value tensor) {
  auto op = tensor.getDefiningOp<ComputeOp>();
  OpOperand &init = *op.getTiedOpOperand(cast<OpResult>(tensor));
  return {op, op.getSubscripts(init)};
}

/// A tensor of the host for what each row has, or each of its parts.
Value RowPartsWriter::scratchOf(Value tensor, bool ofParts) {
  auto [op, access] = writtenBy(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<StringRef> axes = op.getAxes();
  for (auto [at, extent] : llvm::zip_equal(access, type.getShape()))
    sizes.push_back(
        ShapedType::isDynamic(extent)
            ? kernel.getExtent(*kernel.findLoop(axes[*at.getLoop()]))
            : OpFoldResult(rewriter.getIndexAttr(extent)));
  if (ofParts)
    sizes.push_back(isDynamic() ? OpFoldResult(wholeParts)
                                : rewriter.getIndexAttr(parts));
  return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
}

/// Drops what no op of the kernel uses.
void RowPartsWriter::finish(KernelOp made) {
  auto ops = llvm::to_vector(llvm::make_pointer_range(made.getBody().front()));
  for (Operation *op : llvm::reverse(ArrayRef(ops).drop_back()))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  dropUnusedInputs(rewriter, made);
}

/// Clones what is no op over loops.
void RowPartsWriter::cloneOther(Operation &op) {
  if (!isa<ComputeOp, YieldOp, TemporaryOp>(op))
    rewriter.clone(op, mapping);
}

//===----------------------------------------------------------------------===//
// The kernel of the parts
//===----------------------------------------------------------------------===//

/// The kernel of the parts has the sums, and what stands for m in them.
void RowPartsWriter::collectScratch() {
  for (const RowSum &sum : rows.sums) {
    scratch.insert(sum.op->getResult(0));
    if (sum.shift)
      scratch.insert(sum.shift->get());
  }
  for (ComputeOp op : rows.tail)
    for (OpOperand *input : readInputs(op))
      if (input->get().getDefiningOp<ComputeOp>())
        passed.insert(input->get());
}

RankedTensorType RowPartsWriter::withParts(Value tensor) {
  return divided.typeOf(tensor.getType(), parts);
}

/// Sums, what follows from these, and elements, for each part.
ComputeOp RowPartsWriter::cloneForParts(ComputeOp op, Value to) {
  auto hasParts = [&](OpOperand &operand) {
    return op.isDpsInit(&operand)
               ? !rows.isTail(op)
               : inputNumber(kernel, operand.get()) < 0 &&
                     operand.get().getDefiningOp<ComputeOp>();
  };
  return divided.clone(rewriter, op, to, mapping, hasParts);
}

/// How many elements the row has.
Value RowPartsWriter::endOfRow(OpBuilder &b) {
  return isDynamic() ? end : arith::ConstantIndexOp::create(b, loc, extent);
}

/// Elements past the end of a row change nothing.
void RowPartsWriter::maskTerm(ComputeOp op, const RowSum &sum) {
  OpOperand &term = termOf(op);
  OpBuilder b(term.getOwner());
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                            divided.iteration(b, loc), endOfRow(b));
  Value neutral = arith::ConstantOp::create(b, loc, sum.neutral);
  term.set(arith::SelectOp::create(b, loc, isInside, term.get(), neutral));
}

/// Elements of the part, as a number: that of the loop that runs over all parts
/// of the row.
Value RowPartsWriter::sizeOfPart(OpBuilder &b, Type type) {
  if (!divided.isRagged)
    return arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type, double(divided.size)));
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value first = arith::MulIOp::create(
      b, loc, IndexOp::create(b, loc, isJoined ? combined : divided.part),
      index(divided.size));
  Value row = endOfRow(b), ofTurns;
  if (wanted.takesTurns) {
    ofTurns = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, row, index(divided.turnSize)),
        index(divided.size));
    row = arith::RemUIOp::create(b, loc, row, index(divided.turnSize));
  }
  Value rest = arith::SubIOp::create(b, loc, row, first);
  Value count = arith::MinSIOp::create(b, loc, rest, index(divided.size));
  if (wanted.takesTurns)
    count = arith::AddIOp::create(
        b, loc, ofTurns, arith::MaxSIOp::create(b, loc, count, index(0)));
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  return arith::SIToFPOp::create(b, loc, type, integer);
}

/// The tensor that a sum of the parts begins with.
Value RowPartsWriter::startOf(const RowSum &sum) {
  ComputeOp op = sum.op;
  Value to = TemporaryOp::create(rewriter, loc, withParts(op->getResult(0)));
  return divided.start(rewriter, loc, op, sum.neutral, to)->getResult(0);
}

/// Another tensor that has the payload's element for each one of `from`, at the
/// loops of `op`.
Value RowPartsWriter::mapped(ComputeOp op, Value from, Value to,
                             function_ref<Value(OpBuilder &, Value)> payload) {
  SmallVector<StringRef> axes = divided.parallelAxes(op);
  Subscripts access = divided.accessOf(op, *op.getDpsInitOperand(0), true);
  if (!to)
    to = TemporaryOp::create(rewriter, loc, from.getType());
  return ComputeOp::create(rewriter, loc, from, to, {access, access}, axes,
                           axes.size(), StringAttr(),
                           [&](OpBuilder &b, Location loc, ValueRange args) {
                             linalg::YieldOp::create(b, loc,
                                                     payload(b, args[0]));
                           })
      ->getResult(0);
}

/// The mean of the part, in the place of m of the row.
Value RowPartsWriter::meanOf(const RowSum &sum, Value ofPart) {
  auto maker = sum.shift->get().getDefiningOp<ComputeOp>();
  Value to = TemporaryOp::create(rewriter, loc, withParts(sum.shift->get()));
  SmallVector<StringRef> axes = divided.parallelAxes(maker);
  return ComputeOp::create(
             rewriter, loc, ofPart, to,
             {divided.accessOf(maker, *sum.shiftSource(), true),
              divided.accessOf(maker, *maker.getDpsInitOperand(0), true)},
             axes, axes.size(), StringAttr(),
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value count = sizeOfPart(b, args[0].getType());
               linalg::YieldOp::create(
                   b, loc,
                   arith::DivFOp::create(b, loc, args[0], count).getResult());
             })
      ->getResult(0);
}

Value isLowest(OpBuilder &b, Location loc, Value number) {
  auto type = cast<FloatType>(number.getType());
  Value lowest = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true)));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, number,
                               lowest);
}

Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0));
}

/// The maximum of a part, and 0 for one whose elements are all -infinity.
Value RowPartsWriter::guarded(const RowSum &sum, Value largest) {
  ComputeOp maker = writtenBy(sum.shift->get()).first;
  return mapped(maker, largest, {}, [&](OpBuilder &b, Value number) -> Value {
    Value zero = zeroOf(b, loc, number.getType());
    return arith::SelectOp::create(b, loc, isLowest(b, loc, number), zero,
                                   number);
  });
}

/// What the shift of a part follows from.
void RowPartsWriter::cloneShift(const RowSum &sum) {
  if (sum.kind == ShiftKind::Square) {
    mapping.map(sum.shift->get(),
                meanOf(sum, mapping.lookup(sum.of->getResult(0))));
    return;
  }
  SetVector<Value> needed;
  needed.insert(sum.shift->get());
  for (unsigned i = 0; i < needed.size(); ++i)
    if (auto op = needed[i].getDefiningOp<ComputeOp>(); op && op != sum.of)
      for (OpOperand *input : readInputs(op))
        needed.insert(input->get());
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op != sum.of && needed.contains(op->getResult(0))) {
      Value to =
          TemporaryOp::create(rewriter, loc, withParts(op->getResult(0)));
      mapping.map(op->getResult(0), cloneForParts(op, to)->getResult(0));
    }
}

void RowPartsWriter::cloneSum(const RowSum &sum) {
  ComputeOp op = sum.op;
  IRMapping outer = mapping;
  if (sum.kind == ShiftKind::Exponential)
    mapping.map(sum.shift->get(),
                guarded(sum, mapping.lookup(sum.shift->get())));
  ComputeOp made = cloneForParts(op, startOf(sum));
  mapping = std::move(outer);
  if (divided.isRagged)
    maskTerm(made, sum);
  mapping.map(op->getResult(0), made->getResult(0));
}

KernelOp RowPartsWriter::writeParts() {
  rewriter.setInsertionPoint(kernel);
  SmallVector<Value> outs;
  SetVector<StringRef> used;
  for (Value tensor : scratch) {
    outs.push_back(scratchOf(tensor, true));
    for (StringRef axis : writtenBy(tensor).first.getAxes())
      used.insert(axis);
  }
  SmallVector<std::string> names;
  for (const std::string &name : loopNames(kernel))
    if (used.contains(name) && name != rows.row)
      names.push_back(name);
  names.push_back(divided.part);
  if (wanted.takesTurns)
    names.push_back(divided.turn);
  names.push_back(rows.row);
  KernelOp made = declare(" parts", names, {}, outs);
  for (Operation &op : kernel.getBody().front())
    cloneOther(op);
  // Sums in their order, and what their shifts follow from.
  for (const RowSum &sum : rows.sums) {
    if (sum.shift)
      cloneShift(sum);
    cloneSum(sum);
  }
  SmallVector<Value> yielded;
  for (auto [number, tensor] : llvm::enumerate(scratch))
    yielded.push_back(mapped(writtenBy(tensor).first, mapping.lookup(tensor),
                             made.getOutArgument(number),
                             [](OpBuilder &, Value number) { return number; }));
  YieldOp::create(rewriter, loc, yielded);
  finish(made);
  return made;
}

} // namespace onnxc
