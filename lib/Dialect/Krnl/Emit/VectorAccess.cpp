//===- VectorAccess.cpp - Vectors in and out of memory ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

LaneIndex VectorAccess::numberOf(Value memref, ArrayRef<LaneIndex> at) {
  LaneIndex number;
  for (auto [dim, index] : llvm::enumerate(at)) {
    LaneIndex stride = strideOf(memref, dim);
    LaneIndex first{index.base, index.offset, 0, {}};
    number = math.add(number, stride.isConstant()
                                  ? math.scale(first, stride.offset)
                                  : math.scale(first, math.scalar(stride)));
  }
  return number;
}

LaneIndex VectorAccess::countElements(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 0)
    return {{}, 1, 0, {}};
  LaneIndex stride = strideOf(memref, 0);
  return type.isDynamicDim(0)
             ? math.scale(stride, memref::DimOp::create(b, memref, 0))
             : math.scale(stride, type.getDimSize(0));
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

/// Where the distance of lanes in elements is dynamic and may be one, as in a
/// dynamic number of columns: an i1 that is true if it is. Else null.
Value VectorAccess::areAdjacent(Value memref, ArrayRef<LaneIndex> at) {
  Value isOne;
  for (auto [dim, index] : llvm::enumerate(at)) {
    auto type = cast<MemRefType>(memref.getType());
    ArrayRef<int64_t> inside = type.getShape().drop_front(dim + 1);
    if (!index.vec && index.step == 0)
      continue;
    if (index.vec || index.step != 1 || isOne || inside.empty() ||
        !llvm::all_of(inside,
                      [](int64_t size) {
                        return ShapedType::isDynamic(size) || size == 1;
                      }) ||
        !llvm::is_contained(inside, ShapedType::kDynamic))
      return {};
    isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                  math.scalar(strideOf(memref, dim)),
                                  arith::ConstantIndexOp::create(b, 1));
  }
  return isOne;
}

/// Emits one of two accesses.
static Value emitEither(ImplicitLocOpBuilder &b, Value condition,
                        TypeRange types, function_ref<Value()> then,
                        function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(b, types, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, access] : {std::pair(branch.thenBlock(), then),
                               std::pair(branch.elseBlock(), otherwise)}) {
    b.setInsertionPointToStart(block);
    Value result = access();
    scf::YieldOp::create(b, result ? ValueRange(result) : ValueRange());
  }
  return types.empty() ? Value() : branch.getResult(0);
}

/// Loads adjacent elements in memory.
Value VectorAccess::loadLine(Value memref, ValueRange base, VectorType type,
                             Value mask) {
  if (!mask)
    return vector::LoadOp::create(b, type, memref, base);
  return vector::MaskedLoadOp::create(b, type, memref, base, mask,
                                      placeholder(b, type));
}

void VectorAccess::storeLine(Value memref, ValueRange base, Value value,
                             Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(b, memref, base, mask, value);
  else
    vector::StoreOp::create(b, value, memref, base);
}

Value VectorAccess::gather(Value memref, ValueRange base, Value offsets,
                           VectorType type, Value mask) {
  if (!mask)
    mask = firstLanesMask(b, type.getNumElements(), type.getNumElements());
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
  if (!offsets)
    return loadLine(memref, base, type, mask);
  Value isLine = areAdjacent(memref, at);
  if (!isLine)
    return gather(memref, base, offsets, type, mask);
  return emitEither(
      b, isLine, type, [&] { return loadLine(memref, base, type, mask); },
      [&] { return gather(memref, base, offsets, type, mask); });
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
  if (!offsets)
    return storeLine(memref, base, value, mask);
  auto scatter = [&] {
    Value lanesThere = mask ? mask : firstLanesMask(b, lanes, lanes);
    vector::ScatterOp::create(b, /*resultType=*/Type(), memref, base, offsets,
                              lanesThere, value);
    return Value();
  };
  Value isLine = areAdjacent(memref, at);
  if (!isLine) {
    scatter();
    return;
  }
  emitEither(
      b, isLine, {},
      [&] {
        storeLine(memref, base, value, mask);
        return Value();
      },
      scatter);
}

} // namespace onnxc::krnl
