//===- KernelWork.h - Operations and bytes of kernels ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_KERNELWORK_H
#define ONNXC_RECIPE_KERNELWORK_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc {

/// Work of a kernel or of a part of it, for one launch.
struct KernelWork {
  /// Products that are added to a sum.
  double multiplyAdds = 0;
  /// Arithmetic operations on elements, integers included; a multiply-add is
  /// two of them, a function such as exp is one.
  double operations = 0;
  /// Size of the operands and results, each counted once.
  double bytes = 0;
  /// Of the operations those on elements of 64 bits.
  double wideOperations = 0;

  /// Operations on each byte; 0 without bytes.
  double intensity() const { return bytes > 0 ? operations / bytes : 0; }
};

/// The work of a kernel, of its algorithm: vectors, padding of tiles and
/// packing do not count. Unknown extents and sizes count as `unknown`.
KernelWork workOf(krnl::KernelOp kernel, int64_t unknown);

/// Calls `visit` with the location and the work of each operation of the
/// payloads of a kernel; `bytes` is 0.
void forEachOperation(
    krnl::KernelOp kernel, int64_t unknown,
    llvm::function_ref<void(mlir::Location, const KernelWork &)> visit);

} // namespace onnxc

#endif // ONNXC_RECIPE_KERNELWORK_H
