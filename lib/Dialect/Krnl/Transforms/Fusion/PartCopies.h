//===- PartCopies.h - Copies of tensors into parts of others ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_PARTCOPIES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_PARTCOPIES_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc::krnl {

/// The position of a tensor inside a larger one of the same rank.
struct TensorPart {
  llvm::SmallVector<int64_t> offsets;
  /// For each dimension, whether the part covers all of it.
  llvm::SmallVector<bool> whole;
  mlir::RankedTensorType small, large;
  /// Sizes in the host program, for each dimension; both are there before the
  /// maker of the small tensor.
  llvm::SmallVector<mlir::OpFoldResult> smallSizes, largeSizes;

  /// Returns true if the two parts are known to have no element in common.
  bool isApart(const TensorPart &other) const;
  /// Makes an access to the small tensor one to the large tensor.
  void shift(Subscripts &access) const;
};

/// An op that copies an input of its kernel into a part of the result.
struct PartCopy {
  ComputeOp op;
  unsigned input;
  TensorPart part;
  /// The kernel that makes the input, where it may write into the part.
  KernelOp producer;

  /// Reads the op as a copy of all of a kernel input.
  static std::optional<PartCopy> read(KernelOp kernel, ComputeOp op);
};

/// Returns true if the op writes one value to every element of its destination.
bool fillsAll(ComputeOp op);

/// The image in the kernel of an index of the host program; a constant is one
/// inside.
mlir::Value indexInside(mlir::RewriterBase &rewriter, KernelOp kernel,
                        mlir::OpFoldResult index);

/// Lets the ops that access `tensor`, now a large one, access its part.
void accessPart(mlir::RewriterBase &rewriter, KernelOp kernel,
                mlir::Value tensor, const TensorPart &part);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_PARTCOPIES_H
