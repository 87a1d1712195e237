//===- DividedAttention.h - An attention whose keys have parts --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_DIVIDEDATTENTION_H
#define ONNXC_LIB_RECIPE_PASSES_DIVIDEDATTENTION_H

#include "Kernels/AttentionLoops.h"
#include "Kernels/KernelShape.h"
#include "Kernels/SoftmaxOps.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc {

/// An attention in one kernel whose keys are divided. The kernel is changed to
/// have a loop over the parts, and weights that are not divided by their sum.
class DividedAttention : protected AttentionLoops {
public:
  DividedAttention(mlir::RewriterBase &rewriter, krnl::KernelOp whole)
      : AttentionLoops(whole), rewriter(rewriter) {}

  /// Returns false if the kernel is no attention whose weights are a softmax
  /// along the keys. Nothing else may be called then.
  bool match();
  /// The number of keys; 0 if it is dynamic.
  int64_t keys() { return extentOf(kernel, scores.column, 0); }
  /// Makes two loops of that over the keys, and drops the division. False where
  /// that is not possible; the kernel may have changed then.
  bool expand(int64_t keysOfPart);

protected:
  /// Adds the op and all that it needs, up to another one, to `into`.
  void collect(mlir::Operation *op, llvm::SetVector<mlir::Operation *> &into,
               mlir::Operation *without = nullptr);

  mlir::RewriterBase &rewriter;
  SoftmaxOps softmax;
  /// Ops after the sums of values.
  llvm::SetVector<mlir::Operation *> tail;
  /// The loop over the parts.
  std::string part;

private:
  bool findTail();
  void dropDivision();
  void guardShift();
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_DIVIDEDATTENTION_H
