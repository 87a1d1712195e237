//===- NodeLocations.h - Nodes of the model in locations -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A node is loc("conv1"("Conv"("model.onnx"))): its name, its operator and what
// it is in. A node of the body of an operator is in the node that has the body,
// loc("gelu/Mul"("Mul"("gelu"("Gelu"("model.onnx"))))). A tensor has no
// operator: loc("weight"("model.onnx")). Rewrites that make one operation of
// several fuse their locations.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_NODELOCATIONS_H
#define ONNXC_SUPPORT_NODELOCATIONS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

/// A node of the model.
struct NodeName {
  llvm::StringRef name, op;
  bool operator==(const NodeName &) const = default;
};

/// The location of a node in `parent`, the model or the node whose body it is
/// in.
mlir::Location nodeLocation(llvm::StringRef name, llvm::StringRef op,
                            mlir::Location parent);

/// The nodes of the model that something comes from, each once, in the order of
/// the location. Nodes of bodies count as the node of the model around them.
llvm::SmallVector<NodeName> nodesOf(mlir::Location loc);

/// The nodes of nodesOf() and the nodes inside them, from the outermost to the
/// innermost.
llvm::SmallVector<NodeName> enclosingNodesOf(mlir::Location loc);

/// The innermost names of the nodes and tensors in a location, each once.
llvm::SmallVector<llvm::StringRef> namesOf(mlir::Location loc);

/// The first of them that is in a model; empty if there is none.
llvm::StringRef nameOf(mlir::Location loc);

/// The text with a question mark for each character that is not to be shown: a
/// name of the model may hold zeros, which would end a message, or others that
/// drive terminals.
std::string printable(llvm::StringRef text, llvm::StringRef allowed = "");

/// At most 120 bytes of whole characters of a name, printable, and "..." in
/// place of the others: names of models may have millions.
std::string shortName(llvm::StringRef name);

/// "'a', 'b', 'c' and 2 more": the first three names, or fewer long ones.
std::string listNames(llvm::ArrayRef<llvm::StringRef> names);

/// "node 'a'", or "nodes 'a', 'b'" of a location that has several; empty if it
/// has none.
std::string nodesText(mlir::Location loc);

/// A message about the nodes of a location, whose names are in front if it has
/// any.
std::string nodeMessage(mlir::Location loc, llvm::StringRef message);

/// The location for people: the file, and the names from the outermost to the
/// innermost. Of several it is the first.
std::string pathOf(mlir::Location loc,
                   llvm::function_ref<std::string(llvm::StringRef)> shown);

/// `loc` and those of `others` that are not in it yet. No more than 64 are
/// kept: a chain of rewrites takes linear time.
mlir::Location fuseLocations(mlir::Location loc,
                             llvm::ArrayRef<mlir::Location> others);

/// "first+second", the name of what is made of two. Each may be such a name, of
/// whose parts no more than 64 are kept, as of locations.
std::string fuseNames(llvm::StringRef first, llvm::StringRef second);

} // namespace onnxc

#endif // ONNXC_SUPPORT_NODELOCATIONS_H
