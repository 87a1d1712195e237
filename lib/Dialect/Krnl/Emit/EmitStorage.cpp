//===- EmitStorage.cpp - Where the tensors of a kernel live -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Support/ElementBytes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace onnxc::krnl {

/// Does the op continue the tensor it starts from: by accumulating into it, or
/// by writing only a part of it?
static bool continuesInit(linalg::LinalgOp op, OpOperand *init) {
  return op.payloadUsesValueFromOperand(init) ||
         !op.getMatchingIndexingMap(init).isProjectedPermutation(
             /*allowZeroInResults=*/true);
}

/// The value whose memory `tensor` is written into: its own, or that of the
/// tensor it continues.
Value KernelEmitter::chainRoot(Value tensor) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
    if (!op)
      break;
    OpOperand *init = op.getTiedOpOperand(result);
    if (!continuesInit(op, init))
      break;
    tensor = init->get();
  }
  return tensor;
}

/// True if the results of the op are complete, in registers, at the point of
/// the shared nest: every loop of its own is a register loop or reduced inside
/// all the others.
bool KernelEmitter::handsOver(unsigned number) {
  return llvm::all_of(nest.op(number).loops, [&](const LoopUse &use) {
    if (nest.loop(use.loop).shared)
      return !use.reduced;
    return use.reduced || isRegisterTile(use.loop);
  });
}

/// Dimensions read by `map` as plain iterator dimensions, -1 for others.
static SmallVector<int64_t> plainDims(AffineMap map) {
  SmallVector<int64_t> dims;
  for (AffineExpr e : map.getResults())
    dims.push_back(isa<AffineDimExpr>(e)
                       ? int64_t(cast<AffineDimExpr>(e).getPosition())
                       : -1);
  return dims;
}

/// Can `use` take the value from registers? It must read the very element that
/// was produced at this point.
bool KernelEmitter::canForward(OpResult produced, OpOperand &use) {
  auto producer = cast<linalg::LinalgOp>(produced.getOwner());
  auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!consumer || !handsOver(nest.numberOf(producer)))
    return false;
  if (!llvm::is_contained(ops, consumer))
    return false;
  const BodyOp &from = nest.op(nest.numberOf(producer));
  const BodyOp &to = nest.op(nest.numberOf(consumer));
  AffineMap written = producer.getIndexingMapMatchingResult(produced);
  AffineMap read = consumer.getMatchingIndexingMap(&use);
  SmallVector<int64_t> out = plainDims(written), in = plainDims(read);
  for (unsigned i = 0; i < out.size(); ++i) {
    if (out[i] < 0 || in[i] < 0) {
      if (written.getResult(i) != read.getResult(i) ||
          !isa<AffineConstantExpr>(read.getResult(i)))
        return false;
      continue;
    }
    if (from.axes[out[i]] != to.axes[in[i]])
      return false;
  }
  // The same loops must be in registers on both sides, with the same lanes.
  for (const LoopUse &a : from.loops) {
    if (a.reduced)
      continue;
    const LoopUse *other = to.find(a.loop);
    if (!other || lanesOf(a, nest.numberOf(producer)) !=
                      lanesOf(*other, nest.numberOf(consumer)))
      return false;
  }
  return true;
}

/// Must a result be stored, because somebody cannot take it from registers?
bool KernelEmitter::needsMemory(OpResult produced) {
  // The running value that a reduction keeps for the sake of its other results.
  if (produced.use_empty())
    if (auto producer = dyn_cast<linalg::LinalgOp>(produced.getOwner()))
      return producer->getNumResults() > 1 &&
             producer.getNumReductionLoops() > 0;
  for (OpOperand &use : produced.getUses()) {
    if (isa<YieldOp>(use.getOwner()))
      return true;
    // Read by index from inside a payload.
    if (!isa<linalg::LinalgOp>(use.getOwner()))
      return true;
    auto consumer = cast<linalg::LinalgOp>(use.getOwner());
    if (consumer.isDpsInit(&use) && !continuesInit(consumer, &use))
      continue;
    if (!canForward(produced, use))
      return true;
  }
  return false;
}

