//===- DiagonalMasks.h - Masks by a diagonal --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_DIAGONALMASKS_H
#define ONNXC_LIB_RECIPE_PASSES_DIAGONALMASKS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"

namespace onnxc {

/// A tensor that has the element `after` where the index in one dimension is
/// greater than that in another one and `last` and these sizes of the host
/// program, and `before` elsewhere. The mask of one row has no other dimension.
struct DiagonalMask {
  std::optional<unsigned> rows;
  unsigned columns = 0;
  int64_t last = 0;
  krnl::ScaledValues sizes;
  mlir::TypedAttr before, after;
};

/// Integers that grow evenly along the only dimension that is not 1, from
/// `start` and the sum of these sizes of the host program by `step`.
struct Progression {
  std::optional<unsigned> dim;
  int64_t start = 0, step = 0;
  krnl::ScaledValues sizes;
};

/// Looks for masks in the host program, whose kernels stay where they are.
class MaskFinder {
public:
  /// The mask that the tensor is; nothing for others.
  std::optional<DiagonalMask> maskOf(mlir::Value tensor);

private:
  std::optional<Progression> progressionOf(mlir::Value tensor);
  std::optional<Progression> findProgression(mlir::Value tensor);
  std::optional<Progression> progressionOfOp(krnl::ComputeOp op);
  std::optional<krnl::LinearForm> formOfIndex(mlir::Value value);
  std::optional<krnl::LinearForm> formOutside(krnl::ComputeOp op,
                                              const krnl::LinearForm &form);
  std::optional<krnl::LinearForm> formOf(krnl::ComputeOp op,
                                         mlir::BlockArgument argument);
  krnl::LinearForms formsOf(krnl::ComputeOp op);
  std::optional<DiagonalMask> maskOfOp(krnl::ComputeOp op);

  /// By tensor. Chains of kernels are followed so far only.
  llvm::DenseMap<mlir::Value, std::optional<Progression>> known;
  unsigned depth = 0;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_DIAGONALMASKS_H
