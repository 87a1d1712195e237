//===- OpBuilder.cpp - The builder of all operations -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace onnxc::onnx;

/// Appends the non-null ones of `values` to `present`; returns the number of
/// values of each parameter.
template <typename Range, typename T>
static SmallVector<int32_t> distribute(ArrayRef<OpParameter> parameters,
                                       const Range &values,
                                       SmallVectorImpl<T> &present) {
  SmallVector<int32_t> sizes(parameters.size(), 0);
  for (auto [position, value] : llvm::enumerate(values)) {
    if (!value)
      continue;
    present.push_back(value);
    if (!parameters.empty())
      ++sizes[std::min(position, parameters.size() - 1)];
  }
  return sizes;
}

static bool needsSegments(ArrayRef<OpParameter> parameters) {
  return llvm::count_if(parameters, [](const OpParameter &parameter) {
           return parameter.kind != ParameterKind::Single;
         }) > 1;
}

static void addSegments(OperationState &state, StringRef name,
                        ArrayRef<OpParameter> parameters,
                        ArrayRef<int32_t> sizes) {
  if (needsSegments(parameters) && !state.attributes.get(name))
    state.addAttribute(name, DenseI32ArrayAttr::get(state.getContext(), sizes));
}

static void addRegions(OperationState &state) {
  const OpSignature *signature = OpSignature::find(state.name.getStringRef());
  for (unsigned i = 0; i < signature->numGraphs; ++i)
    state.addRegion();
}

void onnxc::onnx::buildBySignature(OperationState &state, TypeRange resultTypes,
                                   ValueRange operands,
                                   ArrayRef<NamedAttribute> attributes) {
  const OpSignature *signature = OpSignature::find(state.name.getStringRef());
  assert(signature && "an operation of the table");
  state.addAttributes(attributes);
  SmallVector<Value> values;
  SmallVector<int32_t> sizes =
      distribute(signature->getInputs(), operands, values);
  state.addOperands(values);
  addSegments(state, "operandSegmentSizes", signature->getInputs(), sizes);
  SmallVector<Type> types;
  sizes = distribute(signature->getOutputs(), resultTypes, types);
  state.addTypes(types);
  addSegments(state, "resultSegmentSizes", signature->getOutputs(), sizes);
  addRegions(state);
}

void onnxc::onnx::buildAsGiven(OperationState &state, TypeRange resultTypes,
                               ValueRange operands,
                               ArrayRef<NamedAttribute> discardable) {
  state.addOperands(operands);
  state.addTypes(resultTypes);
  state.addAttributes(discardable);
  addRegions(state);
}
