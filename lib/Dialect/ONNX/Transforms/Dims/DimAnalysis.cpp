//===- DimAnalysis.cpp - Types and dimensions of a whole model -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

#include "DimVisitor.h"
#include "onnxc/Dialect/ONNX/IR/OperandNotes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc::onnx;

DimAnalysis::DimAnalysis(Operation *root, bool warns)
    : space(root->getContext()) {
  DimVisitor visitor(*this, warns);
  if (auto function = dyn_cast<func::FuncOp>(root)) {
    visitor.visitFunction(function);
    return;
  }
  root->walk([&](func::FuncOp function) { visitor.visitFunction(function); });
}

LogicalResult DimAnalysis::reportRejected() const {
  for (const Rejection &rejection : rejected)
    if (auto custom = dyn_cast<CustomOp>(rejection.op))
      custom.emitError("operator ")
          << custom.getOperatorName() << ": " << rejection.reason;
    else {
      InFlightDiagnostic error = rejection.op->emitOpError();
      error << rejection.reason;
      if (rejection.isShape)
        noteOperands(error, rejection.op,
                     [&](Value value) { return type(value); });
    }
  return success(rejected.empty());
}

const ValueInfo &DimAnalysis::info(Value value) {
  auto [entry, isNew] = values.try_emplace(value);
  if (!isNew)
    return entry->second;
  entry->second.type = value.getType();
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t i = 0; tensor && i < tensor.getRank(); ++i)
    entry->second.dims.push_back(tensor.isDynamicDim(i)
                                     ? space.result(value, i)
                                     : space.constant(tensor.getDimSize(i)));
  return entry->second;
}

AffineExpr DimAnalysis::dim(Value value, unsigned dim) {
  return info(value).dims[dim];
}

std::optional<int64_t> DimAnalysis::constantDim(Value value, unsigned index) {
  return constantValue(dim(value, index));
}

bool DimAnalysis::areEqual(Value a, unsigned aDim, Value b, unsigned bDim) {
  return dim(a, aDim) == dim(b, bDim);
}

bool DimAnalysis::haveSameShape(Value a, Value b) {
  // Not by reference: the second call may move the result of the first one.
  SmallVector<AffineExpr, 4> left = info(a).dims;
  return isa<RankedTensorType>(type(a)) && isa<RankedTensorType>(type(b)) &&
         left == info(b).dims;
}

std::optional<SmallVector<int64_t>> DimAnalysis::constantContents(Value value) {
  const ValueInfo &known = info(value);
  if (!known.contents)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (AffineExpr element : *known.contents) {
    std::optional<int64_t> number = constantValue(element);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

SmallVector<std::string> DimAnalysis::texts(Value tensor) {
  return llvm::map_to_vector(info(tensor).dims,
                             [&](AffineExpr dim) { return space.text(dim); });
}

//===----------------------------------------------------------------------===//
// ValueFacts
//===----------------------------------------------------------------------===//

Type DimAnalysis::type(Value value) const {
  auto found = values.find(value);
  return found == values.end() ? value.getType() : found->second.type;
}

std::string DimAnalysis::dimSymbol(Value value, unsigned dim) const {
  auto found = values.find(value);
  if (found == values.end() || dim >= found->second.dims.size())
    return {};
  return space.text(found->second.dims[dim]);
}

bool DimAnalysis::contents(
    Value value, SmallVectorImpl<schema::SymbolicInt> &elements) const {
  auto found = values.find(value);
  if (found == values.end() || !found->second.contents)
    return false;
  for (AffineExpr element : *found->second.contents) {
    schema::SymbolicInt known;
    known.constant = constantValue(element);
    if (!known.constant && element && space.isNonNegative(element))
      known.symbol = space.text(element);
    elements.push_back(std::move(known));
  }
  return true;
}
