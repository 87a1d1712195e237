//===- TreeTables.h - Tree ensembles as tables ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The three operators for ensembles of trees bring their nodes in different
// forms. Here all become one: a node that compares one feature with one split,
// and leaves that lead to themselves, so that a traversal of a fixed number of
// steps ends at the leaf. No code is made for a node: the tables are weights.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_TREETABLES_H
#define ONNXC_CONVERSION_ONNXTOKRNL_TREETABLES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnxc {

/// The numbers are those of TreeEnsemble's nodes_modes.
enum class NodeMode : uint8_t { LEQ, LT, GTE, GT, EQ, NEQ, Member, Leaf };

/// A node of the model. Children are positions in TreeModel::nodes.
struct ModelNode {
  NodeMode mode = NodeMode::Leaf;
  int64_t feature = 0;
  double split = 0;
  /// Where a feature that is NaN goes.
  bool missingIsTrue = false;
  int64_t ifTrue = -1, ifFalse = -1;
  /// The numbers that NodeMode::Member compares the feature with; else empty.
  std::vector<double> members;
};

struct LeafWeight {
  int64_t leaf, target;
  double weight;
};

enum class Aggregate { Average, Sum, Min, Max };

/// An ensemble as a model describes it.
struct TreeModel {
  std::vector<ModelNode> nodes;
  std::vector<int64_t> roots;
  std::vector<LeafWeight> weights;
  int64_t targets = 1;
  Aggregate aggregate = Aggregate::Sum;
  /// Splits and weights are f64, else f32.
  bool isDouble = false;
};

/// A node as kernels read it: all of it in one line of the cache.
struct NodeRecord {
  /// Words of a record; positions of nodes are counted in words.
  static constexpr int64_t words = 4;
  enum Word { Feature, Split, IfFalse, IfTrue };

  /// The number of the feature, with TreeTables::missingBit if NaN goes to the
  /// true child.
  int32_t feature;
  /// The number that the feature is compared with. In a leaf that has one
  /// weight, the weight.
  double split;
  /// Positions. A leaf leads to itself.
  int32_t ifFalse, ifTrue;
};

/// The tables that kernels read. Nodes with a decision come first, leaves after
/// them.
struct TreeTables {
  static constexpr int32_t missingBit = 1 << 30;

  std::vector<NodeRecord> nodes;
  /// Positions.
  std::vector<int32_t> roots;
  int64_t decisions = 0; ///< nodes that are no leaves
  int64_t depth = 0;     ///< steps from a root to the furthest leaf
  int64_t maxFeature = -1;
  /// Decisions are x < split, not x <= split.
  bool isStrict = false;
  bool hasMissing = false;

  /// One row for each leaf, `columns` weights each; also in the records if that
  /// is one.
  std::vector<double> leafWeights;
  int64_t columns = 1;
  /// For ensembles each of whose trees votes for one target alone: that target;
  /// leafWeights has one column then. Empty for all others.
  std::vector<int64_t> targetOfTree;

  int64_t leaves() const { return int64_t(nodes.size()) - decisions; }

  /// Fills the tables; returns the error in the model, or an empty string.
  std::string build(const TreeModel &model);
};

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_TREETABLES_H
