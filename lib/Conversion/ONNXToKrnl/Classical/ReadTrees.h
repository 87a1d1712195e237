//===- ReadTrees.h - From attributes to a TreeModel -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the attributes of TreeEnsemble and of TreeEnsembleClassifier and
// -Regressor into a TreeModel. Readers return the error, or an empty string.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_READTREES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_READTREES_H

#include "onnxc/Conversion/ONNXToKrnl/TreeTables.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace onnxc {

/// The numbers of an attribute that may be absent.
inline llvm::ArrayRef<int64_t>
intsOf(std::optional<llvm::ArrayRef<int64_t>> attribute) {
  return attribute.value_or(llvm::ArrayRef<int64_t>());
}

/// A list of floats, or the tensor that stands for it.
std::vector<double> realsOf(std::optional<llvm::ArrayRef<float>> floats,
                            mlir::Attribute tensor);

std::optional<Aggregate> aggregateOf(llvm::StringRef name);

/// Nodes that have names: the numbers of tree and node (the older operators).
class NamedNodes {
public:
  using Ints = llvm::ArrayRef<int64_t>;

  template <typename OnnxOp>
  explicit NamedNodes(OnnxOp op)
      : trees(intsOf(op.getNodesTreeids())), ids(intsOf(op.getNodesNodeids())),
        features(intsOf(op.getNodesFeatureids())),
        ifTrue(intsOf(op.getNodesTruenodeids())),
        ifFalse(intsOf(op.getNodesFalsenodeids())),
        missing(intsOf(op.getNodesMissingValueTracksTrue())),
        splits(realsOf(op.getNodesValues(), op.getNodesValuesAsTensorAttr())),
        modes(op.getNodesModes().value_or(mlir::ArrayAttr())) {}

  /// Fills nodes and roots.
  std::string read(TreeModel &model);

  /// Votes of leaves, by the same names.
  std::string readVotes(Ints inTree, Ints atNode, Ints targets,
                        const std::vector<double> &weights, TreeModel &model);

private:
  /// -1 if there is none.
  int64_t find(int64_t tree, int64_t id) const;

  Ints trees, ids, features, ifTrue, ifFalse, missing;
  std::vector<double> splits;
  mlir::ArrayAttr modes;
  /// Positions by the numbers of tree and node.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> names;
  llvm::DenseSet<int64_t> seen;
};

/// Fills nodes, after them the leaves, roots and votes.
std::string readEnsemble(onnx::MlTreeEnsembleOp op, TreeModel &model);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CLASSICAL_READTREES_H
