//===- CustomOp.cpp - Operators of the user's libraries --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

/// The effects of an operator that is not pure are unknown: it is neither moved
/// nor removed nor repeated.
void CustomOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability CustomOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

static LogicalResult verifySlots(CustomOp op, StringRef name,
                                 ArrayRef<bool> slots, size_t values) {
  size_t present = llvm::count(slots, true);
  if (present == values)
    return success();
  return op.emitOpError("has ")
         << values << " values for the " << present << " present " << name;
}

LogicalResult CustomOp::verify() {
  if (getDomain().empty() || getOpType().empty() || getLibrary().empty())
    return emitOpError("expects a domain, an operator and a library");
  if (getVersion() < 1)
    return emitOpError("expects a version of at least 1, but got ")
           << getVersion();
  if (failed(verifySlots(*this, "inputs", getInputSlots(), getValues().size())))
    return failure();
  return verifySlots(*this, "outputs", getOutputSlots(), getNumResults());
}

template <typename Range>
static SmallVector<Value> bySlot(ArrayRef<bool> slots, Range present) {
  SmallVector<Value> values;
  auto next = present.begin();
  for (bool isPresent : slots)
    values.push_back(isPresent ? Value(*next++) : Value());
  return values;
}

SmallVector<Value> CustomOp::getInputs() {
  return bySlot(getInputSlots(), getValues());
}

SmallVector<Value> CustomOp::getOutputs() {
  return bySlot(getOutputSlots(), getResults());
}

std::string CustomOp::getOperatorName() {
  return (getDomain() + "." + getOpType()).str();
}