/// Does a shared loop stem from iterator dimension `dim` of the op?
bool KernelEmitter::sharesLoopsOf(unsigned number, unsigned dim) {
  unsigned axis = nest.op(number).axes[dim];
  return llvm::any_of(nest.sharedLoops(), [&](unsigned loop) {
    return nest.stemsFrom(loop, axis);
  });
}

/// Shape of the part of an intermediate that one visit of the shared loops
/// touches.
FailureOr<SmallVector<int64_t>> KernelEmitter::localShape(OpResult value) {
  auto op = cast<linalg::LinalgOp>(value.getOwner());
  unsigned number = nest.numberOf(op);
  AffineMap map = op.getIndexingMapMatchingResult(value);
  SmallVector<int64_t> shape;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t whole = cast<ShapedType>(value.getType()).getDimSize(i);
    if (!dim || !sharesLoopsOf(number, dim.getPosition())) {
      shape.push_back(whole);
      continue;
    }
    // Largest value of the unshared loops, plus one.
    int64_t size = 1;
    unsigned axis = nest.op(number).axes[dim.getPosition()];
    for (const LoopUse &use : nest.op(number).loops) {
      const Loop &loop = nest.loop(use.loop);
      if (!nest.stemsFrom(use.loop, axis))
        continue;
      if (loop.kind == Loop::Kind::Fused)
        return op.emitOpError("cannot keep part of a fused loop '")
               << loop.name << "' in an intermediate";
      int64_t stride = 1;
      for (unsigned n = use.loop; n != axis; n = nest.loop(n).parents[0])
        if (nest.loop(n).kind == Loop::Kind::BlockOuter)
          stride *= nest.loop(n).blockSize;
      // Of a shared loop, the copies and lanes of one step.
      int64_t extent = loop.shared ? std::max(use.unroll, lanesOf(use, number))
                                   : loop.extent;
      if (ShapedType::isDynamic(extent))
        return SmallVector<int64_t>{ShapedType::kDynamic};
      size += (extent - 1) * stride;
    }
    shape.push_back(size);
  }
  return shape;
}

LogicalResult KernelEmitter::assignStorage(EmittedKernel &result) {
  auto yield = kernel.getYield();
  llvm::DenseSet<Value> inOutput;
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    Value root = chainRoot(value);
    if (auto arg = dyn_cast<BlockArgument>(root)) {
      if (arg != kernel.getOutArgument(i))
        return kernel.emitOpError("yields the destination of another result");
      continue;
    }
    if (!inOutput.insert(root).second)
      return kernel.emitOpError("yields one value twice");
    outputOf[root] = i;
  }
  llvm::DenseSet<Value> seen;
  for (linalg::LinalgOp op : ops) {
    for (OpResult value : op->getResults()) {
      Value root = chainRoot(value);
      if (isa<BlockArgument>(root) || inOutput.contains(root) ||
          !needsMemory(value) || !seen.insert(root).second)
        continue;
      auto first = dyn_cast<OpResult>(root);
      if (!first || !isa<linalg::LinalgOp>(first.getOwner())) {
        // A reduction that starts from an undefined tensor.
        first = value;
      }
      auto shape = localShape(first);
      if (failed(shape))
        return failure();
      auto type = cast<RankedTensorType>(root.getType());
      int64_t bytes = elementBytes(type.getElementType());
      bool fits = true;
      for (int64_t size : *shape) {
        fits &= !ShapedType::isDynamic(size) && size <= options.maxStackBytes;
        bytes = fits ? bytes * std::max<int64_t>(size, 1) : bytes;
        fits &= bytes <= options.maxStackBytes;
      }
      Storage place;
      if (fits) {
        place.local = true;
        place.localShape = *shape;
      } else {
        result.temporaries.push_back(root);
      }
      storage[root] = place;
    }
  }
  return success();
}

} // namespace onnxc::krnl
