//===- OperandPositions.cpp - Where the elements of an op are ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "OperandPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Shuffles.h"

using namespace mlir;

namespace onnxc::krnl {

std::optional<unsigned> OperandPositions::instanceLoop(const OpState &state,
                                                       OpOperand &operand,
                                                       bool LoopUse::*shuffle,
                                                       int64_t minInstances,
                                                       int64_t maxInstances) {
  for (const LoopUse &use : nest.op(state.number).loops) {
    const ActiveLoop &at = active[use.loop];
    if (use.*shuffle && at.instances >= minInstances &&
        at.instances <= maxInstances && at.staticLimit < 0 &&
        !at.dynamicLimit && hasRows(state.access(operand), operand, use.loop))
      return use.loop;
  }
  return std::nullopt;
}

std::optional<unsigned> OperandPositions::transposedLoop(const OpState &state,
                                                         OpOperand &operand) {
  std::optional<unsigned> lane = laneLoop(state);
  const Access &along = state.access(operand);
  if (!lane || along.getRank() == 0 ||
      along.getIndex(along.getRank() - 1).isFunctionOfDim(*lane))
    return std::nullopt;
  return instanceLoop(state, operand, &LoopUse::transpose, 2,
                      active[*lane].lanes);
}

/// Emits an i1, or one for each lane where these differ, that is true if the
/// index is in the range in which the operand is read; null without a range.
Value OperandPositions::isInRange(OpOperand &operand, unsigned position,
                                  const Subscript &subscript, LaneIndex index) {
  if (!subscript.range)
    return {};
  auto [first, end] = *subscript.range;
  LaneIndex moved = math.add(index, {{}, -first, 0, {}});
  Value size =
      ShapedType::isDynamic(end)
          ? memref::DimOp::create(b, slotOf(operand.get()).memref, position)
          : math.scalar({{}, end - first, 0, {}});
  // Unsigned: also false for indices before the first one.
  auto isBefore = [&](Value at, Value end) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, at, end);
  };
  return index.isUniform()
             ? isBefore(math.scalar(moved), size)
             : isBefore(math.vector(moved),
                        math.vector(toLaneIndex(OpFoldResult(size))));
}

/// The index, or the first one of the range where it is not inside.
LaneIndex OperandPositions::nearest(const Subscript &subscript, LaneIndex index,
                                    Value inside) {
  LaneIndex first{{}, subscript.range->first, 0, {}};
  if (index.isUniform())
    return toLaneIndex(OpFoldResult(b.createOrFold<arith::SelectOp>(
        inside, math.scalar(index), math.scalar(first))));
  return {{},
          0,
          0,
          b.createOrFold<arith::SelectOp>(inside, math.vector(index),
                                          math.vector(first))};
}

SmallVector<LaneIndex>
OperandPositions::indicesOf(const OpState &state, OpOperand &operand,
                            const Instance &instance,
                            std::optional<unsigned> local) {
  SmallVector<LaneIndex> axes = loops.axisValues(state.number, instance, local);
  SmallVector<LaneIndex> at;
  for (auto [position, subscript] :
       llvm::enumerate(state.op.getSubscripts(operand))) {
    LaneIndex index = math.eval(subscript.index, axes, loops.extents);
    if (Value inside = isInRange(operand, position, subscript, index))
      index = nearest(subscript, index, inside);
    at.push_back(index);
  }
  return at;
}

SmallVector<LaneIndex>
OperandPositions::unboundedIndicesOf(const OpState &state, OpOperand &operand,
                                     const Instance &instance) {
  SmallVector<LaneIndex> axes = loops.axisValues(state.number, instance);
  return llvm::map_to_vector(state.op.getSubscripts(operand),
                             [&](const Subscript &at) {
                               return math.eval(at.index, axes, loops.extents);
                             });
}

Value OperandPositions::andInRanges(unsigned op, OpOperand &operand,
                                    const Instance &instance, Value all) {
  if (!Access(operand).hasRanges())
    return all;
  SmallVector<LaneIndex> axes = loops.axisValues(op, instance);
  ComputeOp user = storage.plan(op).op;
  for (auto [position, subscript] :
       llvm::enumerate(user.getSubscripts(operand))) {
    Value inside = isInRange(operand, position, subscript,
                             math.eval(subscript.index, axes, loops.extents));
    if (all && inside && all.getType() != inside.getType()) {
      int64_t lanes = loops.lanesOf(op);
      all = broadcast(b, all, lanes);
      inside = broadcast(b, inside, lanes);
    }
    if (inside)
      all = all ? b.createOrFold<arith::AndIOp>(all, inside) : inside;
  }
  return all;
}

Value OperandPositions::hasElement(unsigned op, OpOperand &operand,
                                   const Instance &instance) {
  SmallVector<unsigned> padded =
      paddedLoops(nest, op, Access(operand), /*reduced=*/true);
  return andInRanges(op, operand, instance,
                     loops.isInside(op, padded, instance));
}

Value OperandPositions::zeroOutside(unsigned op, OpOperand &operand,
                                    const Instance &instance, Value value) {
  Value inside = hasElement(op, operand, instance);
  if (!inside)
    return value;
  TypedAttr otherwise = Access(operand).outside();
  if (!otherwise)
    otherwise = b.getZeroAttr(value.getType());
  else if (auto lanes = dyn_cast<VectorType>(value.getType()))
    otherwise = DenseElementsAttr::get(lanes, ArrayRef<Attribute>(otherwise));
  Value outside = arith::ConstantOp::create(b, otherwise);
  return arith::SelectOp::create(b, inside, value, outside);
}

SmallVector<LaneIndex> movedBy(LaneMath &math, ArrayRef<LaneIndex> slot,
                               ArrayRef<LaneIndex> at) {
  SmallVector<LaneIndex> moved(at);
  for (auto [index, distance] : llvm::zip(moved, slot))
    index = math.add(index, distance);
  return moved;
}

} // namespace onnxc::krnl
