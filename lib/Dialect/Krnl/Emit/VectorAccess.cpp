//===- VectorAccess.cpp - Vectors in and out of memory ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// Elements from one index of dimension `dim` to the next.
LaneIndex VectorAccess::strideOf(Value memref, unsigned dim) {
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
Value VectorAccess::laneOffsets(Value memref, ArrayRef<LaneIndex> at,
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

Value broadcast(ImplicitLocOpBuilder &b, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

Value firstLanesMask(ImplicitLocOpBuilder &b, int64_t lanes, int64_t valid) {
  SmallVector<bool> bits;
  for (int64_t i = 0; i < lanes; ++i)
    bits.push_back(i < valid);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), bits));
}

Value placeholder(ImplicitLocOpBuilder &b, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat())
    return ub::PoisonOp::create(b, type);
  TypedAttr one = isa<FloatType>(element)
                      ? TypedAttr(b.getFloatAttr(element, 0.0))
                      : TypedAttr(b.getIntegerAttr(element, 1));
  if (auto vector = dyn_cast<VectorType>(type))
    one = DenseElementsAttr::get(vector, one);
  return arith::ConstantOp::create(b, one);
}

static bool isNarrowInteger(VectorType type) {
  return type.getElementType().isInteger() &&
         type.getElementTypeBitWidth() < 32;
}

Value VectorAccess::load(Value memref, ArrayRef<LaneIndex> at, int64_t lanes,
                         Value mask, ArrayRef<int64_t> strides) {
  if (lanes == 1) {
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(math.scalar(index));
    return memref::LoadOp::create(b, memref, indices);
  }
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  SmallVector<Value> base;
  if (auto step = evenStep(memref, at);
      step && llvm::is_contained(strides, *step))
    return loadStrided(memref, at, type, *step, mask);
  Value offsets = laneOffsets(memref, at, lanes, base);
  if (!offsets && !mask)
    return vector::LoadOp::create(b, type, memref, base);
  if (!offsets)
    return vector::MaskedLoadOp::create(b, type, memref, base, mask,
                                        placeholder(b, type));
  if (!mask)
    mask = firstLanesMask(b, lanes, lanes);
  // LLVM 22 widens gathers of narrow elements for Arm's MVE, but not what is in
  // the place of lanes that are not loaded, unless it is zero.
  Value others = placeholder(b, type);
  if (!isNarrowInteger(type))
    return vector::GatherOp::create(b, type, memref, base, offsets, mask,
                                    others);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value found =
      vector::GatherOp::create(b, type, memref, base, offsets, mask, zeros);
  return arith::SelectOp::create(b, mask, found, others);
}

void VectorAccess::store(Value memref, ArrayRef<LaneIndex> at, Value value,
                         int64_t lanes, Value mask, ArrayRef<int64_t> strides) {
  if (lanes == 1) {
    SmallVector<Value> indices;
    for (const LaneIndex &index : at)
      indices.push_back(math.scalar(index));
    memref::StoreOp::create(b, value, memref, indices);
    return;
  }
  value = broadcast(b, value, lanes);
  if (auto step = evenStep(memref, at);
      step && !mask && llvm::is_contained(strides, *step))
    return storeStrided(memref, at, value, *step);
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
    mask = firstLanesMask(b, lanes, lanes);
  vector::ScatterOp::create(b, /*resultType=*/Type(), memref, base, offsets,
                            mask, value);
}

} // namespace onnxc::krnl
