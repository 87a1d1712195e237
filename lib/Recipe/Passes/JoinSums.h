//===- JoinSums.h - One op for sums of products ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_JOINSUMS_H
#define ONNXC_LIB_RECIPE_PASSES_JOINSUMS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Makes one op with several results of the ops of a kernel that sum up
/// products over the same loops, where these have a factor in common
/// (krnl::matrixProductsOf): the factor is read once for all of them. Returns
/// false where not all ops that reduce loops can be one; what the kernel
/// computes is the same in any case.
bool joinSums(mlir::RewriterBase &rewriter, krnl::KernelOp kernel);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_JOINSUMS_H
