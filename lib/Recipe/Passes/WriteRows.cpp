//===- WriteRows.cpp - Kernels after parts of rows --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The sums of a row are combined from those s[p] of its parts, in their order.
// One that depends on another result m of the row has m[p] in its place, and
// adds to the sum of the row:
//
//   exponentials, of exp(x - m): s[p] * exp(m[p] - m)
//     m[p] is the maximum of the part. Where that is -infinity and m is not,
//     the part adds 0.
//   squares, of (x - m)^2: s[p] + d * (2 * (t[p] - n[p] * m[p]) + n[p] * d)
//     d is m[p] - m, t[p] the sum of the n[p] elements of the part, and m[p]
//     their mean. This is so for every m and m[p].
//   choices, where x == m: s[p] if m[p] == m
//     m[p] is the extremum of the part.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Kernels/SoftmaxOps.h"
#include "Passes/RowPartsWriter.h"
#include "Passes/WriteRowParts.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

//===----------------------------------------------------------------------===//
// The kernel of the rows
//===----------------------------------------------------------------------===//

/// The choice of the part, if m of the part is chosen for that of the row.
Value RowPartsWriter::chosen(OpBuilder &b, const RowSum &sum, Value ofPart,
                             Value here, Value whole) {
  ComputeOp op = sum.op;
  auto choice = sum.term().getDefiningOp<arith::SelectOp>();
  IRMapping inside = mapping;
  inside.map(sum.compared, here);
  inside.map(op.getMatchingBlockArgument(sum.shift), whole);
  // A comparison, or either of two: comparedWith() in RowSums.cpp.
  Operation *condition = choice.getCondition().getDefiningOp();
  if (isa<arith::OrIOp>(condition))
    for (Value either : condition->getOperands())
      b.clone(*either.getDefiningOp(), inside);
  b.clone(*condition, inside);
  return arith::SelectOp::create(
      b, loc, inside.lookup(choice.getCondition()), ofPart,
      inside.lookupOrDefault(choice.getFalseValue()));
}

/// The exponentials of the part, weighted by that of its distance.
Value RowPartsWriter::weighted(OpBuilder &b, Value ofPart, Value distance,
                               Value largest, Value whole) {
  Value weight = math::ExpOp::create(b, loc, distance);
  Value differs =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, largest, whole);
  Value isEmpty =
      arith::AndIOp::create(b, loc, isLowest(b, loc, largest), differs);
  Value guarded = arith::SelectOp::create(
      b, loc, isEmpty, zeroOf(b, loc, weight.getType()), weight);
  Type type = ofPart.getType();
  unsigned bits = guarded.getType().getIntOrFloatBitWidth();
  if (bits < type.getIntOrFloatBitWidth())
    guarded = arith::ExtFOp::create(b, loc, type, guarded);
  else if (bits > type.getIntOrFloatBitWidth())
    guarded = arith::TruncFOp::create(b, loc, type, guarded);
  return arith::MulFOp::create(b, loc, ofPart, guarded);
}

/// The squares of the part, as distances to m of the row.
Value RowPartsWriter::moved(OpBuilder &b, Value ofPart, Value here,
                            Value distance, Value total) {
  Value count = sizeOfPart(b, ofPart.getType());
  Value expected = arith::MulFOp::create(b, loc, count, here);
  Value rest = arith::SubFOp::create(b, loc, total, expected);
  Value twice = arith::AddFOp::create(b, loc, rest, rest);
  Value further = arith::MulFOp::create(b, loc, count, distance);
  Value both = arith::AddFOp::create(b, loc, twice, further);
  Value more = arith::MulFOp::create(b, loc, distance, both);
  return arith::AddFOp::create(b, loc, ofPart, more);
}

/// What a part adds to the sum of the row. `args` are the sum of the part, m of
/// the part and of the row, and what m of the part follows from.
Value RowPartsWriter::combinedTerm(OpBuilder &b, const RowSum &sum,
                                   ValueRange args) {
  if (sum.kind == ShiftKind::None)
    return args[0];
  if (sum.kind == ShiftKind::Choice)
    return chosen(b, sum, args[0], args[1], args[2]);
  Value distance = arith::SubFOp::create(b, loc, args[1], args[2]);
  return sum.kind == ShiftKind::Exponential
             ? weighted(b, args[0], distance, args[3], args[2])
             : moved(b, args[0], args[1], distance, args[3]);
}

/// The access to what each row has, or each block that has a part of its
/// elements: the loop over these is after those that the op has in parallel.
Subscripts RowPartsWriter::ofRow(ComputeOp op, Subscripts access) {
  if (isJoined)
    access.push_back({rewriter.getAffineDimExpr(op.getNumParallelLoops())});
  return access;
}

