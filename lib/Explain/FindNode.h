//===- FindNode.h - A node by a name that the user gives -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPLAIN_FINDNODE_H
#define ONNXC_LIB_EXPLAIN_FINDNODE_H

#include "onnxc/Explain/Explain.h"
#include "onnxc/Importer/Importer.h"
#include "onnxc/Report/NodeTypes.h"

#include "llvm/ADT/StringMap.h"

namespace onnxc {

/// A node of the model, as locations have it.
struct NodeMatch {
  std::string name;
  /// A call of a function, which is nothing but the nodes of that.
  bool isCall = false;

  /// Returns true if the location has the node, or one of the function that it
  /// calls.
  bool isIn(mlir::Location loc) const;
  bool isNode(llvm::StringRef other) const;
};

/// All nodes of a model by their names and those of their tensors.
class NodeFinder : public importer::ImportObserver {
public:
  /// Looks at the model after the import.
  void refine(mlir::ModuleOp model) { types.refine(model); }

  void imported(const importer::ImportedNode &node) override;
  void unread(mlir::Location loc, bool isInput) override {}

  /// The node of that name, or the one that makes the tensor of that name. The
  /// error lists the nodes that read it if it is no result of any, or similar
  /// names.
  llvm::Expected<NodeMatch> find(llvm::StringRef name,
                                 Explanation &explanation) const;

private:
  llvm::Error refuse(llvm::StringRef name) const;

  struct Node {
    std::string op;
    llvm::SmallVector<std::string> inputs, outputs;
  };
  llvm::StringMap<Node> nodes;
  NodeTypes types;
  /// The first node that makes a tensor, and the first few that read it.
  llvm::StringMap<std::string> makers;
  llvm::StringMap<std::vector<std::string>> readers;
};

} // namespace onnxc

#endif // ONNXC_LIB_EXPLAIN_FINDNODE_H
