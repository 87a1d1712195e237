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

/// How many keys an attention in one kernel has; 0 where it is none whose
/// weights are a softmax along the keys, or if that is dynamic.
int64_t splittableKeys(mlir::RewriterBase &rewriter, krnl::KernelOp attention);

/// Writes kernels before the attention, which stays: that of the sums of values
/// of parts of so many keys, with the maximum and the sum of exponentials of
/// each, and their combination, or one kernel of both that has the parts
/// `inTurn`. Where the number of keys is dynamic, the last part may have fewer;
/// else all have as many. None where that is not possible.
llvm::SmallVector<krnl::KernelOp> splitAttention(mlir::RewriterBase &rewriter,
                                                 krnl::KernelOp attention,
                                                 int64_t keysOfPart,
                                                 bool inTurn);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_SPLITATTENTION_H
