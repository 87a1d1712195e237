//===- ReadTransposed.h - Reads without a transposition ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_READTRANSPOSED_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_READTRANSPOSED_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc::krnl {

/// Erases a kernel that copies a tensor with its dimensions in another order,
/// if all that reads the result are kernels for which `isReader` is true: they
/// read the tensor itself, in its order. False if it stays.
bool readTransposed(mlir::RewriterBase &rewriter, KernelOp kernel,
                    llvm::function_ref<bool(KernelOp)> isReader);

/// Lets one reader of such a copy, whose input it is, read the tensor itself if
/// elements that are adjacent in the copy are so in the tensor. The copy stays.
/// The reader may have an input less afterwards. False if nothing changes.
bool readRowsInPlace(KernelOp reader, unsigned input);

/// Lets a kernel that copies a tensor, or one index of some of its dimensions,
/// for this reader alone write its dimensions in the order that they have
/// there. False if nothing changes.
bool writeInOrder(mlir::RewriterBase &rewriter, KernelOp kernel,
                  KernelOp reader);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_READTRANSPOSED_H
