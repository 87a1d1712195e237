//===- SplitAttention.cpp - Parts of the keys of an attention ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel has the keys of a row in parts. Each part has a softmax of its own,
// without the division, and the second kernel combines them in their order:
//
//   parts  m[p] = max of the scores x of part p
//          e = exp(x - m[p]),  l[p] = sum of e,  o[p] = sum of e * v
//   total  m = max of m[p],  w[p] = exp(m[p] - m)
//          y = sum of w[p] * o[p] / sum of w[p] * l[p]
//
// Where all scores of a part are -infinity, its weights are zero.
//
// Or one kernel takes the parts one after the other, and one of its ops has a
// running maximum M, by which it weighs the running sums L and O:
//
//   M' = max(M, m[p]),  w = exp(M - M'),  w[p] = exp(m[p] - M')
//   L' = w * L + w[p] * l[p],  O' = w * O + w[p] * o[p]
//   y = O / L
//
//===----------------------------------------------------------------------===//

#include "Passes/SplitAttention.h"

#include "Passes/CombineParts.h"
#include "Passes/DeclareKernel.h"
#include "Passes/DividedAttention.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

namespace {

/// Writes the kernels from an attention whose keys are divided.
class AttentionSplitter : public DividedAttention {
public:
  using DividedAttention::DividedAttention;

  KernelOp writeParts();
  KernelOp writeTotal(KernelOp made);
  /// The kernel that takes the parts one after the other.
  KernelOp writeInTurn();

private:
  KernelOp declare(StringRef suffix, ArrayRef<std::string> names,
                   ArrayRef<Value> ins, ArrayRef<Value> outs);
  Value scratchOf(ComputeOp op);
  bool keepsRank(Value tensor);
  RankedTensorType withPart(Value tensor);
  SmallVector<Subscripts> accessesOf(ComputeOp op, ArrayRef<AffineExpr> dims);
  void cloneOp(ComputeOp op);
  Value copyOut(ComputeOp op, Value out);
  Value destination();
  void cloneParts();
  Subscripts partAccess(ComputeOp op);
  SmallVector<StringRef> axesOfResult();
  PartsCombiner combinerOf(ArrayRef<StringRef> axes);
  Value destinationOf(KernelOp made);
  Value numberOfParts(KernelOp made);
  void writeTail(KernelOp made, Value quotient);

  IRMapping mapping;
};

} // namespace

//===----------------------------------------------------------------------===//
// The kernel of the parts
//===----------------------------------------------------------------------===//

/// A kernel without ops that has these loops of the attention, and its inputs
/// after others.
KernelOp AttentionSplitter::declare(StringRef suffix,
                                    ArrayRef<std::string> names,
                                    ArrayRef<Value> ins, ArrayRef<Value> outs) {
  SmallVector<LoopAttr> loops;
  for (const std::string &name : names)
    loops.push_back(kernel.getLoop(*kernel.findLoop(name)));
  return declareKernel(rewriter, kernel, suffix, loops, ins, outs, mapping);
}

/// A tensor of the host for the results of the op, by parts.
Value AttentionSplitter::scratchOf(ComputeOp op) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  SmallVector<OpFoldResult> sizes{kernel.getExtent(*kernel.findLoop(part))};
  for (auto [loop, size] :
       llvm::zip_equal(op.getLoopsAlong(init), type.getShape()))
    sizes.push_back(loop.empty() ? rewriter.getIndexAttr(size)
                                 : kernel.getExtent(*kernel.findLoop(loop)));
  return tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                 type.getElementType());
}

/// Inputs, and what lies along the keys, have a dimension of the parts, or
/// none.
bool AttentionSplitter::keepsRank(Value tensor) {
  if (inputNumber(kernel, tensor) >= 0)
    return true;
  for (OpOperand &use : tensor.getUses())
    if (auto op = dyn_cast<ComputeOp>(use.getOwner()); op && has(op, part))
      return llvm::is_contained(op.getLoopsAlong(use), part);
  return false;
}

/// Others get one in front.
RankedTensorType AttentionSplitter::withPart(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (keepsRank(tensor))
    return type;
  SmallVector<int64_t> shape{
      kernel.getLoop(*kernel.findLoop(part)).getExtent()};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<Subscripts>
AttentionSplitter::accessesOf(ComputeOp op, ArrayRef<AffineExpr> dims) {
  SmallVector<Subscripts> accesses = op.getSubscripts();
  for (auto [access, operand] :
       llvm::zip_equal(accesses, op->getOpOperands())) {
    for (Subscript &at : access)
      at.index = at.index.replaceDims(dims);
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !keepsRank(operand.get()))
      access.insert(access.begin(), Subscript{rewriter.getAffineDimExpr(0)});
  }
  return accesses;
}

