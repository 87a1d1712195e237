//===- Remarks.h - What passes remark on a node ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPLAIN_REMARKS_H
#define ONNXC_LIB_EXPLAIN_REMARKS_H

#include "FindNode.h"
#include "onnxc/Explain/Explain.h"

#include <mutex>

namespace onnxc {

/// The remarks on one node.
struct NodeRemarks {
  /// The remarks on rewrites, in order, each once.
  std::vector<ExplainedRewrite> rewrites;
  std::vector<ExplainedChoice> algorithms, layouts;
  std::vector<ExplainedRefusal> refusals;
  std::mutex mutex;
};

/// Adds to `remarks`, which outlives the context, what its passes remark on
/// the node from now on.
mlir::LogicalResult collectRemarks(mlir::MLIRContext &context,
                                   const NodeMatch &node, NodeRemarks &remarks);

/// The nodes of a location.
std::vector<ExplainedNode> explainedNodes(mlir::Location loc);

} // namespace onnxc

#endif // ONNXC_LIB_EXPLAIN_REMARKS_H
