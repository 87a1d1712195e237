//===- Trees.cpp - The operators for ensembles of trees ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads what TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor say
// into a TreeModel, and makes their results of the scores.
//===----------------------------------------------------------------------===//

#include "Trees.h"

#include "onnxc/Conversion/ONNXToKrnl/Elementwise.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Strings.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

using namespace mlir;

namespace onnxc {
namespace {

//===----------------------------------------------------------------------===//
// Numbers of attributes
//===----------------------------------------------------------------------===//

using Ints = ArrayRef<int64_t>;

Ints intsOf(std::optional<Ints> attribute) {
  return attribute.value_or(Ints());
}

/// The elements of a tensor attribute of floats.
std::vector<double> tensorReals(Attribute attribute) {
  std::vector<double> values;
  auto typed = dyn_cast_or_null<TypedAttr>(attribute);
  auto type = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!type || !isa<FloatType>(type.getElementType()))
    return values;
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(attribute, scratch);
  if (bytes.empty())
    return values;
  auto dense = DenseElementsAttr::getFromRawBuffer(type, bytes);
  bool loses = false;
  for (APFloat value : dense.getValues<APFloat>()) {
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    values.push_back(value.convertToDouble());
  }
  return values;
}

/// A list of floats, or the tensor that stands for it.
std::vector<double> realsOf(std::optional<ArrayRef<float>> floats,
                            Attribute tensor) {
  if (tensor)
    return tensorReals(tensor);
  ArrayRef<float> values = floats.value_or(ArrayRef<float>());
  return {values.begin(), values.end()};
}

/// Features as f32, or f64 if they are; null if they are no rows.
Value rowsOf(GraphBuilder &graph, Value x) {
  RankedTensorType type = rankedType(x);
  if (!type || type.getRank() < 1 || type.getRank() > 2)
    return {};
  Type real = type.getElementType().isF64() ? type.getElementType()
                                            : graph.rewriter.getF32Type();
  return graph.cast(graph.rows(x), real);
}

//===----------------------------------------------------------------------===//
// Nodes of trees that have names (the older operators)
//===----------------------------------------------------------------------===//

std::optional<NodeMode> modeOf(StringRef name) {
  return llvm::StringSwitch<std::optional<NodeMode>>(name)
      .Case("LEAF", NodeMode::Leaf)
      .Case("BRANCH_LEQ", NodeMode::LEQ)
      .Case("BRANCH_LT", NodeMode::LT)
      .Case("BRANCH_GTE", NodeMode::GTE)
      .Case("BRANCH_GT", NodeMode::GT)
      .Case("BRANCH_EQ", NodeMode::EQ)
      .Case("BRANCH_NEQ", NodeMode::NEQ)
      .Default(std::nullopt);
}

/// Positions of nodes by the numbers of tree and node.
using NodeNames = llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t>;

template <typename OnnxOp>
struct NamedNodes {
  explicit NamedNodes(OnnxOp op)
      : trees(intsOf(op.getNodesTreeids())), ids(intsOf(op.getNodesNodeids())),
        features(intsOf(op.getNodesFeatureids())),
        ifTrue(intsOf(op.getNodesTruenodeids())),
        ifFalse(intsOf(op.getNodesFalsenodeids())),
        missing(intsOf(op.getNodesMissingValueTracksTrue())),
        splits(realsOf(op.getNodesValues(), op.getNodesValuesAsTensorAttr())) {
    if (auto names = op.getNodesModes())
      modes = *names;
  }

