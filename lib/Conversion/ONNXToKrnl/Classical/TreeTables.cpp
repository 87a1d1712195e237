//===- TreeTables.cpp - Tree ensembles as tables ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/TreeTables.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

namespace onnxc {
namespace {

/// A decision x <= split (or x < split) while numbers are still free.
struct Decision {
  int64_t feature;
  double split;
  bool nanIsTrue;
  int64_t ifTrue, ifFalse;
};

/// Brings all modes down to one comparison. Nodes are numbered as they come;
/// those of the model keep their numbers.
class Decisions {
public:
  explicit Decisions(const TreeModel &model)
      : model(model), isDouble(model.isDouble), list(model.nodes.size()) {
    // Comparisons are strict where all of them are: a split moved to its
    // next number would compare otherwise where denormal numbers count as zero.
    bool any = false, all = true;
    for (const ModelNode &node : model.nodes)
      if (node.mode != NodeMode::Leaf) {
        any = true;
        all &= node.mode == NodeMode::LT || node.mode == NodeMode::GTE;
      }
    isStrict = any && all;
    for (auto [i, node] : llvm::enumerate(model.nodes))
      if (node.mode != NodeMode::Leaf)
        list[i] = lower(node);
  }

  const TreeModel &model;
  bool isDouble, isStrict;
  /// After those of the model: the decisions that sets of members need.
  std::vector<Decision> list;

private:
  /// The largest number below `x`; x < y is x <= below(y).
  double below(double x) const {
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    if (x == lowest)
      return std::numeric_limits<double>::quiet_NaN(); // nothing is below
    return isDouble ? std::nextafter(x, lowest)
                    : double(std::nextafterf(float(x), float(lowest)));
  }

  Decision lower(const ModelNode &n) {
    switch (n.mode) {
    case NodeMode::LEQ:
      return {n.feature, n.split, n.missingIsTrue, n.ifTrue, n.ifFalse};
    case NodeMode::LT:
      return {n.feature, isStrict ? n.split : below(n.split), n.missingIsTrue,
              n.ifTrue, n.ifFalse};
    // The opposite with children swapped: NaN, which no comparison holds for,
    // goes where it would have gone.
    case NodeMode::GT:
      return {n.feature, n.split, !n.missingIsTrue, n.ifFalse, n.ifTrue};
    case NodeMode::GTE:
      return {n.feature, isStrict ? n.split : below(n.split), !n.missingIsTrue,
              n.ifFalse, n.ifTrue};
    case NodeMode::EQ:
      return isOneOf(n, {n.split}, n.missingIsTrue, n.ifTrue, n.ifFalse);
    case NodeMode::NEQ: // NaN differs from everything
      return isOneOf(n, {n.split}, false, n.ifFalse, n.ifTrue);
    default: {
      std::vector<double> members = n.members;
      llvm::erase_if(members, [](double x) { return std::isnan(x); });
      llvm::sort(members);
      members.erase(std::unique(members.begin(), members.end()), members.end());
      return isOneOf(n, members, n.missingIsTrue, n.ifTrue, n.ifFalse);
    }
    }
  }

  int64_t add(const Decision &decision) {
    list.push_back(decision);
    return int64_t(list.size()) - 1;
  }

  /// The decision whether the feature is one of these sorted numbers: a
  /// balanced tree of two comparisons for each number, x <= m, and if so, x <=
  /// below(m).
  Decision isOneOf(const ModelNode &n, llvm::ArrayRef<double> members,
                   bool nanIsTrue, int64_t ifTrue, int64_t ifFalse) {
    if (members.empty())
      return {n.feature, std::numeric_limits<double>::quiet_NaN(), nanIsTrue,
              ifTrue, ifFalse};
    size_t middle = members.size() / 2;
    auto part = [&](llvm::ArrayRef<double> rest) {
      return rest.empty() ? ifFalse
                          : add(isOneOf(n, rest, false, ifTrue, ifFalse));
    };
    int64_t smaller = part(members.take_front(middle));
    int64_t larger = part(members.drop_front(middle + 1));
    int64_t atMost =
        add({n.feature, below(members[middle]), false, smaller, ifTrue});
    return {n.feature, members[middle], nanIsTrue, atMost, larger};
  }
};

/// Gives the nodes that some root leads to their numbers in the tables.
class Numbering {
public:
  Numbering(const Decisions &decisions)
      : decisions(decisions), modelNodes(decisions.model.nodes.size()),
        number(decisions.list.size(), -1), height(decisions.list.size(), -1) {}

