//===- AttentionViews.h - No views around an attention ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ATTENTIONVIEWS_H
#define ONNXC_LIB_RECIPE_PASSES_ATTENTIONVIEWS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Lets a product read the results that elementwise kernels and copies make for
/// it alone without views between them, where the loops of both can become
/// those of the dimensions of either.
void alignFactors(mlir::RewriterBase &rewriter, krnl::KernelOp product);

/// Makes one kernel of a product and of the elementwise kernel or copy that
/// alone reads views of its only result; null where that is not possible.
krnl::KernelOp joinReader(mlir::RewriterBase &rewriter, krnl::KernelOp product);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ATTENTIONVIEWS_H