  /// Fills nodes and roots; returns what is wrong.
  std::string read(TreeModel &model) {
    size_t count = trees.size();
    if (!modes || modes.size() != count || ids.size() != count ||
        features.size() != count || ifTrue.size() != count ||
        ifFalse.size() != count || splits.size() != count ||
        (!missing.empty() && missing.size() != count))
      return "the lists that describe nodes differ in length";
    names.reserve(unsigned(count));
    for (size_t i = 0; i < count; ++i) {
      if (!isName(trees[i]) || !isName(ids[i]))
        return "a tree or node has a negative or an absurd number";
      bool isFirst = i == 0 || trees[i] != trees[i - 1];
      if (isFirst && seen.insert(trees[i]).second)
        model.roots.push_back(int64_t(i));
      if (!names.try_emplace({trees[i], ids[i]}, int64_t(i)).second)
        return "two nodes of a tree have one number";
    }
    model.nodes.resize(count);
    for (size_t i = 0; i < count; ++i) {
      std::optional<NodeMode> mode = modeOf(cast<StringAttr>(modes[i]));
      if (!mode)
        return "a node has a mode that is not known";
      ModelNode &node = model.nodes[i];
      node.mode = *mode;
      if (*mode == NodeMode::Leaf)
        continue;
      node.feature = features[i];
      node.split = splits[i];
      node.missingIsTrue = !missing.empty() && missing[i] != 0;
      node.ifTrue = find(trees[i], ifTrue[i]);
      node.ifFalse = find(trees[i], ifFalse[i]);
    }
    return "";
  }

  /// Others mean something to the map.
  static bool isName(int64_t number) {
    return number >= 0 && number < int64_t(1) << 62;
  }

  /// -1 if there is none.
  int64_t find(int64_t tree, int64_t id) const {
    if (!isName(tree) || !isName(id))
      return -1;
    auto place = names.find({tree, id});
    return place == names.end() ? -1 : place->second;
  }

  /// Votes of leaves, by the same names.
  std::string readVotes(Ints inTree, Ints atNode, Ints targets,
                        const std::vector<double> &weights, TreeModel &model) {
    if (inTree.size() != targets.size() || atNode.size() != targets.size() ||
        weights.size() != targets.size())
      return "the lists that describe leaves differ in length";
    for (size_t i = 0; i < targets.size(); ++i)
      model.weights.push_back(
          {find(inTree[i], atNode[i]), targets[i], weights[i]});
    return "";
  }

  Ints trees, ids, features, ifTrue, ifFalse, missing;
  std::vector<double> splits;
  ArrayAttr modes;
  NodeNames names;
  llvm::DenseSet<int64_t> seen;
};

std::optional<Aggregate> aggregateOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Aggregate>>(name)
      .Case("SUM", Aggregate::Sum)
      .Case("AVERAGE", Aggregate::Average)
      .Case("MIN", Aggregate::Min)
      .Case("MAX", Aggregate::Max)
      .Default(std::nullopt);
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

//===----------------------------------------------------------------------===//
// TreeEnsembleRegressor
//===----------------------------------------------------------------------===//

struct RegressorLowering
    : public OpConversionPattern<onnx::MlTreeEnsembleRegressorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlTreeEnsembleRegressorOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GraphBuilder graph(rewriter, op.getLoc());
    Value x = rowsOf(graph, op.getX());
    auto transform = postTransformOf(op.getPostTransform());
    auto aggregate = aggregateOf(op.getAggregateFunction());
    if (!x || !transform || !aggregate)
      return rewriter.notifyMatchFailure(
          op, "expects rows of features, and names that are known");
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
    TreeTables tables;
    if (wrong.empty())
      wrong = tables.build(model);
    std::vector<double> base =
        realsOf(op.getBaseValues(), op.getBaseValuesAsTensorAttr());
    if (base.size() > 1 && int64_t(base.size()) != model.targets)
      wrong = "there are as many base values as neither one nor targets";
    if (!wrong.empty())
      return rewriter.notifyMatchFailure(op, wrong);
    Value scores = evaluateTrees(graph, x, model, tables);
    scores = graph.cast(addBase(graph, scores, base), rewriter.getF32Type());
    graph.replace(op, transformScores(graph, scores, *transform));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// TreeEnsembleClassifier
//===----------------------------------------------------------------------===//

struct ClassifierLowering
    : public OpConversionPattern<onnx::MlTreeEnsembleClassifierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlTreeEnsembleClassifierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GraphBuilder graph(rewriter, op.getLoc());
    Value x = rowsOf(graph, op.getX());
    auto transform = postTransformOf(op.getPostTransform());
    ClassLabels labels(op.getClasslabelsInt64s(), op.getClasslabelsStrings());
    if (!x || !transform || labels.size() == 0)
      return rewriter.notifyMatchFailure(
          op, "expects rows of features, labels, and names that are known");
    TreeModel model;
    model.isDouble = GraphBuilder::typeOf(x).getElementType().isF64();
    NamedNodes nodes(op);
    std::string wrong = nodes.read(model);
    Ints classes = intsOf(op.getClassIds());
    // Two classes of which only one is voted for have one score.
    bool isBinary = labels.size() <= 2 && llvm::all_equal(classes);
    if (wrong.empty())
      wrong = nodes.readVotes(
          intsOf(op.getClassTreeids()), intsOf(op.getClassNodeids()), classes,
          realsOf(op.getClassWeights(), op.getClassWeightsAsTensorAttr()),
          model);
    model.targets = isBinary ? 1 : int64_t(labels.size());
    bool allPositive = true;
    for (LeafWeight &weight : model.weights) {
      allPositive &= weight.weight >= 0;
      weight.target = isBinary ? 0 : weight.target;
    }
    TreeTables tables;
    if (wrong.empty())
      wrong = tables.build(model);
    std::vector<double> base =
        realsOf(op.getBaseValues(), op.getBaseValuesAsTensorAttr());
    // Two base values of a single score: that of the class voted for counts.
    if (isBinary && base.size() == 2)
      base = {base[1]};
    if (base.size() > 1 && int64_t(base.size()) != model.targets)
      wrong = "there are as many base values as neither one nor classes";
    if (!wrong.empty())
      return rewriter.notifyMatchFailure(op, wrong);
    Value scores = evaluateTrees(graph, x, model, tables);
    scores = graph.cast(addBase(graph, scores, base), rewriter.getF32Type());
    if (isBinary) {
      Votes votes{allPositive, !classes.empty() && classes[0] == 1};
      return finishBinary(graph, op, scores, *transform, labels, votes);
    }
    graph.replace(op, {labels.of(graph, largestOfRows(graph, scores)),
                       transformScores(graph, scores, *transform)});
    return success();
  }

