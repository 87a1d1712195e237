//===- DivideKeys.h - Parts of keys of a dynamic number ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_DIVIDEKEYS_H
#define ONNXC_LIB_RECIPE_PASSES_DIVIDEKEYS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Divides the loop over the keys of an attention, whose number is dynamic,
/// into parts of `size` of them, as divideLoop() does, and gives the names of
/// the two loops. `scores` writes what the softmax reads: after the last key
/// that is -infinity. False where that is not possible; the kernel may have
/// changed then.
bool divideKeys(mlir::RewriterBase &rewriter, krnl::KernelOp kernel,
                llvm::StringRef loop, int64_t size, krnl::ComputeOp scores,
                llvm::SmallVectorImpl<std::string> &names);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_DIVIDEKEYS_H
