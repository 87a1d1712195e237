//===- InlineElements.h - Elements computed where they are read -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_INLINEELEMENTS_H
#define ONNXC_LIB_RECIPE_PASSES_INLINEELEMENTS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// The argument of the kernel for a tensor or an index of the host program, a
/// new one if it has none.
mlir::Value argumentFor(krnl::KernelOp kernel, mlir::Value outside);

/// Returns true if the kernel has one op, which computes elements by a
/// comparison of indices or by none but sizes, or integers by sums and
/// comparisons, and reads fewer elements than it writes: a mask of keys beside
/// a causal one.
bool computesMask(krnl::KernelOp kernel);

/// Lets ops that read the kernel's result at their loops compute the elements
/// themselves, except factors of products. The kernel stays.
void inlineIntoReaders(mlir::RewriterBase &rewriter, krnl::KernelOp kernel);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_INLINEELEMENTS_H
