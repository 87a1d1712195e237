//===- EmitAccess.cpp - Reading and writing elements ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

std::optional<unsigned> KernelEmitter::laneLoop(const OpState &state) {
  for (const LoopUse &use : nest.op(state.number).loops)
    if (active[use.loop].lanes > 1)
      return use.loop;
  return std::nullopt;
}

int64_t KernelEmitter::lanesHere(const OpState &state) {
  std::optional<unsigned> loop = laneLoop(state);
  return loop ? active[*loop].lanes : 1;
}

/// Which lanes of this instance are inside the loop's bound; null if all are.
Value KernelEmitter::laneMask(const OpState &state, const Instance &instance) {
  std::optional<unsigned> loop = laneLoop(state);
  if (!loop)
    return {};
  const ActiveLoop &at = active[*loop];
  int64_t first = instance[*loop] * at.lanes;
  auto type = VectorType::get({at.lanes}, b.getI1Type());
  if (at.dynamicLimit) {
    Value rest =
        math.scalar(math.add({at.dynamicLimit, 0, 0, {}}, {{}, -first, 0, {}}));
    return vector::CreateMaskOp::create(b, type, rest);
  }
  if (at.staticLimit < 0 || at.staticLimit - first >= at.lanes)
    return {};
  SmallVector<bool> bits(at.lanes);
  for (int64_t i = 0; i < at.lanes; ++i)
    bits[i] = i < at.staticLimit - first;
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, bits));
}

/// The value of one loop in an instance; `local`: counted from the current
/// iteration on of loops that ops are in together.
LaneIndex KernelEmitter::loopIndex(unsigned loop, const Instance &instance,
                                   bool local) {
  const ActiveLoop &at = active[loop];
  LaneIndex index{
      at.base, at.offset + instance[loop] * at.lanes, at.lanes > 1 ? 1 : 0, {}};
  if (local && (nest.loop(loop).fusedOuter || nest.loop(loop).computeAt)) {
    index.base = Value();
    index.offset = instance[loop] * at.lanes;
  }
  return index;
}

SmallVector<LaneIndex> KernelEmitter::axisValues(const OpState &state,
                                                 const Instance &instance,
                                                 bool local) {
  SmallVector<LaneIndex> loops(nest.loops().size());
  for (const LoopUse &use : nest.op(state.number).loops)
    loops[use.loop] = loopIndex(use.loop, instance, local);
  math.setLanes(lanesHere(state));
  SmallVector<LaneIndex> axes;
  for (unsigned dim = 0; dim < nest.op(state.number).axes.size(); ++dim)
    axes.push_back(math.eval(nest.axisExpr(state.number, dim), loops, extents));
  return axes;
}

SmallVector<LaneIndex> KernelEmitter::indicesOf(OpState &state,
                                                OpOperand &operand,
                                                const Instance &instance,
                                                bool local) {
  SmallVector<LaneIndex> axes = axisValues(state, instance, local);
  SmallVector<LaneIndex> at;
  for (AffineExpr e : state.op.getMatchingIndexingMap(&operand).getResults())
    at.push_back(math.eval(e, axes, extents));
  return at;
}

/// `at`, as far away as a computed index says; nothing moves without one.
SmallVector<LaneIndex> KernelEmitter::movedBy(ArrayRef<LaneIndex> slot,
                                              ArrayRef<LaneIndex> at) {
  SmallVector<LaneIndex> moved(at);
  for (auto [index, distance] : llvm::zip(moved, slot))
    index = math.add(index, distance);
  return moved;
}

/// Does the operand's element change from one iteration of `loop` to another?
bool KernelEmitter::dependsOn(const OpState &state, OpOperand &operand,
                              unsigned loop) {
  linalg::LinalgOp reader = state.op;
  AffineMap map = reader.getMatchingIndexingMap(&operand);
  const BodyOp &op = nest.op(state.number);
  for (auto [dim, axis] : llvm::enumerate(op.axes))
    if (map.isFunctionOfDim(dim) && nest.stemsFrom(loop, axis))
      return true;
  return false;
}

Value KernelEmitter::readOperand(OpState &state, OpOperand &operand,
                                 const Instance &instance) {
  Value source = operand.get();
  if (!isa<ShapedType>(source.getType()))
    return uniform.lookup(source);
  linalg::LinalgOp reader = state.op;
  if (reader.isDpsInit(&operand))
    if (Value start =
            startOf(state, reader.getTiedOpResult(&operand).getResultNumber()))
      return uniform.lookup(start);
  if (auto result = dyn_cast<OpResult>(source)) {
    auto kept = registers.find(result);
    if (kept != registers.end() && canForward(result, operand)) {
      Instance key = restrictTo(instance, [&](unsigned loop) {
        return llvm::is_contained(kept->second.loops, loop);
      });
      return kept->second.values.at(key);
    }
  }
  std::pair<unsigned, Instance> key{operand.getOperandNumber(),
                                    restrictTo(instance, [&](unsigned loop) {
                                      return dependsOn(state, operand, loop);
                                    })};
  Value &value = state.reads[key];
  if (value)
    return value;
  Storage slot = storage[chainRoot(
      reader.isDpsInit(&operand) ? reader.getTiedOpResult(&operand) : source)];
  for (const CachedSlice &slice : caches)
    if (slice.use == &operand) {
      slot = Storage();
      slot.memref = slice.memref;
      slot.byLoops = true;
      slot.packed = slice.loops;
    }
  std::optional<unsigned> lane = laneLoop(state);
  bool varies = lane && dependsOn(state, operand, *lane);
  SmallVector<LaneIndex> at;
  if (!slot.byLoops)
    at = indicesOf(state, operand, instance, slot.local);
  else
    for (unsigned loop : slot.packed)
      at.push_back(loopIndex(loop, instance, false));
  if (varies && !slot.byLoops &&
      loadTransposed(state, operand, instance, slot.memref))
    return state.reads.at(key);
  // Packed buffers have room for whole blocks.
  bool full = !varies || (slot.byLoops && !nest.loop(*lane).isDynamic() &&
                          nest.loop(*lane).extent % lanesHere(state) == 0);
  Value mask = full ? Value() : laneMask(state, instance);
  value = load(slot.memref, at, varies ? lanesHere(state) : 1, mask);
  return value;
}

