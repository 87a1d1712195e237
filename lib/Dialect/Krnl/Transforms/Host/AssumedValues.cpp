//===- AssumedValues.cpp - Host scalars for assumed sizes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/AssumedValues.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

static bool isScalar(Value value) {
  return value.getType().isIntOrIndexOrFloat();
}

/// Returns true if the value is computed from scalars alone.
static bool isArithmetic(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isScalar(value) && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), isScalar);
}

static Attribute usualValue(Type type) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, 1);
  return IntegerAttr::get(type, type.isInteger(1) ? 0 : usualSize);
}

/// Folds the op that computes the result from those of its operands.
AssumedValues::Assumed AssumedValues::evaluate(OpResult result) {
  Operation *op = result.getOwner();
  SmallVector<Attribute> operands;
  bool isOfSizes = true;
  for (Value operand : op->getOperands()) {
    Assumed its = values.lookup(operand);
    operands.push_back(its.value);
    isOfSizes &= its.isOfSizes;
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.empty())
    return {usualValue(result.getType())};
  OpFoldResult its = folded[result.getResultNumber()];
  Attribute value = dyn_cast<Attribute>(its);
  if (!value)
    value = values.lookup(cast<Value>(its)).value;
  if (!value)
    return {usualValue(result.getType())};
  return {value, isOfSizes};
}

const AssumedValues::Assumed &AssumedValues::find(Value value) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.back();
    size_t before = worklist.size();
    bool isComputed = isArithmetic(next);
    if (isComputed && !values.contains(next))
      for (Value operand : next.getDefiningOp()->getOperands())
        if (!values.contains(operand))
          worklist.push_back(operand);
    // Operands come first.
    if (worklist.size() != before)
      continue;
    worklist.pop_back();
    if (values.contains(next))
      continue;
    bool isSize = isa_and_nonnull<ShapedDimOpInterface>(next.getDefiningOp());
    values[next] = isComputed ? evaluate(cast<OpResult>(next))
                              : Assumed{usualValue(next.getType()), isSize};
  }
  return values[value];
}

static int64_t numberOf(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number ? number.getInt() : usualSize;
}

int64_t AssumedValues::of(Value integer) {
  return numberOf(find(integer).value);
}

std::optional<int64_t> AssumedValues::ofSizes(Value integer) {
  const Assumed &found = find(integer);
  if (!found.isOfSizes)
    return std::nullopt;
  return numberOf(found.value);
}
