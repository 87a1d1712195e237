//===- SplitAttention.h - Parts of the keys of an attention -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_SPLITATTENTION_H
#define ONNXC_LIB_RECIPE_PASSES_SPLITATTENTION_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// The kernel of the parts of an attention, and the kernel that combines them.
struct AttentionSplit {
  krnl::KernelOp parts, total;
};

/// How many keys an attention in one kernel has; 0 where it is none whose
/// weights are a softmax along the keys, or if that is dynamic.
int64_t splittableKeys(mlir::RewriterBase &rewriter, krnl::KernelOp attention);

/// Writes two kernels before the attention, which stays: the sums of values of
/// parts of so many keys, with the maximum and the sum of exponentials of each,
/// and their combination. Where the number of keys is dynamic, the last part
/// may have fewer; else all have as many.
mlir::FailureOr<AttentionSplit> splitAttention(mlir::RewriterBase &rewriter,
                                               krnl::KernelOp attention,
                                               int64_t keysOfPart);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_SPLITATTENTION_H
