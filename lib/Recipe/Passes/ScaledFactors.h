//===- ScaledFactors.h - Scores of scaled queries and keys ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_SCALEDFACTORS_H
#define ONNXC_LIB_RECIPE_PASSES_SCALEDFACTORS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Where kernels multiply the factors of a product by constants, and nothing
/// else reads their results, the sums of the product are multiplied instead,
/// and these kernels copy. `scores` has one op that reduces.
void moveScales(mlir::RewriterBase &rewriter, krnl::KernelOp scores);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_SCALEDFACTORS_H
