//===- ReadTrees.cpp - From attributes to a TreeModel -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "ReadTrees.h"

#include "onnxc/Dialect/ONNX/IR/Constants.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace onnxc {

using Ints = ArrayRef<int64_t>;

//===----------------------------------------------------------------------===//
// Numbers of attributes
//===----------------------------------------------------------------------===//

/// The elements of a tensor attribute of floats.
static std::vector<double> tensorReals(Attribute attribute) {
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

std::vector<double> realsOf(std::optional<ArrayRef<float>> floats,
                            Attribute tensor) {
  if (tensor)
    return tensorReals(tensor);
  ArrayRef<float> values = floats.value_or(ArrayRef<float>());
  return {values.begin(), values.end()};
}

std::optional<Aggregate> aggregateOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Aggregate>>(name)
      .Case("SUM", Aggregate::Sum)
      .Case("AVERAGE", Aggregate::Average)
      .Case("MIN", Aggregate::Min)
      .Case("MAX", Aggregate::Max)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Nodes that have names
//===----------------------------------------------------------------------===//

static std::optional<NodeMode> modeOf(StringRef name) {
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

/// Other numbers mean something to the map.
static bool isName(int64_t number) {
  return number >= 0 && number < int64_t(1) << 62;
}

int64_t NamedNodes::find(int64_t tree, int64_t id) const {
  if (!isName(tree) || !isName(id))
    return -1;
  auto it = names.find({tree, id});
  return it == names.end() ? -1 : it->second;
}

std::string NamedNodes::read(TreeModel &model) {
  size_t count = trees.size();
  if (!modes || modes.size() != count || ids.size() != count ||
      features.size() != count || ifTrue.size() != count ||
      ifFalse.size() != count || splits.size() != count ||
      (!missing.empty() && missing.size() != count))
    return "the lists that describe nodes differ in length";
  names.reserve(unsigned(count));
  for (size_t i = 0; i < count; ++i) {
    if (!isName(trees[i]) || !isName(ids[i]))
      return "a tree or node has a negative or an excessive number";
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

std::string NamedNodes::readVotes(Ints inTree, Ints atNode, Ints targets,
                                  const std::vector<double> &weights,
                                  TreeModel &model) {
  if (inTree.size() != targets.size() || atNode.size() != targets.size() ||
      weights.size() != targets.size())
    return "the lists that describe leaves differ in length";
  for (size_t i = 0; i < targets.size(); ++i)
    model.weights.push_back(
        {find(inTree[i], atNode[i]), targets[i], weights[i]});
  return "";
}

//===----------------------------------------------------------------------===//
// TreeEnsemble
//===----------------------------------------------------------------------===//

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

/// Returns true if all lists about nodes have as many elements as there are,
/// and those about leaves.
static bool haveEqualLengths(onnx::MlTreeEnsembleOp op, size_t modes,
                             size_t splits, size_t leaves) {
  size_t count = op.getNodesFeatureids().size();
  Ints missing = intsOf(op.getNodesMissingValueTracksTrue());
  return modes == count && splits == count &&
         op.getNodesTruenodeids().size() == count &&
         op.getNodesFalsenodeids().size() == count &&
         op.getNodesTrueleafs().size() == count &&
         op.getNodesFalseleafs().size() == count &&
         (missing.empty() || missing.size() == count) &&
         op.getLeafTargetids().size() == leaves;
}

std::string readEnsemble(onnx::MlTreeEnsembleOp op, TreeModel &model) {
  Ints features = op.getNodesFeatureids(), ifTrue = op.getNodesTruenodeids(),
       ifFalse = op.getNodesFalsenodeids(), trueLeafs = op.getNodesTrueleafs(),
       falseLeafs = op.getNodesFalseleafs(),
       missing = intsOf(op.getNodesMissingValueTracksTrue());
  auto modes = onnx::constantInts(op.getNodesModesAttr());
  std::vector<double> splits = tensorReals(op.getNodesSplitsAttr());
  std::vector<double> weights = tensorReals(op.getLeafWeightsAttr());
  size_t count = features.size(), leaves = weights.size();
  if (!modes || !haveEqualLengths(op, modes->size(), splits.size(), leaves))
    return "the lists that describe nodes or leaves differ in length";
  auto childOf = [&](int64_t id, int64_t isLeaf) -> int64_t {
    size_t limit = isLeaf ? leaves : count;
    if (id < 0 || size_t(id) >= limit)
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
      return "a root is not a node";
    model.roots.push_back(root);
  }
  return readMembers(op, model);
}

} // namespace onnxc
