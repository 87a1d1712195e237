//===- EmitPayload.cpp - The body of an op on scalars or vectors *- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

Value KernelEmitter::broadcast(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

/// A value of the payload, as a scalar or vector.
Value KernelEmitter::valueIn(Payload &payload, Value original) {
  if (Value mapped = payload.map.lookupOrNull(original))
    return mapped;
  auto index = payload.indices.find(original);
  if (index == payload.indices.end())
    return uniform.lookup(original);
  math.setLanes(lanesHere(payload.state));
  Value value = index->second.isUniform() ? math.scalar(index->second)
                                          : math.vector(index->second);
  payload.map.map(original, value);
  return value;
}

/// A value of index type, with what is known of its lanes.
LaneIndex KernelEmitter::indexIn(Payload &payload, Value original) {
  auto index = payload.indices.find(original);
  if (index != payload.indices.end())
    return index->second;
  Value value = valueIn(payload, original);
  if (isa<VectorType>(value.getType()))
    return {{}, 0, 0, value};
  if (auto constant = getConstantIntValue(value))
    return {{}, *constant, 0, {}};
  return {value, 0, 0, {}};
}

/// Sums and multiples of loop indices stay evenly spaced across lanes, so that
/// what they address can be loaded as a vector.
bool KernelEmitter::emitIndexOp(Payload &payload, Operation *op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    payload.indices[index.getResult()] =
        axisValues(payload.state, payload.instance, false)[index.getDim()];
    return true;
  }
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex() ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  math.setLanes(lanesHere(payload.state));
  LaneIndex x = indexIn(payload, op->getOperand(0)),
            y = indexIn(payload, op->getOperand(1));
  LaneIndex result;
  if (isa<arith::AddIOp>(op))
    result = math.add(x, y);
  else if (isa<arith::SubIOp>(op))
    result = math.add(x, math.scale(y, -1));
  else if (y.isUniform())
    result = y.isConstant() ? math.scale(x, y.offset)
                            : math.scale(x, math.scalar(y));
  else if (x.isUniform())
    result = x.isConstant() ? math.scale(y, x.offset)
                            : math.scale(y, math.scalar(x));
  else
    return false;
  payload.indices[op->getResult(0)] = result;
  return true;
}

SmallVector<LaneIndex> KernelEmitter::indicesIn(Payload &payload,
                                                ValueRange original) {
  return llvm::map_to_vector(
      original, [&](Value index) { return indexIn(payload, index); });
}

static bool variesByLane(ArrayRef<LaneIndex> at) {
  return llvm::any_of(
      at, [](const LaneIndex &index) { return !index.isUniform(); });
}

/// krnl.scatter_load: what is in memory at a computed index.
Value KernelEmitter::emitScatterLoad(Payload &payload, ScatterLoadOp op) {
  OpState &state = payload.state;
  OpOperand &init = *state.op.getDpsInitOperand(op.getNumber());
  const Storage &slot = storage[chainRoot(state.op.getTiedOpResult(&init))];
  math.setLanes(lanesHere(state));
  SmallVector<LaneIndex> at =
      movedBy(indicesIn(payload, op.getAt()),
              indicesOf(state, init, payload.instance, slot.local));
  bool varies = variesByLane(at);
  Value mask = varies ? laneMask(state, payload.instance) : Value();
  return load(slot.memref, at, varies ? lanesHere(state) : 1, mask);
}

/// tensor.extract: one element, or one for each lane.
Value KernelEmitter::emitExtract(Payload &payload, Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  Value memref = storage[chainRoot(extract.getTensor())].memref;
  SmallVector<LaneIndex> at = indicesIn(payload, extract.getIndices());
  bool varies = variesByLane(at);
  Value mask = varies ? laneMask(payload.state, payload.instance) : Value();
  return loadUnlessEmpty(extract, memref, at,
                         varies ? lanesHere(payload.state) : 1, mask);
}

