//===- RankVariants.h - Variants for each rank ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A variant is a branch of an If that compares a rank, or the length of a list,
// with a number (`onnx.alternatives`).
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_RANKVARIANTS_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_RANKVARIANTS_H

#include "RankDependents.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::onnx {

/// Puts a variant of `dependents` for each of `numbers`, of which there are at
/// least two, where it was in `block`; returns the operation that chooses.
mlir::Operation *writeVariants(const Unknown &unknown,
                               const RankDependents &dependents,
                               mlir::Block &block,
                               llvm::ArrayRef<int64_t> numbers);

/// Sets on casts to the last rank, or length, of several variants which these
/// are, for the message of a run that has another one.
void annotateRankChoices(mlir::ModuleOp module);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKVARIANTS_H