/// The op for each part: all have the loop, and none reduces it.
void AttentionSplitter::cloneOp(ComputeOp op) {
  SmallVector<StringRef> axes{part};
  SmallVector<AffineExpr> dims;
  unsigned parallel = 1;
  for (auto [axis, kind] :
       llvm::zip_equal(op.getAxes(), op.getIteratorTypesArray())) {
    dims.push_back(rewriter.getAffineDimExpr(axis == part ? 0 : axes.size()));
    if (axis == part)
      continue;
    axes.push_back(axis);
    parallel += kind == utils::IteratorType::parallel;
  }
  auto mapped = [&](Value value) { return mapping.lookup(value); };
  SmallVector<Value> inputs = llvm::map_to_vector(op.getDpsInputs(), mapped);
  SmallVector<Value> outputs = llvm::map_to_vector(op.getDpsInits(), mapped);
  auto made =
      ComputeOp::create(rewriter, op.getLoc(), inputs, outputs,
                        accessesOf(op, dims), axes, parallel, op.getNameAttr());
  IRMapping inside = mapping;
  op.getPayload().cloneInto(&made.getPayload(), inside);
  mapping.map(op->getResults(), made->getResults());
}

/// Copies what the op has for each row to a result of the kernel, since threads
/// have it in registers.
Value AttentionSplitter::copyOut(ComputeOp op, Value out) {
  auto made = mapping.lookup(op->getResult(0)).getDefiningOp<ComputeOp>();
  SmallVector<StringRef> axes = made.getAxes();
  Subscripts access = made.getSubscripts(*made.getDpsInitOperand(0));
  unsigned parallel = made.getNumParallelLoops();
  auto payload = [](OpBuilder &b, Location loc, ValueRange args) {
    linalg::YieldOp::create(b, loc, args.front());
  };
  return ComputeOp::create(rewriter, op.getLoc(), made->getResult(0), out,
                           {access, access},
                           ArrayRef(axes).take_front(parallel), parallel,
                           StringAttr(), payload)
      ->getResult(0);
}

/// What the sums of values are written into.
Value AttentionSplitter::destination() {
  Value value = sums.op.getDpsInits().front();
  while (auto op = value.getDefiningOp<ComputeOp>())
    value = op.getDpsInits()[cast<OpResult>(value).getResultNumber()];
  return value;
}

/// The ops of the parts.
void AttentionSplitter::cloneParts() {
  SetVector<Operation *> own;
  for (ComputeOp op : {sums.op, softmax.largest, softmax.total})
    collect(op, own);
  for (Operation &op : kernel.getBody().front()) {
    if (!own.contains(&op) || mapping.contains(op.getResult(0)))
      continue;
    if (auto compute = dyn_cast<ComputeOp>(op))
      cloneOp(compute);
    else if (auto temporary = dyn_cast<TemporaryOp>(op))
      mapping.map(
          temporary.getTensor(),
          TemporaryOp::create(rewriter, op.getLoc(), withPart(temporary))
              .getTensor());
    else
      rewriter.clone(op, mapping);
  }
}

KernelOp AttentionSplitter::writeParts() {
  rewriter.setInsertionPoint(kernel);
  SmallVector<Value> outs;
  for (ComputeOp op : {sums.op, softmax.largest, softmax.total})
    outs.push_back(scratchOf(op));
  KernelOp made = declare(" parts", loopNames(kernel), {}, outs);
  mapping.map(destination(), made.getOutArgument(0));
  cloneParts();
  SmallVector<Value> yielded{mapping.lookup(sums.op->getResult(0))};
  yielded.push_back(copyOut(softmax.largest, made.getOutArgument(1)));
  yielded.push_back(copyOut(softmax.total, made.getOutArgument(2)));
  YieldOp::create(rewriter, kernel.getLoc(), yielded);
  dropUnusedInputs(rewriter, made);
  return made;
}

//===----------------------------------------------------------------------===//
// The kernel of the total
//===----------------------------------------------------------------------===//

/// The access to the results of all parts of the op; the loop over the parts is
/// the last one.
Subscripts AttentionSplitter::partAccess(ComputeOp op) {
  SmallVector<StringRef> all = sums.op.getAxes();
  auto results = ArrayRef(all).take_front(sums.op.getNumParallelLoops());
  SmallVector<AffineExpr> dims;
  for (StringRef axis : op.getAxes())
    dims.push_back(
        rewriter.getAffineDimExpr(llvm::find(results, axis) - results.begin()));
  Subscripts access = op.getSubscripts(*op.getDpsInitOperand(0));
  for (Subscript &at : access)
    at.index = at.index.replaceDims(dims);
  access.insert(access.begin(),
                Subscript{rewriter.getAffineDimExpr(results.size())});
  return access;
}

