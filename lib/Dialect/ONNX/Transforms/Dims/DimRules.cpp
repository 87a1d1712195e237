//===- DimRules.cpp - Utilities of dimension rules -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using namespace onnxc::onnx;

std::optional<RuleNode::Exprs> RuleNode::dims(Value value) const {
  if (!value || !isa<RankedTensorType>(analysis.type(value)))
    return std::nullopt;
  return analysis.info(value).dims;
}

std::optional<int64_t> RuleNode::rank(Value value) const {
  std::optional<Exprs> known = dims(value);
  if (!known)
    return std::nullopt;
  return known->size();
}

std::optional<SmallVector<AffineExpr>> RuleNode::contents(Value value) const {
  if (!value)
    return std::nullopt;
  return analysis.info(value).contents;
}

std::optional<SmallVector<AffineExpr>> RuleNode::elements(Value value) const {
  auto type = value ? dyn_cast<RankedTensorType>(analysis.type(value))
                    : RankedTensorType();
  if (!type || !type.getElementType().isInteger() || type.getRank() > 1 ||
      !type.hasStaticShape() || type.getNumElements() > maxContents)
    return std::nullopt;
  SmallVector<AffineExpr> known =
      contents(value).value_or(SmallVector<AffineExpr>(type.getNumElements()));
  for (auto [index, element] : llvm::enumerate(known))
    if (!element)
      element = space.element(value, index);
  return known;
}

std::optional<SmallVector<int64_t>> RuleNode::constants(Value value) const {
  if (!value)
    return std::nullopt;
  if (auto known = analysis.constantContents(value))
    return known;
  return constantInts(value);
}

std::optional<int64_t> RuleNode::constant(Value value) const {
  std::optional<SmallVector<int64_t>> all = constants(value);
  if (!all || all->size() != 1)
    return std::nullopt;
  return all->front();
}

std::optional<SmallVector<double>> RuleNode::floats(Value value) const {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  Attribute attr = constant ? constant->getAttr("value") : Attribute();
  auto typed = dyn_cast_or_null<TypedAttr>(attr);
  auto type =
      typed ? dyn_cast<RankedTensorType>(typed.getType()) : RankedTensorType();
  if (!type || !type.getElementType().isF32() ||
      type.getNumElements() > maxContents)
    return std::nullopt;
  SmallVector<char> scratch;
  ArrayRef<char> bytes = constantBytes(attr, scratch);
  SmallVector<double> result;
  for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    float element;
    memcpy(&element, bytes.data() + at, sizeof(float));
    result.push_back(element);
  }
  return result;
}
