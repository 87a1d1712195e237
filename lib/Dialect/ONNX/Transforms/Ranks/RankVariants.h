//===- RankVariants.h - Variants of what needs a rank ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A variant is a branch of an If that compares a rank, or the length of a list,
// with a number (`onnx.rank_switch`).
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKVARIANTS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKVARIANTS_H

#include "RankTail.h"

namespace onnxc::onnx {

/// Puts a variant of `tail` for each of `numbers`, of which there are at least
/// two, where it was in `block`; returns the operation that chooses.
mlir::Operation *writeVariants(const Unknown &unknown, const Tail &tail,
                               mlir::Block &block,
                               llvm::ArrayRef<int64_t> numbers);

/// The branch around `op` that takes a rank for granted, if there is one.
mlir::Block *variantAround(mlir::Operation *op);

/// Leaves the other branch of the If whose branch `variant` is. Adds the blocks
/// that are no more to `gone`.
void dropVariant(mlir::Block *variant, llvm::DenseSet<mlir::Block *> &gone);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKS_RANKVARIANTS_H
