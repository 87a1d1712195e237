//===- ClassicalDims.cpp - Sizes of operators without inference *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operators of ai.onnx.ml, and others, whose schemas have no inference
// function, or one without sizes.
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

/// svm_classifier(x[n, c]) {classlabels = [a, b, c]} -> [n], [n, 3]: a column
/// for each pair of classes, of which there are as many here, or for each
/// class. A single pair has two columns.
static void inferSupportVectors(RuleNode &node, MlSVMClassifierOp op) {
  AffineExpr rows = rowsOf(node, op.getX());
  if (!rows)
    return;
  int64_t labels = 1;
  if (std::optional<ArrayRef<int64_t>> ints = op.getClasslabelsInts())
    labels = std::max<int64_t>(labels, ints->size());
  if (std::optional<ArrayAttr> strings = op.getClasslabelsStrings())
    labels = std::max<int64_t>(labels, strings->size());
  bool isPairwise =
      op.getVectorsPerClass() && !op.getVectorsPerClass()->empty();
  bool hasEstimates = op.getProbA() && !op.getProbA()->empty();
  int64_t columns = isPairwise && !hasEstimates && labels > 2
                        ? labels * (labels - 1) / 2
                        : labels;
  node.setDims(0, {rows});
  node.setDims(1, {rows, node.constantExpr(columns)});
}

/// array_feature_extractor(x[n, c], y[k]) -> [n, k]
static void inferExtractor(RuleNode &node, MlArrayFeatureExtractorOp op) {
  std::optional<Exprs> dims = node.dims(op.getX()),
                       which = node.dims(op.getY());
  if (!dims || !which || dims->empty())
    return;
  if (dims->size() == 1)
    dims->insert(dims->begin(), node.constantExpr(1));
  dims->back() = AffineExpr();
  llvm::erase(*which, node.constantExpr(1));
  if (which->size() <= 1)
    dims->back() = which->empty() ? node.constantExpr(1) : which->front();
  node.setDims(0, *dims);
}

/// cast_map(m) -> [1, the length of the map], or {map_form = "SPARSE",
/// max_map = n} -> [1, n]
static void inferCastMap(RuleNode &node, MlCastMapOp op) {
  bool isSparse = op.getMapForm() == "SPARSE" && op.getMaxMap() >= 0;
  node.setDims(0,
               {node.constantExpr(1),
                isSparse ? node.constantExpr(op.getMaxMap()) : AffineExpr()});
}

/// dict_vectorizer(m) {vocabulary = [a, b, c]} -> [1, 3]
static void inferDictVectorizer(RuleNode &node, MlDictVectorizerOp op) {
  size_t words = 0;
  if (std::optional<ArrayRef<int64_t>> ints = op.getInt64Vocabulary())
    words = ints->size();
  if (std::optional<ArrayAttr> strings = op.getStringVocabulary())
    words = std::max(words, strings->size());
  node.setDims(0, {node.constantExpr(1), node.constantExpr(words)});
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
      .Case([&](MlSVMClassifierOp op) { inferSupportVectors(node, op); })
      .Case([&](MlArrayFeatureExtractorOp op) { inferExtractor(node, op); })
      .Case([&](MlFeatureVectorizerOp op) { inferFeatures(node, op); })
      .Case([&](MlCastMapOp op) { inferCastMap(node, op); })
      .Case([&](MlDictVectorizerOp op) { inferDictVectorizer(node, op); });
}