/// The sum of the row from those of its parts.
ComputeOp RowPartsWriter::combine(const RowSum &sum, KernelOp made) {
  ComputeOp op = sum.op;
  unsigned parallel = op.getNumParallelLoops() + isJoined;
  SmallVector<StringRef> axes = op.getAxes();
  axes.truncate(op.getNumParallelLoops());
  axes.push_back(divided.part);
  if (isJoined)
    axes.push_back(combined);
  SmallVector<Value> inputs;
  SmallVector<Subscripts> accesses;
  Subscripts result = op.getSubscripts(*op.getDpsInitOperand(0));
  auto addParts = [&](Value tensor, Subscripts access) {
    access = divided.ofPart(access, rewriter.getAffineDimExpr(parallel));
    auto *at = llvm::find(scratch, tensor);
    inputs.push_back(made.getInArgument(at - scratch.begin()));
    accesses.push_back(access);
  };
  addParts(op->getResult(0), result);
  if (sum.shift) {
    Subscripts access = op.getSubscripts(*sum.shift);
    addParts(sum.shift->get(), access);
    inputs.push_back(mapping.lookup(sum.shift->get()));
    accesses.push_back(ofRow(op, access));
  }
  if (sum.shift)
    addParts(sum.of->getResult(0), writtenBy(sum.of->getResult(0)).second);
  accesses.push_back(ofRow(op, result));
  return ComputeOp::create(
      rewriter, op.getLoc(), inputs, mapping.lookup(op.getDpsInits().front()),
      accesses, axes, parallel, op.getNameAttr(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value term = combinedTerm(b, sum, args);
        linalg::YieldOp::create(
            b, loc, applyCombiner(b, loc, sum.combiner, args.back(), term));
      });
}

/// Copies what each row has to a result of the kernel.
Value RowPartsWriter::copyOut(Value value, Value out) {
  auto [op, access] = writtenBy(value);
  SmallVector<StringRef> axes = op.getAxes();
  axes.truncate(op.getNumParallelLoops());
  return ComputeOp::create(rewriter, loc, mapping.lookup(value), out,
                           {access, access}, axes, axes.size(), StringAttr(),
                           [&](OpBuilder &b, Location loc, ValueRange args) {
                             linalg::YieldOp::create(b, loc, args[0]);
                           })
      ->getResult(0);
}

/// The loops that ops of the tail, or the others, have, but for the row of the
/// others.
SmallVector<std::string> RowPartsWriter::loopsOf(bool tail) {
  return llvm::filter_to_vector(loopNames(kernel), [&](StringRef name) {
    return (tail || name != rows.row) &&
           llvm::any_of(kernel.getBody().getOps<ComputeOp>(),
                        [&](ComputeOp op) {
                          return rows.isTail(op) == tail &&
                                 llvm::is_contained(op.getAxes(), name);
                        });
  });
}

/// The numbers of the results that ops of the tail, or the others, write.
SmallVector<unsigned> RowPartsWriter::resultsOf(bool tail) {
  OperandRange values = kernel.getYield().getValues();
  return llvm::filter_to_vector(
      llvm::seq<unsigned>(values.size()), [&](unsigned number) {
        return rows.isTail(values[number].getDefiningOp()) == tail;
      });
}

KernelOp RowPartsWriter::writeTotal(KernelOp partial) {
  rewriter.setInsertionPoint(kernel);
  SmallVector<Value> outs;
  SmallVector<unsigned> numbers = resultsOf(/*tail=*/false);
  for (unsigned number : numbers)
    outs.push_back(kernel.getOuts()[number]);
  for (Value value : passed)
    outs.push_back(scratchOf(value, false));
  SmallVector<std::string> names = loopsOf(/*tail=*/false);
  names.push_back(divided.part);
  KernelOp made =
      declare("", names, llvm::to_vector_of<Value>(partial.getResults()), outs);
  for (auto [position, number] : llvm::enumerate(numbers))
    mapping.map(kernel.getOutArgument(number), made.getOutArgument(position));
  for (Operation &op : kernel.getBody().front()) {
    cloneOther(op);
    auto compute = dyn_cast<ComputeOp>(op);
    if (isa<TemporaryOp>(op))
      rewriter.clone(op, mapping);
    else if (const RowSum *sum = rows.find(&op))
      mapping.map(op.getResult(0), combine(*sum, made)->getResult(0));
    else if (compute && !rows.isTail(&op))
      rewriter.clone(op, mapping);
  }
  SmallVector<Value> yielded;
  for (unsigned number : numbers)
    yielded.push_back(mapping.lookup(kernel.getYield().getValues()[number]));
  for (Value value : passed)
    yielded.push_back(copyOut(value, made.getOutArgument(yielded.size())));
  YieldOp::create(rewriter, loc, yielded);
  finish(made);
  return made;
}

//===----------------------------------------------------------------------===//
// The kernel of the elements
//===----------------------------------------------------------------------===//

