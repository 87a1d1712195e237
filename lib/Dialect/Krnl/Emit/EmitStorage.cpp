//===- EmitStorage.cpp - Where the tensors of a kernel live -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Support/ElementBytes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace onnxc::krnl {

/// Does the op leave elements of the tensor that it continues as they are?
static bool writesPart(linalg::LinalgOp op, OpOperand *init) {
  unsigned result = op.getTiedOpResult(init).getResultNumber();
  return scatterStoreOf(op, result) ||
         !op.getMatchingIndexingMap(init).isProjectedPermutation(
             /*allowZeroInResults=*/true);
}

/// Does the op continue the tensor it starts from: by accumulating into it, or
/// by writing only a part of it?
static bool continuesInit(linalg::LinalgOp op, OpOperand *init) {
  return op.payloadUsesValueFromOperand(init) || writesPart(op, init);
}

/// The indices of an access over the axes of the kernel instead of those of
/// the op.
static SmallVector<AffineExpr> indicesOverAxes(AffineMap map,
                                               const BodyOp &op) {
  SmallVector<AffineExpr> axes;
  for (unsigned axis : op.axes)
    axes.push_back(getAffineDimExpr(axis, map.getContext()));
  SmallVector<AffineExpr> indices;
  for (AffineExpr index : map.getResults())
    indices.push_back(index.replaceDims(axes));
  return indices;
}

/// Would the op spoil for others what it continues? Then it gets memory of its
/// own, into which the tensor it starts from is written as well. Those that
/// have read the same elements before are not in its way.
bool KernelEmitter::isShared(OpOperand &init) {
  Value tensor = init.get();
  auto maker = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!maker || tensor.hasOneUse())
    return false;
  auto consumer = cast<linalg::LinalgOp>(init.getOwner());
  unsigned last = nest.indexOf(consumer);
  if (writesPart(consumer, &init) || isInside(last))
    return true;
  auto indices = [&](linalg::LinalgOp op, AffineMap map) {
    return indicesOverAxes(map, nest.op(nest.indexOf(op)));
  };
  SmallVector<AffineExpr> written =
      indices(consumer, consumer.getMatchingIndexingMap(&init));
  if (written != indices(maker, maker.getIndexingMapMatchingResult(
                                    cast<OpResult>(tensor))))
    return true;
  return !llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    if (&use == &init)
      return true;
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader && llvm::is_contained(ops, reader) &&
           !reader.isDpsInit(&use) && nest.indexOf(reader) < last &&
           !isInside(nest.indexOf(reader)) &&
           indices(reader, reader.getMatchingIndexingMap(&use)) == written;
  });
}

/// The value whose memory `tensor` is written into: its own, or that of the
/// tensor it continues.
Value KernelEmitter::chainRoot(Value tensor) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
    if (!op)
      break;
    OpOperand *init = op.getTiedOpOperand(result);
    if (!continuesInit(op, init) || isShared(*init))
      break;
    tensor = init->get();
  }
  return tensor;
}

/// True if the results of the op are complete, in registers, at the point of
/// the fused outer nest: every loop of its own is a register loop or reduced
/// inside all the others. A loop that is whole in registers will do, too.
bool KernelEmitter::handsOver(unsigned number) {
  bool keepsOrder = isOrdered(ops[number]);
  return llvm::all_of(nest.op(number).loops, [&](const LoopUse &use) {
    if (nest.isAround(use.loop, number))
      return !use.reduced;
    return use.reduced || isRegisterTile(use.loop) ||
           (!keepsOrder && fitsRegisters(use, number) &&
            !nest.endsEarly(use.loop));
  });
}

/// Can `use` take the value from registers? It must read the very element that
/// was produced at this point.
bool KernelEmitter::canForward(OpResult produced, OpOperand &use) {
  auto producer = cast<linalg::LinalgOp>(produced.getOwner());
  auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!consumer || !handsOver(nest.indexOf(producer)))
    return false;
  if (!llvm::is_contained(ops, consumer))
    return false;
  unsigned result = produced.getResultNumber();
  if (scatterStoreOf(producer, result) || isTrace(producer, result))
    return false;
  // Values that every step continues have to be in memory.
  if (consumer.isDpsInit(&use) &&
      (scatterStoreOf(consumer,
                      consumer.getTiedOpResult(&use).getResultNumber()) ||
       !prepare(nest.indexOf(consumer)).startsOnce))
    return false;
  const BodyOp &from = nest.op(nest.indexOf(producer));
  const BodyOp &to = nest.op(nest.indexOf(consumer));
  AffineMap written = producer.getIndexingMapMatchingResult(produced);
  AffineMap read = consumer.getMatchingIndexingMap(&use);
  if (indicesOverAxes(written, from) != indicesOverAxes(read, to))
    return false;
  // The same loops must be in registers on both sides, with the same lanes.
  for (const LoopUse &a : from.loops) {
    if (a.reduced)
      continue;
    const LoopUse *other = to.find(a.loop);
    if (!other ||
        lanesOf(a, nest.indexOf(producer)) !=
            lanesOf(*other, nest.indexOf(consumer)) ||
        (!isRegisterTile(a.loop) && a.unroll != other->unroll))
      return false;
  }
  return true;
}

