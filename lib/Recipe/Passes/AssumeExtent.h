//===- AssumeExtent.h - Kernels with an assumed extent ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ASSUMEEXTENT_H
#define ONNXC_LIB_RECIPE_PASSES_ASSUMEEXTENT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Gives a copy of a kernel, whose results nothing uses, this extent for a loop
/// of dynamic extent, so that the cost model sees it; operands are cast. False,
/// and nothing has changed, where the loop does not cover one dimension of each
/// tensor that it indexes.
bool assumeExtent(mlir::RewriterBase &rewriter, krnl::KernelOp copy,
                  llvm::StringRef loop, int64_t extent);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ASSUMEEXTENT_H