KernelOp RowPartsWriter::writeTail(KernelOp total) {
  SmallVector<Value> outs;
  SmallVector<unsigned> numbers = resultsOf(/*tail=*/true);
  for (unsigned number : numbers)
    outs.push_back(kernel.getOuts()[number]);
  SmallVector<std::string> names = loopsOf(/*tail=*/true);
  SmallVector<Value> ins(total.getResults().take_back(passed.size()));
  KernelOp made = declare(" elements", names, ins, outs);
  for (auto [position, value] : llvm::enumerate(passed))
    mapping.map(value, made.getInArgument(position));
  for (auto [position, number] : llvm::enumerate(numbers))
    mapping.map(kernel.getOutArgument(number), made.getOutArgument(position));
  for (Operation &op : kernel.getBody().front()) {
    cloneOther(op);
    if (rows.isTail(&op))
      rewriter.clone(op, mapping);
  }
  SmallVector<Value> yielded;
  for (unsigned number : numbers)
    yielded.push_back(mapping.lookup(kernel.getYield().getValues()[number]));
  YieldOp::create(rewriter, loc, yielded);
  finish(made);
  return made;
}

//===----------------------------------------------------------------------===//
// Both in one
//===----------------------------------------------------------------------===//

/// Returns true if each result that the op stores ends where the row ends.
bool RowPartsWriter::storesRow(ComputeOp op) {
  unsigned row = divided.dimIn(op);
  return llvm::all_of(
      op.getSubscripts(*op.getDpsInitOperand(0)), [&](const Subscript &at) {
        return !at.index.isFunctionOfDim(row) || (at.getLoop() && !at.isPart);
      });
}

bool RowPartsWriter::mayJoin() {
  if (divided.isRagged && !llvm::all_of(rows.tail, [&](ComputeOp op) {
        return mayGoOn(op) && storesRow(op);
      }))
    return false;
  if (rows.tail.empty() || !resultsOf(/*tail=*/false).empty())
    return false;
  SmallVector<std::string> loops = loopsOf(/*tail=*/true);
  return llvm::all_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
    size_t numOthers = op.getAxes().size();
    numOthers -= llvm::is_contained(op.getAxes(), rows.row);
    return numOthers + 1 == loops.size();
  });
}

/// What each row has, in each block, and the elements of its part.
void RowPartsWriter::cloneJoined(Operation &op, KernelOp made) {
  cloneOther(op);
  if (auto temporary = dyn_cast<TemporaryOp>(op)) {
    mapping.map(
        temporary.getTensor(),
        TemporaryOp::create(rewriter, loc, withParts(temporary)).getTensor());
    return;
  }
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return;
  const RowSum *sum = rows.find(&op);
  ComputeOp copy =
      sum ? combine(*sum, made)
          : cloneForParts(compute,
                          mapping.lookup(compute.getDpsInits().front()));
  mapping.map(op.getResult(0), copy->getResult(0));
}

/// Each block combines the parts of its row, always in the same order.
KernelOp RowPartsWriter::writeJoined(KernelOp partial) {
  rewriter.setInsertionPoint(kernel);
  isJoined = true;
  SmallVector<std::string> names = llvm::filter_to_vector(
      loopsOf(/*tail=*/true), [&](StringRef name) { return name != rows.row; });
  llvm::append_values(names, divided.part, combined.str());
  if (wanted.takesTurns)
    names.push_back(divided.turn);
  names.push_back(rows.row);
  KernelOp made =
      declare("", names, llvm::to_vector_of<Value>(partial.getResults()),
              llvm::to_vector_of<Value>(kernel.getOuts()));
  for (unsigned number : llvm::seq<unsigned>(kernel.getOuts().size()))
    mapping.map(kernel.getOutArgument(number), made.getOutArgument(number));
  for (Operation &op : kernel.getBody().front())
    cloneJoined(op, made);
  YieldOp::create(
      rewriter, loc,
      llvm::map_to_vector(kernel.getYield().getValues(),
                          [&](Value value) { return mapping.lookup(value); }));
  finish(made);
  return made;
}

SmallVector<Value> RowPartsWriter::results(KernelOp total, KernelOp tail) {
  SmallVector<Value> all;
  unsigned ofTotal = 0, ofTail = 0;
  for (Value value : kernel.getYield().getValues())
    all.push_back(rows.isTail(value.getDefiningOp())
                      ? tail.getResult(ofTail++)
                      : total.getResult(ofTotal++));
  return all;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

SmallVector<KernelOp> RowKernels::all() const {
  SmallVector<KernelOp> kernels{parts, total};
  if (tail)
    kernels.push_back(tail);
  return kernels;
}

void RowKernels::erase(RewriterBase &rewriter) {
  for (KernelOp kernel : llvm::reverse(all()))
    eraseWithOperands(rewriter, kernel);
}

FailureOr<RowKernels> writeRowParts(RewriterBase &rewriter, KernelOp kernel,
                                    const RowSums &rows,
                                    const PartsOfRow &wanted) {
  RowPartsWriter writer(rewriter, kernel, rows, wanted);
  if (!writer.check())
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  writer.countParts();
  RowKernels made;
  made.parts = writer.writeParts();
  if (writer.mayJoin()) {
    made.total = writer.writeJoined(made.parts);
    made.results = made.total.getResults();
    return made;
  }
  made.total = writer.writeTotal(made.parts);
  if (!rows.tail.empty())
    made.tail = writer.writeTail(made.total);
  made.results = writer.results(made.total, made.tail);
  return made;
}

} // namespace onnxc
