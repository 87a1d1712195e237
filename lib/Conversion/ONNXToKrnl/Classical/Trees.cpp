//===- Trees.cpp - The operators for ensembles of trees ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Makes the results of TreeEnsemble, TreeEnsembleClassifier and
// TreeEnsembleRegressor from the scores of their trees.
//===----------------------------------------------------------------------===//

#include "Trees.h"
#include "ReadTrees.h"

#include "Elementwise/Elementwise.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"

using namespace mlir;

namespace onnxc {
namespace {

using Ints = ArrayRef<int64_t>;

/// Features as f32, or f64 if they are; null if they are no rows.
Value rowsOf(GraphBuilder &graph, Value x) {
  x = graph.features(x);
  bool isReal = x && !GraphBuilder::typeOf(x).getElementType().isF64();
  return isReal ? graph.cast(x, graph.rewriter.getF32Type()) : x;
}

/// scores + base values, one for each target or one for all.
Value addBase(GraphBuilder &graph, Value scores, ArrayRef<double> base) {
  if (base.empty())
    return scores;
  Type element = GraphBuilder::typeOf(scores).getElementType();
  SmallVector<Attribute> values;
  for (double value : base)
    values.push_back(graph.rewriter.getFloatAttr(element, value));
  Value constant = graph.constant(DenseElementsAttr::get(
      graph.tensor(element, int64_t(base.size())), values));
  return graph.map<onnx::AddOp>(scores, constant);
}

/// Sets `scores` to the sum of the trees and the base, in f32. Returns the
/// error in them, or an empty string.
std::string scoresOf(GraphBuilder &graph, Value x, const TreeModel &model,
                     ArrayRef<double> base, Value &scores) {
  TreeTables tables;
  if (std::string wrong = tables.build(model); !wrong.empty())
    return wrong;
  if (base.size() > 1 && int64_t(base.size()) != model.targets)
    return "there are as many base values as neither one nor scores";
  scores = addBase(graph, evaluateTrees(graph, x, model, tables), base);
  scores = graph.cast(scores, graph.rewriter.getF32Type());
  return "";
}

//===----------------------------------------------------------------------===//
// TreeEnsembleRegressor
//===----------------------------------------------------------------------===//

Lowered lowerRegressor(onnx::MlTreeEnsembleRegressorOp op,
                       onnx::MlTreeEnsembleRegressorOp::Adaptor,
                       ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Value x = rowsOf(graph, op.getX());
  auto transform = postTransformOf(op.getPostTransform());
  auto aggregate = aggregateOf(op.getAggregateFunction());
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  if (!aggregate)
    return rewriter.notifyMatchFailure(
        op, "aggregate_function is none of SUM, AVERAGE, MIN and MAX");
  TreeModel model;
  model.isDouble = GraphBuilder::typeOf(x).getElementType().isF64();
  model.aggregate = *aggregate;
  model.targets = op.getNTargets().value_or(1);
  NamedNodes nodes(op);
  std::string wrong = nodes.read(model);
  if (wrong.empty())
    wrong = nodes.readVotes(
        intsOf(op.getTargetTreeids()), intsOf(op.getTargetNodeids()),
        intsOf(op.getTargetIds()),
        realsOf(op.getTargetWeights(), op.getTargetWeightsAsTensorAttr()),
        model);
  std::vector<double> base =
      realsOf(op.getBaseValues(), op.getBaseValuesAsTensorAttr());
  Value scores;
  if (wrong.empty())
    wrong = scoresOf(graph, x, model, base, scores);
  if (!wrong.empty())
    return rewriter.notifyMatchFailure(op, wrong);
  graph.replace(op, transformScores(graph, scores, *transform));
  return success();
}

//===----------------------------------------------------------------------===//
// TreeEnsembleClassifier
//===----------------------------------------------------------------------===//

/// Facts about the votes for a single class.
struct Votes {
  bool allPositive;
  bool forSecond;
};

/// Votes for the second of two classes are its score: [0, s]. Votes for the
/// first mean the second as well; if they cannot be negative they are
/// probabilities, [1 - s, s], unless a logistic function makes some of them.
/// Others are [-s, s]. The transform applies to scores that are no
/// probabilities.
LogicalResult finishBinary(GraphBuilder &graph, Operation *op, Value score,
                           PostTransform transform, const ClassLabels &labels,
                           Votes votes) {
  OpBuilder &b = graph.rewriter;
  Type f32 = b.getF32Type();
  int64_t n = GraphBuilder::shapeOf(score)[0];
  bool hasTwo = labels.size() == 2;
  Value threshold = graph.scalar(hasTwo && votes.allPositive ? 0.5 : 0, f32);
  Value isSecond =
      graph.make<onnx::GreaterOp>(b.getI1Type(), {n, 1}, {score, threshold});
  Value index = graph.reshape(graph.convert(isSecond, b.getI64Type()), {-1}, n);
  if (!hasTwo) {
    Value label =
        labels.texts.empty()
            ? index
            : graph.pick(graph.strings({"", labels.texts[0]}, 2), index);
    graph.replace(op, {label, transformScores(graph, score, transform)});
    return success();
  }
  Value both = graph.pairs(score, votes.forSecond ? 0 : -1);
  if (votes.allPositive && !votes.forSecond &&
      transform != PostTransform::Logistic) {
    both = graph.map<onnx::AddOp>(both, graph.floats({1, 0}, {1, 2}));
    transform = PostTransform::None;
  }
  graph.replace(
      op, {labels.of(graph, index), transformScores(graph, both, transform)});
  return success();
}

/// Two classes of which only one is voted for have one score.
bool hasOneScore(onnx::MlTreeEnsembleClassifierOp op,
                 const ClassLabels &labels) {
  return labels.size() <= 2 && llvm::all_equal(intsOf(op.getClassIds()));
}

/// Reads the trees, and their votes for one score or for those of `labels`,
/// into `model`. Returns the error in them, or an empty string.
std::string readClassifier(onnx::MlTreeEnsembleClassifierOp op,
                           const ClassLabels &labels, TreeModel &model) {
  NamedNodes nodes(op);
  std::string wrong = nodes.read(model);
  if (wrong.empty())
    wrong = nodes.readVotes(
        intsOf(op.getClassTreeids()), intsOf(op.getClassNodeids()),
        intsOf(op.getClassIds()),
        realsOf(op.getClassWeights(), op.getClassWeightsAsTensorAttr()), model);
  model.targets = hasOneScore(op, labels) ? 1 : int64_t(labels.size());
  if (hasOneScore(op, labels))
    for (LeafWeight &weight : model.weights)
      weight.target = 0;
  return wrong;
}

/// Facts about the votes for a single class.
Votes votesOf(onnx::MlTreeEnsembleClassifierOp op, const TreeModel &model) {
  Ints classes = intsOf(op.getClassIds());
  bool allPositive = llvm::all_of(
      model.weights, [](const LeafWeight &leaf) { return leaf.weight >= 0; });
  return {allPositive, !classes.empty() && classes[0] == 1};
}

Lowered lowerClassifier(onnx::MlTreeEnsembleClassifierOp op,
                        onnx::MlTreeEnsembleClassifierOp::Adaptor,
                        ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Value x = rowsOf(graph, op.getX());
  auto transform = postTransformOf(op.getPostTransform());
  ClassLabels labels(op.getClasslabelsInt64s(), op.getClasslabelsStrings());
  if (!x || labels.size() == 0)
    return rewriter.notifyMatchFailure(op,
                                       "expects rows of features, and labels");
  if (!transform)
    return rewriter.notifyMatchFailure(op, unknownPostTransform);
  TreeModel model;
  model.isDouble = GraphBuilder::typeOf(x).getElementType().isF64();
  std::string wrong = readClassifier(op, labels, model);
  std::vector<double> base =
      realsOf(op.getBaseValues(), op.getBaseValuesAsTensorAttr());
  // Two base values of a single score: that of the class voted for counts.
  bool isBinary = hasOneScore(op, labels);
  if (isBinary && base.size() == 2)
    base = {base[1]};
  Value scores;
  if (wrong.empty())
    wrong = scoresOf(graph, x, model, base, scores);
  if (!wrong.empty())
    return rewriter.notifyMatchFailure(op, wrong);
  if (isBinary)
    return finishBinary(graph, op, scores, *transform, labels,
                        votesOf(op, model));
  graph.replace(op, {labels.of(graph, largestOfRows(graph, scores)),
                     transformScores(graph, scores, *transform)});
  return success();
}

//===----------------------------------------------------------------------===//
// TreeEnsemble
//===----------------------------------------------------------------------===//

Lowered lowerEnsemble(onnx::MlTreeEnsembleOp op,
                      onnx::MlTreeEnsembleOp::Adaptor,
                      ConversionPatternRewriter &rewriter) {
  GraphBuilder graph(rewriter, op.getLoc());
  Value x = rowsOf(graph, op.getX());
  constexpr PostTransform transforms[] = {
      PostTransform::None, PostTransform::Softmax, PostTransform::Logistic,
      PostTransform::SoftmaxZero, PostTransform::Probit};
  uint64_t transform = op.getPostTransform(),
           aggregate = op.getAggregateFunction();
  if (!x)
    return rewriter.notifyMatchFailure(op, "expects rows of features");
  if (transform >= std::size(transforms))
    return rewriter.notifyMatchFailure(op, "post_transform is not 0 to 4");
  if (aggregate > 3)
    return rewriter.notifyMatchFailure(op, "aggregate_function is not 0 to 3");
  TreeModel model;
  model.isDouble = GraphBuilder::typeOf(x).getElementType().isF64();
  model.aggregate = Aggregate(aggregate);
  model.targets = op.getNTargets().value_or(1);
  std::string wrong = readEnsemble(op, model);
  TreeTables tables;
  if (wrong.empty())
    wrong = tables.build(model);
  if (!wrong.empty())
    return rewriter.notifyMatchFailure(op, wrong);
  Value scores = evaluateTrees(graph, x, model, tables);
  Type f32 = rewriter.getF32Type();
  if (transforms[transform] != PostTransform::None)
    scores =
        transformScores(graph, graph.cast(scores, f32), transforms[transform]);
  graph.replace(op, graph.cast(scores, getElementTypeOrSelf(op->getResult(0))));
  return success();
}

} // namespace

void populateONNXToKrnlTreesPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerClassifier, lowerEnsemble,
               lowerRegressor);
}

} // namespace onnxc
