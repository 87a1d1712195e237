//===- TreeTablesTest.cpp - Tree ensembles as tables ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/TreeTables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace onnxc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr double nan = NAN;

ModelNode branch(NodeMode mode, double split, int64_t ifTrue, int64_t ifFalse,
                 bool missingIsTrue = false, int64_t feature = 0) {
  return {mode, feature, split, missingIsTrue, ifTrue, ifFalse, {}};
}

ModelNode leaf() { return {}; }

/// The leaf that the tables lead to, as its row among the leaves.
int64_t walk(const TreeTables &tables, const std::vector<double> &x,
             size_t tree = 0, bool isDouble = true) {
  int32_t position = tables.roots[tree];
  for (int64_t step = 0; step < tables.depth; ++step) {
    const NodeRecord &node = tables.nodes[size_t(position / NodeRecord::words)];
    double value = x[size_t(node.feature & (TreeTables::missingBit - 1))];
    if (!isDouble)
      value = double(float(value));
    bool isTrue = tables.isStrict ? value < node.split : value <= node.split;
    isTrue |= std::isnan(value) && (node.feature & TreeTables::missingBit);
    position = isTrue ? node.ifTrue : node.ifFalse;
  }
  return position / NodeRecord::words - tables.decisions;
}

/// A tree of one node of the mode, whose true leaf weighs 1 and whose false
/// leaf weighs 2: what it says of x.
double decide(ModelNode node, double x, bool isDouble = true) {
  TreeModel model;
  model.isDouble = isDouble;
  node.ifTrue = 1;
  node.ifFalse = 2;
  model.nodes = {node, leaf(), leaf()};
  model.roots = {0};
  model.weights = {{1, 0, 1}, {2, 0, 2}};
  TreeTables tables;
  EXPECT_EQ(tables.build(model), "");
  return tables.leafWeights[size_t(walk(tables, {x}, 0, isDouble))];
}

bool isTrue(NodeMode mode, double split, double x, bool missingIsTrue = false) {
  bool wide = decide(branch(mode, split, 0, 0, missingIsTrue), x) == 1;
  bool narrow = decide(branch(mode, split, 0, 0, missingIsTrue), x, false) == 1;
  EXPECT_EQ(wide, narrow);
  return wide;
}

TEST(TreeTables, KeepsWhatEachModeCompares) {
  double values[] = {-INFINITY, -1, -0.0, 0.0, 0.5, 1, INFINITY};
  for (double split : values)
    for (double x : values) {
      EXPECT_EQ(isTrue(NodeMode::LEQ, split, x), x <= split);
      EXPECT_EQ(isTrue(NodeMode::LT, split, x), x < split);
      EXPECT_EQ(isTrue(NodeMode::GTE, split, x), x >= split);
      EXPECT_EQ(isTrue(NodeMode::GT, split, x), x > split);
      EXPECT_EQ(isTrue(NodeMode::EQ, split, x), x == split);
      EXPECT_EQ(isTrue(NodeMode::NEQ, split, x), x != split);
    }
}

TEST(TreeTables, MissingFeaturesGoWhereTheyShould) {
  for (NodeMode mode : {NodeMode::LEQ, NodeMode::LT, NodeMode::GTE,
                        NodeMode::GT, NodeMode::EQ}) {
    EXPECT_FALSE(isTrue(mode, 1, nan, false));
    EXPECT_TRUE(isTrue(mode, 1, nan, true));
  }
  EXPECT_TRUE(isTrue(NodeMode::NEQ, 1, nan, false)) << "NaN is not 1";
}

/// LT beside LEQ becomes LEQ of the number before.
TEST(TreeTables, MixesStrictAndOther) {
  TreeModel model;
  model.nodes = {branch(NodeMode::LT, 1, 1, 2), branch(NodeMode::LEQ, 0, 3, 4),
                 leaf(), leaf(), leaf()};
  model.roots = {0};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_FALSE(tables.isStrict);
  EXPECT_EQ(tables.nodes[0].split, double(std::nextafterf(1, 0)));
  EXPECT_EQ(tables.depth, 2);
  EXPECT_EQ(tables.decisions, 2);
}