/// The loops of the result, and that over the parts after them.
SmallVector<StringRef> AttentionSplitter::axesOfResult() {
  SmallVector<StringRef> axes = sums.op.getAxes();
  axes.truncate(sums.op.getNumParallelLoops());
  axes.push_back(part);
  return axes;
}

PartsCombiner AttentionSplitter::combinerOf(ArrayRef<StringRef> axes) {
  Subscripts result = partAccess(sums.op);
  result.erase(result.begin());
  return {rewriter,
          kernel.getLoc(),
          cast<RankedTensorType>(sums.op->getResult(0).getType()),
          axes,
          result,
          softmax.hiddenRowsAreZero};
}

/// The result of the kernel, if the quotients are written to it.
Value AttentionSplitter::destinationOf(KernelOp made) {
  return isa<BlockArgument>(destination()) ? made.getOutArgument(0) : Value();
}

/// How many parts there are, where that is dynamic.
Value AttentionSplitter::numberOfParts(KernelOp made) {
  return dyn_cast<Value>(made.getExtentInside(*made.findLoop(part)));
}

/// What follows the sums of values.
void AttentionSplitter::writeTail(KernelOp made, Value quotient) {
  mapping.map(kernel.getOutArgument(0), made.getOutArgument(0));
  mapping.map(sums.op->getResult(0), quotient);
  for (Operation &op : kernel.getBody().front())
    if (tail.contains(&op))
      rewriter.clone(op, mapping);
  YieldOp::create(rewriter, kernel.getLoc(),
                  mapping.lookup(kernel.getYield().getValues().front()));
  dropUnusedInputs(rewriter, made);
}

KernelOp AttentionSplitter::writeTotal(KernelOp parts) {
  SmallVector<StringRef> axes = axesOfResult();
  SmallVector<Value> ins(parts.getResults());
  SmallVector<Value> outs(kernel.getOuts());
  KernelOp made = declare("", llvm::to_vector_of<std::string>(axes), ins, outs);
  writeTail(made, combinerOf(axes).combine(
                      {made.getInArgument(0), partAccess(sums.op)},
                      {made.getInArgument(1), partAccess(softmax.largest)},
                      {made.getInArgument(2), partAccess(softmax.total)},
                      destinationOf(made), numberOfParts(made)));
  return made;
}

//===----------------------------------------------------------------------===//
// The kernel of parts in turn
//===----------------------------------------------------------------------===//

KernelOp AttentionSplitter::writeInTurn() {
  SmallVector<StringRef> axes = axesOfResult();
  SmallVector<Value> outs(kernel.getOuts());
  KernelOp made = declare("", loopNames(kernel), {}, outs);
  PartsCombiner combiner = combinerOf(axes);
  combiner.startRunning();
  // Sums of a part are no result of the kernel.
  Value to = destination();
  mapping.map(to, TemporaryOp::create(rewriter, kernel.getLoc(), withPart(to)));
  cloneParts();
  auto ofParts = [&](ComputeOp op) -> PartsCombiner::OfParts {
    return {mapping.lookup(op->getResult(0)), partAccess(op)};
  };
  writeTail(made, combiner.merge(ofParts(sums.op), ofParts(softmax.largest),
                                 ofParts(softmax.total), destinationOf(made),
                                 numberOfParts(made)));
  return made;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

int64_t splittableKeys(RewriterBase &rewriter, KernelOp attention) {
  AttentionSplitter splitter(rewriter, attention);
  return splitter.match() ? splitter.keys() : 0;
}

SmallVector<KernelOp> splitAttention(RewriterBase &rewriter, KernelOp attention,
                                     int64_t keysOfPart, bool inTurn) {
  rewriter.setInsertionPoint(attention);
  auto copy = cast<KernelOp>(rewriter.clone(*attention));
  AttentionSplitter splitter(rewriter, copy);
  SmallVector<KernelOp> made;
  if (splitter.match() && splitter.expand(keysOfPart)) {
    made.push_back(inTurn ? splitter.writeInTurn() : splitter.writeParts());
    if (!inTurn)
      made.push_back(splitter.writeTotal(made.front()));
  }
  eraseWithOperands(rewriter, copy);
  return made;
}

} // namespace onnxc