  bool isLeaf(int64_t node) const {
    return size_t(node) < modelNodes &&
           decisions.model.nodes[size_t(node)].mode == NodeMode::Leaf;
  }

  /// Returns false if nodes lead in a circle or nowhere.
  bool run() {
    for (int64_t root : decisions.model.roots)
      if (!measure(root))
        return false;
    for (int64_t root : decisions.model.roots)
      numberTree(root);
    for (auto [i, leaf] : llvm::enumerate(leaves))
      number[size_t(leaf)] = int64_t(order.size() + i);
    return true;
  }

  const Decisions &decisions;
  size_t modelNodes;
  /// By decision; -1 for unreachable ones.
  std::vector<int64_t> number, height;
  std::vector<int64_t> order, leaves;

private:
  bool isThere(int64_t node) const {
    return node >= 0 && size_t(node) < number.size();
  }

  /// Steps to the furthest leaf, without recursion: trees may be deep.
  bool measure(int64_t root) {
    constexpr int64_t isPending = -2;
    if (!isThere(root))
      return false;
    std::vector<int64_t> stack{root};
    while (!stack.empty()) {
      int64_t node = stack.back();
      int64_t &own = height[size_t(node)];
      if (isLeaf(node))
        own = 0;
      if (own >= 0) {
        stack.pop_back();
        continue;
      }
      const Decision &decision = decisions.list[size_t(node)];
      int64_t maxHeight = 0;
      bool ready = true;
      for (int64_t child : {decision.ifFalse, decision.ifTrue}) {
        if (!isThere(child) || height[size_t(child)] == isPending)
          return false;
        if (height[size_t(child)] < 0 && !isLeaf(child)) {
          stack.push_back(child);
          ready = false;
        } else if (!isLeaf(child)) {
          maxHeight = std::max(maxHeight, height[size_t(child)]);
        }
      }
      own = ready ? maxHeight + 1 : isPending;
    }
    return true;
  }

