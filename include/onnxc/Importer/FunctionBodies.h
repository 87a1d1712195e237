//===- FunctionBodies.h - Operators as the nodes they stand for -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Many operators are defined by a body of simpler ones, which the onnx library
// holds or builds for given types. Bodies are written in older versions of
// the operators; their nodes go through the same upgrade rules as a model's.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_IMPORTER_FUNCTIONBODIES_H
#define ONNXC_IMPORTER_FUNCTIONBODIES_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc::importer {

/// Returns true if the schema of `op` defines it by other operators. A context-
/// dependent body may still not exist for the types that `op` has.
bool hasFunctionBody(mlir::Operation *op);

/// Replaces `op` by the nodes of its body, with the types that follow from
/// its operands. Fails with an error at `op` if the body cannot be built; `op`
/// then stays, beside dead operations.
llvm::LogicalResult expandFunction(mlir::Operation *op,
                                   mlir::RewriterBase &rewriter);

} // namespace onnxc::importer

#endif // ONNXC_IMPORTER_FUNCTIONBODIES_H
