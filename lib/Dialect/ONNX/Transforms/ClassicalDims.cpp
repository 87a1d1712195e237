//===- ClassicalDims.cpp - Sizes of operators without inference *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operators of ai.onnx.ml, and others, whose schemas bring no inference
// function, or one that says nothing of sizes.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;

/// One row per row of `input`; a vector is one row.
static AffineExpr rowsOf(RuleNode &node, Value input) {
  std::optional<Exprs> dims = node.dims(input);
  if (!dims || dims->empty())
    return {};
  return dims->size() == 1 ? node.constantExpr(1) : dims->front();
}

static void inferSameShape(RuleNode &node, Value input) {
  if (std::optional<Exprs> dims = node.dims(input))
    node.setDims(0, *dims);
}

/// regressor(x[n, c]) -> [n, columns]
static void inferRegressor(RuleNode &node, Value input, int64_t columns) {
  if (AffineExpr rows = rowsOf(node, input))
    node.setDims(0, {rows, node.constantExpr(columns)});
}

/// feature_vectorizer(x[n, a], y[n, b]) {inputdimensions = [a, b]} -> [n, a +
/// b]
static void inferFeatures(RuleNode &node, MlFeatureVectorizerOp op) {
  std::optional<ArrayRef<int64_t>> sizes = op.getInputdimensions();
  if (op.getX().empty() || !sizes)
    return;
  int64_t columns = 0;
  for (int64_t size : *sizes)
    columns += size;
  inferRegressor(node, op.getX().front(), columns);
}

/// classifier(x[n, c]) {classlabels = [a, b]} -> [n], [n, 2]
static void inferClassifier(RuleNode &node, MlTreeEnsembleClassifierOp op) {
  AffineExpr rows = rowsOf(node, op.getX());
  if (!rows)
    return;
  size_t labels = 0;
  if (std::optional<ArrayRef<int64_t>> ints = op.getClasslabelsInt64s())
    labels = ints->size();
  if (std::optional<ArrayAttr> strings = op.getClasslabelsStrings())
    labels = std::max(labels, strings->size());
  node.setDims(0, {rows});
  node.setDims(1, {rows, labels ? node.constantExpr(labels) : AffineExpr()});
}

void onnxc::onnx::inferClassicalDims(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case<MlImputerOp, MlNormalizerOp, MlScalerOp, GroupNormalizationOp>(
          [&](auto op) { inferSameShape(node, op.getX()); })
      .Case([&](MlLinearRegressorOp op) {
        inferRegressor(node, op.getX(), op.getTargets());
      })
      .Case([&](MlSVMRegressorOp op) { inferRegressor(node, op.getX(), 1); })
      .Case([&](MlTreeEnsembleRegressorOp op) {
        inferRegressor(node, op.getX(), op.getNTargets().value_or(1));
      })
      .Case([&](MlTreeEnsembleClassifierOp op) { inferClassifier(node, op); })
      .Case([&](MlFeatureVectorizerOp op) { inferFeatures(node, op); });
}