private:
  /// What is known of the votes for a single class.
  struct Votes {
    bool allPositive;
    bool forSecond;
  };

  /// Votes for the second of two classes are its score: [0, s]. Votes for the
  /// first mean the second as well; if they cannot be negative they are
  /// probabilities: [1 - s, s]. Others are [-s, s]. The transform applies to
  /// what is no probability.
  static LogicalResult finishBinary(GraphBuilder &graph, Operation *op,
                                    Value score, PostTransform transform,
                                    const ClassLabels &labels, Votes votes) {
    OpBuilder &b = graph.rewriter;
    Type f32 = b.getF32Type();
    int64_t n = GraphBuilder::shapeOf(score)[0];
    bool hasTwo = labels.size() == 2;
    Value threshold = graph.scalar(hasTwo && votes.allPositive ? 0.5 : 0, f32);
    Value isSecond =
        graph.make<onnx::GreaterOp>(b.getI1Type(), {n, 1}, {score, threshold});
    constexpr int64_t int64Number = 7;
    Value index = graph.reshape(
        graph.make<onnx::CastOp>(b.getI64Type(), {n, 1}, isSecond,
                                 {graph.attribute("to", int64Number)}),
        {-1}, n);
    if (!hasTwo) {
      Value label =
          labels.texts.empty()
              ? index
              : graph.pick(graph.strings({"", labels.texts[0]}, 2), index);
      graph.replace(op, {label, transformScores(graph, score, transform)});
      return success();
    }
    Value signs = graph.floats({votes.forSecond ? 0.0f : -1.0f, 1}, {1, 2});
    Value both = graph.make<onnx::MulOp>(f32, {n, 2}, {score, signs});
    if (votes.allPositive && !votes.forSecond) {
      both = graph.map<onnx::AddOp>(both, graph.floats({1, 0}, {1, 2}));
      transform = PostTransform::None;
    }
    graph.replace(
        op, {labels.of(graph, index), transformScores(graph, both, transform)});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// TreeEnsemble
//===----------------------------------------------------------------------===//

struct EnsembleLowering : public OpConversionPattern<onnx::MlTreeEnsembleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::MlTreeEnsembleOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GraphBuilder graph(rewriter, op.getLoc());
    Value x = rowsOf(graph, op.getX());
    constexpr PostTransform transforms[] = {
        PostTransform::None, PostTransform::Softmax, PostTransform::Logistic,
        PostTransform::SoftmaxZero, PostTransform::Probit};
    uint64_t transform = op.getPostTransform(),
             aggregate = op.getAggregateFunction();
    if (!x || transform >= std::size(transforms) || aggregate > 3)
      return rewriter.notifyMatchFailure(
          op, "expects rows of features, and numbers that are known");
    TreeModel model;
    model.isDouble = GraphBuilder::typeOf(x).getElementType().isF64();
    model.aggregate = Aggregate(aggregate);
    model.targets = op.getNTargets().value_or(1);
    std::string wrong = read(op, model);
    TreeTables tables;
    if (wrong.empty())
      wrong = tables.build(model);
    if (!wrong.empty())
      return rewriter.notifyMatchFailure(op, wrong);
    Value scores = evaluateTrees(graph, x, model, tables);
    Type f32 = rewriter.getF32Type();
    if (transforms[transform] != PostTransform::None)
      scores = transformScores(graph, graph.cast(scores, f32),
                               transforms[transform]);
    graph.replace(op,
                  graph.cast(scores, getElementTypeOrSelf(op->getResult(0))));
    return success();
  }

