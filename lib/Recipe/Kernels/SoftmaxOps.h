//===- SoftmaxOps.h - A softmax among the ops of a kernel -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELS_SOFTMAXOPS_H
#define ONNXC_LIB_RECIPE_KERNELS_SOFTMAXOPS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc {

/// The ops that compute weights of a sum, where these are a softmax:
///
///   scores       x
///   largest      m = max of x along the row
///   exponentials e = exp(x - m)
///   total        t = sum of e along the row
///   weights      e / t, or e * r with r = 1 / t
///
/// Where rows may have no number, m and t may be replaced by others in the two
/// quotients: m by 0 if it is -infinity, t by 1 if it is 0.
///
/// Numbers may be rounded to the type of the tensor and extended again.
struct SoftmaxOps {
  krnl::ComputeOp scores, largest, exponentials, total, weights;

  /// The operation in the payload of `weights` that divides by the total, and
  /// which of its operands the exponential is.
  mlir::Operation *quotient = nullptr;
  unsigned numerator = 0;
  /// Weights of a row of -infinity are 0 instead of NaN.
  bool hiddenRowsAreZero = false;
  /// The operand of `exponentials` that the maximum is.
  mlir::OpOperand *shift = nullptr;

  /// Finds them by the op of the weights, along the loop `row`. None has
  /// results that others read.
  static std::optional<SoftmaxOps> find(krnl::ComputeOp weights,
                                        llvm::StringRef row);

private:
  /// Sets what the quotient says; `readers` gets the ops that read the total.
  bool findQuotient(llvm::SmallVector<mlir::Operation *> &readers);
};

/// What the number is rounded or extended from, if it is.
mlir::Value withoutRounding(mlir::Value value);

/// Returns true if the op starts from zeros that an op of the kernel writes.
bool startsAtZero(krnl::ComputeOp sum);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELS_SOFTMAXOPS_H