/// The memory of others that must start with a copy of the result. What is
/// filled part by part has to get there with all its parts.
SmallVector<Value> KernelEmitter::destinationAliases(OpResult produced) {
  SmallVector<Value> aliases;
  for (OpOperand &use : produced.getUses()) {
    auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!consumer || !consumer.isDpsInit(&use))
      continue;
    OpResult continued = consumer.getTiedOpResult(&use);
    if (!isShared(use)) {
      if (writesPart(consumer, &use))
        llvm::append_range(aliases, destinationAliases(continued));
    } else if (continuesInit(consumer, &use) && !canForward(produced, use)) {
      aliases.push_back(continued);
    }
  }
  return aliases;
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
    if (consumer.isDpsInit(&use) &&
        (!continuesInit(consumer, &use) || isShared(use)))
      continue;
    if (!canForward(produced, use))
      return true;
  }
  return false;
}

/// Does a fused outer loop stem from iterator dimension `dim` of the op?
bool KernelEmitter::hasFusedOuterLoop(unsigned number, unsigned dim) {
  unsigned axis = nest.op(number).axes[dim];
  return llvm::any_of(nest.order(), [&](unsigned loop) {
    return nest.isAround(loop, number) && nest.stemsFrom(loop, axis);
  });
}

/// An upper bound of `value`, over the loops of the op, within one visit of the
/// fused outer loops: of those only the instances and lanes of one step count.
/// A very large number if it is not known.
int64_t KernelEmitter::lastLocal(unsigned number, AffineExpr value) {
  constexpr int64_t unknown = int64_t(1) << 40;
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return std::min(constant.getValue(), unknown);
  if (isa<AffineSymbolExpr>(value))
    return unknown;
  if (auto dim = dyn_cast<AffineDimExpr>(value)) {
    const LoopUse &use = *nest.op(number).find(dim.getPosition());
    const Loop &loop = nest.loop(use.loop);
    if (nest.isAround(use.loop, number))
      return std::max(use.unroll, lanesOf(use, number)) - 1;
    return loop.isDynamic() ? unknown : std::max<int64_t>(loop.extent, 1) - 1;
  }
  auto binary = cast<AffineBinaryOpExpr>(value);
  int64_t x = lastLocal(number, binary.getLHS());
  int64_t y = lastLocal(number, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return std::min(x + y, unknown);
  case AffineExprKind::Mul:
    return x != 0 && y > unknown / x ? unknown : x * y;
  case AffineExprKind::Mod:
    return std::min(x, y - 1);
  case AffineExprKind::FloorDiv:
    return y == unknown ? x : x / std::max<int64_t>(y, 1);
  default:
    return unknown;
  }
}

/// Shape of the part of an intermediate that one visit of the fused outer loops
/// touches.
SmallVector<int64_t> KernelEmitter::localShape(OpResult value) {
  auto op = cast<linalg::LinalgOp>(value.getOwner());
  unsigned number = nest.indexOf(op);
  AffineMap map = op.getIndexingMapMatchingResult(value);
  SmallVector<int64_t> shape;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool partly = dim && hasFusedOuterLoop(number, dim.getPosition());
    shape.push_back(
        partly ? lastLocal(number, nest.axisExpr(number, dim.getPosition())) + 1
               : cast<ShapedType>(value.getType()).getDimSize(i));
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
  llvm::DenseSet<Value> seen, started;
  for (linalg::LinalgOp op : ops) {
    for (OpResult value : op->getResults()) {
      for (Value alias : destinationAliases(value))
        started.insert(alias);
      Value root = chainRoot(value);
      if (isa<BlockArgument>(root) || inOutput.contains(root) ||
          !(needsMemory(value) || started.contains(value)) ||
          !seen.insert(root).second)
        continue;
      auto first = dyn_cast<OpResult>(root);
      if (!first || !isa<linalg::LinalgOp>(first.getOwner())) {
        // A reduction that starts from an undefined tensor.
        first = value;
      }
      SmallVector<int64_t> shape = localShape(first);
      auto type = cast<RankedTensorType>(root.getType());
      int64_t bytes = elementBytes(type.getElementType());
      bool fits = true;
      for (int64_t size : shape) {
        fits &= !ShapedType::isDynamic(size) &&
                size <= options.processor.stackBytes;
        bytes = fits ? bytes * std::max<int64_t>(size, 1) : bytes;
        fits &= bytes <= options.processor.stackBytes;
      }
      Storage slot;
      if (fits) {
        slot.local = true;
        slot.localShape = shape;
      } else {
        result.temporaries.push_back(root);
      }
      storage[root] = slot;
    }
  }
  return success();
}

} // namespace onnxc::krnl
