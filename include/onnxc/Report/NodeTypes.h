//===- NodeTypes.h - Types of the nodes of a model -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_NODETYPES_H
#define ONNXC_REPORT_NODETYPES_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Importer/Importer.h"
#include "onnxc/Pipeline/TypeTexts.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {

/// The types of tensors that nodes read and make, by the names of the nodes: as
/// the importer sees them, and as sharp as an analysis of the whole model makes
/// them. "" where one is not known or left out.
class NodeTypes {
public:
  struct Types {
    std::vector<std::string> operands, results;
    /// The types of the results; null where the text is "".
    llvm::SmallVector<mlir::Type> resultTypes;
  };

  /// Takes what the importer knows.
  void add(const importer::ImportedNode &node);
  /// Looks at the model as the importer has left it.
  void refine(mlir::ModuleOp model);
  /// The types of a node; null for a node that the importer has not seen.
  const Types *find(llvm::StringRef node) const;

private:
  /// A value as the importer has told of it. It may be gone since, and another
  /// one at its address: that one has another location.
  struct Tensor {
    mlir::Value value;
    std::optional<mlir::Location> loc;
  };
  struct Node {
    Types types;
    llvm::SmallVector<Tensor> operands, results;
  };

  llvm::StringMap<Node> byNode;
};

} // namespace onnxc

#endif // ONNXC_REPORT_NODETYPES_H