/// krnl.wrap_index: the error is noted, and what is read or written lies inside
/// all the same.
Value KernelEmitter::emitWrapIndex(Payload &payload, WrapIndexOp op) {
  Value index = valueIn(payload, op.getIndex()),
        size = valueIn(payload, op.getSize());
  int64_t lanes = 1;
  for (Value value : {index, size})
    if (auto type = dyn_cast<VectorType>(value.getType()))
      lanes = type.getNumElements();
  index = broadcast(index, lanes);
  size = broadcast(size, lanes);
  Value zero = broadcast(arith::ConstantIndexOp::create(b, 0), lanes),
        one = broadcast(arith::ConstantIndexOp::create(b, 1), lanes);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
  Value wrapped = arith::SelectOp::create(
      b, isNegative, arith::AddIOp::create(b, index, size), index);
  // Unsigned: also true for what lies before the beginning.
  Value isBad =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, wrapped, size);
  if (lanes > 1) {
    if (Value mask = laneMask(payload.state, payload.instance))
      isBad = arith::AndIOp::create(b, isBad, mask);
    isBad = vector::ReductionOp::create(b, vector::CombiningKind::OR, isBad);
  }
  // Only what is bad takes the time to be brought inside.
  auto inside = scf::IfOp::create(b, wrapped.getType(), isBad,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(inside.thenBlock());
  Value number = arith::ConstantIntOp::create(b, wrapNumbers.lookup(op), 32);
  memref::StoreOp::create(b, number, errorWord, ValueRange());
  Value last = arith::SubIOp::create(b, size, one);
  Value clamped =
      arith::MaxSIOp::create(b, arith::MinSIOp::create(b, wrapped, last), zero);
  scf::YieldOp::create(b, clamped);
  b.setInsertionPointToStart(inside.elseBlock());
  scf::YieldOp::create(b, wrapped);
  return inside.getResult(0);
}

/// Integer divisions trap on zero, also in lanes that nobody will look at.
static bool isTrapping(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

Value KernelEmitter::emitPayloadOp(Payload &payload, Operation *op) {
  OpState &state = payload.state;
  const Instance &instance = payload.instance;
  if (isa<tensor::ExtractOp>(op))
    return emitExtract(payload, op);
  if (auto wrap = dyn_cast<WrapIndexOp>(op))
    return emitWrapIndex(payload, wrap);
  if (auto current = dyn_cast<ScatterLoadOp>(op))
    return emitScatterLoad(payload, current);
  if (auto scatter = dyn_cast<ScatterStoreOp>(op))
    return valueIn(payload, scatter.getValue());
  SmallVector<Value> operands;
  int64_t lanes = 1;
  for (Value operand : op->getOperands()) {
    operands.push_back(valueIn(payload, operand));
    if (auto type = dyn_cast<VectorType>(operands.back().getType()))
      lanes = type.getNumElements();
  }
  OperationState made(b.getLoc(), op->getName());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // One condition for all lanes may stay a scalar.
    bool scalar = isa<arith::SelectOp>(op) && i == 0;
    operand = scalar ? operand : broadcast(operand, lanes);
  }
  if (lanes > 1 && isTrapping(op))
    if (Value mask = laneMask(state, instance)) {
      auto type = cast<VectorType>(operands[1].getType());
      Value one = arith::ConstantOp::create(
          b, DenseElementsAttr::get(
                 type, b.getIntegerAttr(type.getElementType(), 1)));
      operands[1] = arith::SelectOp::create(b, mask, operands[1], one);
    }
  made.addOperands(operands);
  for (Type type : op->getResultTypes())
    made.addTypes(lanes > 1 ? VectorType::get({lanes}, type) : type);
  made.addAttributes(op->getAttrs());
  Operation *copy = b.create(made);
  // A multiply-add is one operation, unless the model's order is to be kept.
  if (state.accumulates && !options.strict &&
      isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(copy))
    copy->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(
                      b.getContext(), arith::FastMathFlags::contract));
  return copy->getResult(0);
}

SmallVector<Value> KernelEmitter::emitPayload(OpState &state,
                                              const Instance &instance,
                                              ArrayRef<Value> args) {
  Payload payload{state, instance, IRMapping(), DenseMap<Value, LaneIndex>()};
  Block *body = state.op.getBlock();
  for (auto [arg, value] : llvm::zip(body->getArguments(), args))
    if (value)
      payload.map.map(arg, value);
  for (Operation &op : body->without_terminator())
    if (!emitIndexOp(payload, &op))
      payload.map.map(op.getResult(0), emitPayloadOp(payload, &op));
  SmallVector<Value> results;
  state.scatterOffsets.assign(body->getTerminator()->getNumOperands(), {});
  for (auto [i, value] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    results.push_back(valueIn(payload, value));
    if (ScatterStoreOp scatter = scatterStoreOf(state.op, i))
      state.scatterOffsets[i] = indicesIn(payload, scatter.getAt());
  }
  return results;
}

} // namespace onnxc::krnl
