//===- DeclareKernel.h - Kernels made of a part of another one --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_DECLAREKERNEL_H
#define ONNXC_LIB_RECIPE_PASSES_DECLAREKERNEL_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// A kernel before `kernel` with these loops and no ops. Its inputs are `ins`
/// and, after them, those of `kernel`; loops of the same names have the same
/// dynamic sizes, and `extentOfOther` has those of others. `mapping` is from
/// what the body of `kernel` reads of these to the same of the new one, where
/// the rewriter inserts from now on.
krnl::KernelOp declareKernel(
    mlir::RewriterBase &rewriter, krnl::KernelOp kernel, llvm::StringRef suffix,
    llvm::ArrayRef<krnl::LoopAttr> loops, llvm::ArrayRef<mlir::Value> ins,
    llvm::ArrayRef<mlir::Value> outs, mlir::IRMapping &mapping,
    llvm::function_ref<mlir::Value(llvm::StringRef)> extentOfOther = nullptr);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_DECLAREKERNEL_H