  /// In breadth: the nodes near the root, which most traversals pass, are
  /// adjacent in memory.
  void numberTree(int64_t root) {
    std::vector<int64_t> waiting{root};
    for (size_t i = 0; i < waiting.size(); ++i) {
      int64_t node = waiting[i];
      if (number[size_t(node)] >= 0)
        continue;
      if (isLeaf(node)) {
        number[size_t(node)] = 0; // for now: taken
        leaves.push_back(node);
        continue;
      }
      number[size_t(node)] = int64_t(order.size());
      order.push_back(node);
      waiting.push_back(decisions.list[size_t(node)].ifFalse);
      waiting.push_back(decisions.list[size_t(node)].ifTrue);
    }
  }
};

} // namespace

/// The target of each tree if all leaves of the tree vote for it alone, once
/// each; else nothing.
static std::vector<int64_t> singleTargets(const TreeModel &model,
                                          const Numbering &numbering) {
  std::vector<int64_t> targetOfLeaf(model.nodes.size(), -1);
  for (const LeafWeight &weight : model.weights) {
    int64_t &target = targetOfLeaf[size_t(weight.leaf)];
    if (target >= 0 || !std::isfinite(weight.weight))
      return {};
    target = weight.target;
  }
  std::vector<int64_t> targets;
  std::vector<int64_t> seen(numbering.number.size(), -1);
  for (auto [tree, root] : llvm::enumerate(model.roots)) {
    int64_t target = -1;
    std::vector<int64_t> waiting{root};
    while (!waiting.empty()) {
      int64_t node = waiting.back();
      waiting.pop_back();
      if (seen[size_t(node)] == int64_t(tree))
        continue;
      seen[size_t(node)] = int64_t(tree);
      if (!numbering.isLeaf(node)) {
        waiting.push_back(numbering.decisions.list[size_t(node)].ifFalse);
        waiting.push_back(numbering.decisions.list[size_t(node)].ifTrue);
        continue;
      }
      int64_t own = targetOfLeaf[size_t(node)];
      if (own < 0)
        continue; // a leaf without a vote adds nothing
      if (target >= 0 && own != target)
        return {};
      target = own;
    }
    targets.push_back(std::max<int64_t>(target, 0));
  }
  return targets;
}

static double neutralOf(const TreeModel &model) {
  double largest = model.isDouble ? std::numeric_limits<double>::max()
                                  : double(std::numeric_limits<float>::max());
  switch (model.aggregate) {
  case Aggregate::Min:
    return largest;
  case Aggregate::Max:
    return -largest;
  default:
    return 0;
  }
}

static void fillWeights(const TreeModel &model, const Numbering &numbering,
                        TreeTables &tables) {
  bool sums = model.aggregate == Aggregate::Sum ||
              model.aggregate == Aggregate::Average;
  if (sums && model.targets > 1)
    tables.targetOfTree = singleTargets(model, numbering);
  tables.columns = tables.targetOfTree.empty() ? model.targets : 1;
  tables.leafWeights.assign(size_t(tables.leaves() * tables.columns),
                            neutralOf(model));
  for (const LeafWeight &weight : model.weights) {
    int64_t leaf = numbering.number[size_t(weight.leaf)];
    if (leaf < 0)
      continue;
    int64_t column = tables.targetOfTree.empty() ? weight.target : 0;
    double &sum = tables.leafWeights[size_t(
        (leaf - tables.decisions) * tables.columns + column)];
    if (sums)
      sum += weight.weight;
    else if (model.aggregate == Aggregate::Min)
      sum = std::min(sum, weight.weight);
    else
      sum = std::max(sum, weight.weight);
  }
  if (tables.columns == 1)
    for (auto [i, weight] : llvm::enumerate(tables.leafWeights))
      tables.nodes[size_t(tables.decisions) + i].split = weight;
}

static std::string checkWeights(const TreeModel &model) {
  for (const LeafWeight &weight : model.weights) {
    if (weight.leaf < 0 || size_t(weight.leaf) >= model.nodes.size() ||
        model.nodes[size_t(weight.leaf)].mode != NodeMode::Leaf)
      return "a weight belongs to no leaf";
    if (weight.target < 0 || weight.target >= model.targets)
      return "a weight belongs to no target";
  }
  return "";
}

std::string TreeTables::build(const TreeModel &model) {
  if (model.roots.empty() || model.targets < 1)
    return "there is no tree, or no target";
  std::string wrong = checkWeights(model);
  if (!wrong.empty())
    return wrong;
  Decisions lowered(model);
  Numbering numbering(lowered);
  if (!numbering.run())
    return "nodes lead to no leaf";
  size_t count = numbering.order.size() + numbering.leaves.size();
  constexpr size_t maxNodes = size_t(1) << 28;
  if (count >= maxNodes ||
      size_t(model.targets) >= maxNodes / numbering.leaves.size() ||
      size_t(model.targets) >= maxNodes / model.roots.size())
    return "there are too many nodes";
  decisions = int64_t(numbering.order.size());
  isStrict = lowered.isStrict;
  auto positionOf = [&](int64_t node) {
    return int32_t(numbering.number[size_t(node)] * NodeRecord::words);
  };
  for (int64_t node : numbering.order) {
    const Decision &decision = lowered.list[size_t(node)];
    if (decision.feature < 0 || decision.feature >= missingBit)
      return "a node compares no feature";
    maxFeature = std::max(maxFeature, decision.feature);
    hasMissing |= decision.nanIsTrue;
    nodes.push_back(
        {int32_t(decision.feature) | (decision.nanIsTrue ? missingBit : 0),
         decision.split, positionOf(decision.ifFalse),
         positionOf(decision.ifTrue)});
  }
  for (int64_t leaf : numbering.leaves)
    nodes.push_back({0, 0.0, positionOf(leaf), positionOf(leaf)});
  for (int64_t root : model.roots) {
    roots.push_back(positionOf(root));
    depth = std::max(depth, numbering.height[size_t(root)]);
  }
  fillWeights(model, numbering, *this);
  return "";
}

} // namespace onnxc
