//===- LinearModels.cpp - LinearClassifier and LinearRegressor --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A matrix product, the intercepts, and the transformation of the scores.
//===----------------------------------------------------------------------===//

#include "Builders/GraphBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"

using namespace mlir;

namespace onnxc {
namespace {

/// x * transpose(coefficients) + intercepts for `outputs` rows of coefficients,
/// f32 [n, outputs]: computed in f64 if the features are of that type. Null if
/// the numbers do not fit together.
Value linearScores(GraphBuilder &graph, Value x, ArrayRef<float> coefficients,
                   ArrayRef<float> intercepts, int64_t outputs) {
  int64_t count = int64_t(coefficients.size());
  if (outputs < 1 || count == 0 || count % outputs ||
      (!intercepts.empty() && int64_t(intercepts.size()) != outputs))
    return {};
  int64_t features = count / outputs, known = GraphBuilder::shapeOf(x)[1];
  if (!ShapedType::isDynamic(known) && known != features)
    return {};
  Type f32 = graph.rewriter.getF32Type();
  Type real = GraphBuilder::typeOf(x).getElementType();
  real = real.isF64() ? real : f32;
  SmallVector<float> transposed(count);
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t f = 0; f < features; ++f)
      transposed[f * outputs + o] = coefficients[o * features + f];
  SmallVector<Value> operands{
      graph.cast(x, real), graph.reals(transposed, {features, outputs}, real)};
  if (!intercepts.empty())
    operands.push_back(graph.reals(intercepts, outputs, real));
  Value scores = graph.make<onnx::GemmOp>(
      real, {GraphBuilder::shapeOf(x)[0], outputs}, operands);
  return graph.cast(scores, f32);
}

Lowered lowerRegressor(onnx::MlLinearRegressorOp op,
                       onnx::MlLinearRegressorOp::Adaptor,
                       ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Value x = graph.features(op.getX());
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  auto transform = postTransformOf(op.getPostTransform());
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  Value scores = linearScores(
      graph, x, op.getCoefficients().value_or(ArrayRef<float>()),
      op.getIntercepts().value_or(ArrayRef<float>()), op.getTargets());
  if (!scores)
    return rewriter.notifyMatchFailure(
        op, "the numbers of coefficients, intercepts, targets and features "
            "do not fit together");
  graph.replace(op, transformScores(graph, scores, *transform));
  return success();
}

/// The only label where the score reaches half of its maximum, else 0 or an
/// empty string.
Value singleLabel(GraphBuilder &graph, Value scores, PostTransform transform,
                  const ClassLabels &labels) {
  Type f32 = graph.rewriter.getF32Type();
  int64_t n = GraphBuilder::shapeOf(scores)[0];
  Value last = transformScores(graph, scores, transform);
  float threshold = transform == PostTransform::None ? 0.0f : 0.5f;
  Value reached = graph.make<onnx::GreaterOrEqualOp>(
      graph.rewriter.getI1Type(), {n, 1}, {last, graph.scalar(threshold, f32)});
  Value index = graph.reshape(
      graph.convert(reached, graph.rewriter.getI64Type()), {-1}, n);
  if (!labels.texts.empty())
    return graph.pick(graph.strings({"", labels.texts[0]}, 2), index);
  int64_t label = labels.ints.empty() ? 1 : labels.ints[0];
  return graph.pick(graph.ints({0, label}, 2), index);
}

Lowered lowerClassifier(onnx::MlLinearClassifierOp op,
                        onnx::MlLinearClassifierOp::Adaptor,
                        ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Value x = graph.features(op.getX());
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  auto transform = postTransformOf(op.getPostTransform());
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  ClassLabels labels(op.getClasslabelsInts(), op.getClasslabelsStrings());
  ArrayRef<float> intercepts = op.getIntercepts().value_or(ArrayRef<float>());
  int64_t outputs =
      intercepts.empty() ? int64_t(labels.size()) : int64_t(intercepts.size());
  Value scores = linearScores(graph, x, op.getCoefficients(), intercepts,
                              std::max<int64_t>(outputs, 1));
  if (!scores)
    return rewriter.notifyMatchFailure(
        op, "the numbers of coefficients, intercepts, labels and features "
            "do not fit together");
  bool isSingle = outputs <= 1;
  if (isSingle && labels.size() == 2) {
    scores = graph.pairs(scores);
    isSingle = false;
  }
  if (!isSingle && labels.size() != 0 &&
      int64_t(labels.size()) != GraphBuilder::shapeOf(scores)[1])
    return rewriter.notifyMatchFailure(op, "a score has no label");
  // The largest before the transform: rounded ones may be equal.
  Value label = isSingle ? singleLabel(graph, scores, *transform, labels)
                         : labels.of(graph, largestOfRows(graph, scores));
  graph.replace(op, {label, transformScores(graph, scores, *transform)});
  return success();
}

} // namespace

void populateONNXToKrnlLinearModelsPatterns(TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerClassifier, lowerRegressor);
}

} // namespace onnxc