/// Elements from one index of dimension `dim` to the next.
LaneIndex KernelEmitter::strideOf(Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  LaneIndex stride{{}, 1, 0, {}};
  for (unsigned d = dim + 1; d < type.getRank(); ++d)
    stride = type.isDynamicDim(d)
                 ? math.scale(stride, memref::DimOp::create(b, memref, d))
                 : math.scale(stride, type.getDimSize(d));
  return stride;
}

/// Splits an access of several lanes into the index of its first lane and the
/// distance of each lane from it in elements; no distances if contiguous.
Value KernelEmitter::laneOffsets(Value memref, ArrayRef<LaneIndex> at,
                                 int64_t lanes, SmallVectorImpl<Value> &base) {
  math.setLanes(lanes);
  LaneIndex step, general;
  bool evenly = true;
  for (auto [dim, index] : llvm::enumerate(at)) {
    if (index.vec) {
      evenly = false;
      LaneIndex stride = strideOf(memref, dim);
      general = math.add(general, stride.isConstant()
                                      ? math.scale(index, stride.offset)
                                      : math.scale(index, math.scalar(stride)));
      base.push_back(math.scalar({}));
      continue;
    }
    base.push_back(math.scalar({index.base, index.offset, 0, {}}));
    if (index.step)
      step = math.add(step, math.scale(strideOf(memref, dim), index.step));
  }
  if (evenly && step.isConstant() && step.offset == 1)
    return {};
  LaneIndex even;
  if (step.isConstant())
    even = {{}, 0, step.offset, {}};
  else
    even = math.scale({{}, 0, 1, {}}, math.scalar(step));
  return math.vector(evenly ? even : math.add(even, general));
}

/// The value of lanes outside the mask: 1 for integers, which no operation on
/// them can trap on.
static Value passThrough(ImplicitLocOpBuilder &b, VectorType type) {
  Type element = type.getElementType();
  TypedAttr one = isa<FloatType>(element)
                      ? TypedAttr(b.getFloatAttr(element, 0.0))
                      : TypedAttr(b.getIntegerAttr(element, 1));
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, one));
}

Value KernelEmitter::load(Value memref, ArrayRef<LaneIndex> at, int64_t lanes,
                          Value mask) {
  if (lanes == 1) {
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(math.scalar(index));
    return memref::LoadOp::create(b, memref, indices);
  }
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  SmallVector<Value> base;
  if (std::optional<int64_t> step = evenStep(memref, at))
    if (*step >= 2 && *step <= longestStep)
      return loadStrided(memref, at, type, *step, mask);
  Value offsets = laneOffsets(memref, at, lanes, base);
  if (!offsets && !mask)
    return vector::LoadOp::create(b, type, memref, base);
  if (!offsets)
    return vector::MaskedLoadOp::create(b, type, memref, base, mask,
                                        passThrough(b, type));
  if (!mask)
    mask = allLanes(lanes);
  return vector::GatherOp::create(b, type, memref, base, offsets, mask,
                                  passThrough(b, type));
}

Value KernelEmitter::allLanes(int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
}

void KernelEmitter::store(Value memref, ArrayRef<LaneIndex> at, Value value,
                          int64_t lanes, Value mask) {
  if (lanes == 1) {
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(math.scalar(index));
    memref::StoreOp::create(b, value, memref, indices);
    return;
  }
  value = broadcast(value, lanes);
  if (std::optional<int64_t> step = evenStep(memref, at); step && !mask)
    if (*step >= 2 && *step <= longestStep)
      return storeApart(memref, at, value, *step);
  SmallVector<Value> base;
  Value offsets = laneOffsets(memref, at, lanes, base);
  if (!offsets && !mask) {
    vector::StoreOp::create(b, value, memref, base);
    return;
  }
  if (!offsets) {
    vector::MaskedStoreOp::create(b, memref, base, mask, value);
    return;
  }
  if (!mask)
    mask = allLanes(lanes);
  vector::ScatterOp::create(b, /*resultType=*/Type(), memref, base, offsets,
                            mask, value);
}

} // namespace onnxc::krnl
