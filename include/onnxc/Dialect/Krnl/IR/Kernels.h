//===- Kernels.h - The kernels of a module ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KERNELS_H
#define ONNXC_DIALECT_KRNL_IR_KERNELS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The kernels within `root` in their order. Who replaces kernels goes through
/// this list, as a walk does not survive that.
inline llvm::SmallVector<KernelOp> kernelsOf(mlir::Operation *root) {
  llvm::SmallVector<KernelOp> kernels;
  root->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_KERNELS_H
