//===- Alternatives.h - Branches of which one is possible ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ALTERNATIVES_H
#define ONNXC_DIALECT_ONNX_IR_ALTERNATIVES_H

#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// The attribute of an If whose branches are the same computation, each under
/// an assumption that the condition tests. A branch that an operation in it
/// rejects is impossible and is removed. No model has such an If, so its
/// results may be of types that models may not yield from one.
inline constexpr llvm::StringLiteral alternativesAttrName = "onnx.alternatives";

/// The attribute of an Identity that casts to the last of several ranks, or
/// lengths of a list, that a run may have: all of them.
inline constexpr llvm::StringLiteral acceptedAttrName = "onnx.accepted";

/// The innermost branch of such an If that `op` stands in, if there is one.
mlir::Block *alternativeAround(mlir::Operation *op);

/// Replaces the If of `branch` by its other branch. Adds the blocks that are
/// deleted to `deleted`.
void dropBranch(mlir::Block *branch, llvm::DenseSet<mlir::Block *> &deleted);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_ALTERNATIVES_H
