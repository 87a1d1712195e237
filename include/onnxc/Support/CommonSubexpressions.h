//===- CommonSubexpressions.h - Merge equal operations ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's function does not hash operations in regions, so that kernels or
// branches of the same operands are compared with one another, and it scans all
// operations between two equal reads: both are quadratic in the length of a
// block. This one hashes regions, and counts the writes as it goes.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_COMMONSUBEXPRESSIONS_H
#define ONNXC_SUPPORT_COMMONSUBEXPRESSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Replaces operations in `root` that equal one before them, and erases those
/// without use. `merge`, if given, is called with the one that remains and the
/// one that it replaces. Returns true if there were any.
bool mergeCommonSubexpressions(
    mlir::RewriterBase &rewriter, mlir::Operation *root,
    llvm::function_ref<void(mlir::Operation *, mlir::Operation *)> merge =
        nullptr);

} // namespace onnxc

#endif // ONNXC_SUPPORT_COMMONSUBEXPRESSIONS_H