private:
  /// Nodes, and behind them the leaves.
  static std::string read(onnx::MlTreeEnsembleOp op, TreeModel &model) {
    Ints features = op.getNodesFeatureids(), ifTrue = op.getNodesTruenodeids(),
         ifFalse = op.getNodesFalsenodeids(),
         trueLeafs = op.getNodesTrueleafs(),
         falseLeafs = op.getNodesFalseleafs(),
         missing = intsOf(op.getNodesMissingValueTracksTrue());
    auto modes = onnx::constantInts(op.getNodesModesAttr());
    std::vector<double> splits = tensorReals(op.getNodesSplitsAttr());
    std::vector<double> weights = tensorReals(op.getLeafWeightsAttr());
    size_t count = features.size(), leaves = weights.size();
    if (!modes || modes->size() != count || splits.size() != count ||
        ifTrue.size() != count || ifFalse.size() != count ||
        trueLeafs.size() != count || falseLeafs.size() != count ||
        (!missing.empty() && missing.size() != count) ||
        op.getLeafTargetids().size() != leaves)
      return "the lists that describe nodes or leaves differ in length";
    auto childOf = [&](int64_t id, int64_t isLeaf) -> int64_t {
      size_t most = isLeaf ? leaves : count;
      if (id < 0 || size_t(id) >= most)
        return -1;
      return isLeaf ? int64_t(count) + id : id;
    };
    model.nodes.resize(count + leaves);
    for (size_t i = 0; i < count; ++i) {
      int64_t mode = (*modes)[i];
      if (mode < 0 || mode > int64_t(NodeMode::Member))
        return "a node has a mode that is not known";
      model.nodes[i] = {NodeMode(mode),
                        features[i],
                        splits[i],
                        !missing.empty() && missing[i] != 0,
                        childOf(ifTrue[i], trueLeafs[i]),
                        childOf(ifFalse[i], falseLeafs[i]),
                        {}};
    }
    for (auto [i, target] : llvm::enumerate(op.getLeafTargetids()))
      model.weights.push_back({int64_t(count + i), target, weights[i]});
    for (int64_t root : op.getTreeRoots()) {
      if (root < 0 || size_t(root) >= count)
        return "a root is no node";
      model.roots.push_back(root);
    }
    return readMembers(op, model);
  }

  /// The sets of the nodes of mode BRANCH_MEMBER, in their order, each ended by
  /// NaN.
  static std::string readMembers(onnx::MlTreeEnsembleOp op, TreeModel &model) {
    std::vector<double> members = tensorReals(op.getMembershipValuesAttr());
    size_t at = 0;
    for (ModelNode &node : model.nodes) {
      if (node.mode != NodeMode::Member)
        continue;
      if (at == members.size())
        return "a node of mode BRANCH_MEMBER has no membership_values";
      while (at < members.size() && !std::isnan(members[at]))
        node.members.push_back(members[at++]);
      at = std::min(at + 1, members.size());
    }
    return "";
  }
};

} // namespace

void populateONNXToKrnlTreesPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<ClassifierLowering, EnsembleLowering, RegressorLowering>(
      converter, patterns.getContext());
}

} // namespace onnxc