TEST(TreeTables, OnlyStrictNodesStayStrict) {
  TreeModel model;
  model.nodes = {branch(NodeMode::LT, 0, 1, 2), leaf(), leaf()};
  model.roots = {0};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_TRUE(tables.isStrict);
  EXPECT_EQ(tables.nodes[0].split, 0);
}

TEST(TreeTables, SetsAreSearched) {
  ModelNode node = branch(NodeMode::Member, 0, 0, 0);
  node.members = {5, 1, 9, 3, 3};
  for (double x : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 9.0, 10.0}) {
    bool isMember = x == 1 || x == 3 || x == 5 || x == 9;
    EXPECT_EQ(decide(node, x) == 1, isMember) << x;
  }
  EXPECT_EQ(decide(node, nan), 2);
  node.missingIsTrue = true;
  EXPECT_EQ(decide(node, nan), 1);
  node.members.clear();
  EXPECT_EQ(decide(node, 1), 2);
}

TEST(TreeTables, ARootMayBeALeaf) {
  TreeModel model;
  model.nodes = {leaf()};
  model.roots = {0};
  model.weights = {{0, 0, 7}};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_EQ(tables.depth, 0);
  EXPECT_EQ(tables.leafWeights[size_t(walk(tables, {1}))], 7);
  EXPECT_EQ(tables.nodes[0].split, 7) << "a single weight is in the record";
}

TEST(TreeTables, KnowsTreesOfOneTarget) {
  TreeModel model;
  model.targets = 3;
  model.nodes = {branch(NodeMode::LEQ, 0, 1, 2), leaf(), leaf(), leaf()};
  model.roots = {0, 3};
  model.weights = {{1, 2, 0.5}, {2, 2, 0.25}, {3, 1, 4}};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_THAT(tables.targetOfTree, ElementsAre(2, 1));
  EXPECT_EQ(tables.columns, 1);
  model.weights.push_back({1, 0, 1});
  TreeTables dense;
  ASSERT_EQ(dense.build(model), "");
  EXPECT_THAT(dense.targetOfTree, IsEmpty());
  EXPECT_EQ(dense.columns, 3);
}

TEST(TreeTables, LeavesWithoutAVoteAreNeutral) {
  TreeModel model;
  model.aggregate = Aggregate::Min;
  model.nodes = {branch(NodeMode::LEQ, 0, 1, 2), leaf(), leaf()};
  model.roots = {0};
  model.weights = {{1, 0, -1}};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_EQ(tables.leafWeights[size_t(walk(tables, {1}))],
            double(std::numeric_limits<float>::max()));
}

TEST(TreeTables, RefusesWhatIsNoTree) {
  TreeTables tables;
  TreeModel circle;
  circle.nodes = {branch(NodeMode::LEQ, 0, 0, 1), leaf()};
  circle.roots = {0};
  EXPECT_THAT(tables.build(circle), HasSubstr("lead to no leaf"));
  TreeModel nowhere;
  nowhere.nodes = {branch(NodeMode::LEQ, 0, 5, 1), leaf()};
  nowhere.roots = {0};
  EXPECT_THAT(tables.build(nowhere), HasSubstr("lead to no leaf"));
  TreeModel noFeature;
  noFeature.nodes = {branch(NodeMode::LEQ, 0, 1, 1, false, -1), leaf()};
  noFeature.roots = {0};
  EXPECT_THAT(tables.build(noFeature), HasSubstr("no feature"));
  TreeModel noTarget;
  noTarget.nodes = {leaf()};
  noTarget.roots = {0};
  noTarget.weights = {{0, 1, 1}};
  EXPECT_THAT(tables.build(noTarget), HasSubstr("no target"));
  EXPECT_THAT(tables.build(TreeModel()), HasSubstr("no tree"));
}

/// A chain as long as a hostile model may make it: nothing recurses.
TEST(TreeTables, TreesMayBeDeep) {
  constexpr int64_t depth = 200000;
  TreeModel model;
  for (int64_t i = 0; i < depth; ++i)
    model.nodes.push_back(
        branch(NodeMode::LEQ, 0, i + 1 < depth ? i + 1 : depth, depth));
  model.nodes.push_back(leaf());
  model.roots = {0};
  TreeTables tables;
  ASSERT_EQ(tables.build(model), "");
  EXPECT_EQ(tables.depth, depth);
}

} // namespace
