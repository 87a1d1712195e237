//===- EmitPayload.cpp - The body of an op on scalars or vectors *- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

Value KernelEmitter::broadcast(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

/// tensor.extract: one element, or one for each lane.
Value KernelEmitter::emitExtract(OpState &state, Operation *op, IRMapping &map,
                                 const Copies &copies) {
  auto extract = cast<tensor::ExtractOp>(op);
  Value memref = storage[chainRoot(extract.getTensor())].memref;
  SmallVector<LaneIndex> at;
  bool varies = false;
  for (Value index : extract.getIndices()) {
    Value mapped = map.lookupOrDefault(index);
    if (uniform.contains(index))
      mapped = uniform.lookup(index);
    if (isa<VectorType>(mapped.getType())) {
      at.push_back({{}, 0, 0, mapped});
      varies = true;
    } else {
      at.push_back({mapped, 0, 0, {}});
    }
  }
  Value mask = varies ? laneMask(state, copies) : Value();
  return load(memref, at, varies ? lanesHere(state) : 1, mask);
}

/// Integer divisions trap on zero, also in lanes that nobody will look at.
static bool isTrapping(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

Value KernelEmitter::emitPayloadOp(OpState &state, const Copies &copies,
                                   Operation *op, IRMapping &map) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    LaneIndex at = axisValues(state, copies, false)[index.getDim()];
    return at.isUniform() ? math.scalar(at) : math.vector(at);
  }
  if (isa<tensor::ExtractOp>(op))
    return emitExtract(state, op, map, copies);
  SmallVector<Value> operands;
  int64_t lanes = 1;
  for (Value operand : op->getOperands()) {
    Value mapped = map.lookupOrNull(operand);
    operands.push_back(mapped ? mapped : uniform.lookup(operand));
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
    if (Value mask = laneMask(state, copies)) {
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
                                              const Copies &copies,
                                              ArrayRef<Value> args) {
  IRMapping map;
  Block *body = state.op.getBlock();
  for (auto [arg, value] : llvm::zip(body->getArguments(), args))
    if (value)
      map.map(arg, value);
  for (Operation &op : body->without_terminator())
    map.map(op.getResult(0), emitPayloadOp(state, copies, &op, map));
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands()) {
    Value mapped = map.lookupOrNull(value);
    results.push_back(mapped ? mapped : uniform.lookup(value));
  }
  return results;
}

} // namespace onnxc::krnl
