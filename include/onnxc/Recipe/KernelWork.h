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
  /// Products that are added to a sum over loops.
  double multiplyAdds = 0;
  /// Arithmetic operations on elements, integers included; a multiply-add is
  /// two of them, a function such as exp is one.
  double operations = 0;
  /// The bytes of the operands and results: elements count once, and no more of
  /// them than the loops can touch.
  double bytes = 0;
  /// The operations on elements of 64 bits, which `operations` includes.
  double wideOperations = 0;

  /// Operations on each byte; 0 without bytes.
  double intensity() const { return bytes > 0 ? operations / bytes : 0; }
};

/// The work of a kernel, of its algorithm: vectors, padding of tiles and
/// packing do not count. Unknown extents and sizes count as `unknown`.
KernelWork workOf(krnl::KernelOp kernel, int64_t unknown);

/// The work of a launch of the kernel, exactly, as the attribute of
/// krnl/IR/Launches.h. The inputs of the launch are those of the kernel, and
/// after them the extents of its dynamic loops; `isReplaced` says of an input
/// of the kernel whether the launch has another tensor in its place. Null for
/// traversals, which end as the data say.
mlir::DictionaryAttr launchWork(krnl::KernelOp kernel,
                                llvm::function_ref<bool(unsigned)> isReplaced);

/// The work of a launch that writes its input, of this type, in another order.
mlir::DictionaryAttr packingWork(mlir::RankedTensorType input);

/// Calls `visit` with the location and the work of each operation of the
/// payloads of a kernel; `bytes` is 0.
void forEachOperation(
    krnl::KernelOp kernel, int64_t unknown,
    llvm::function_ref<void(mlir::Location, const KernelWork &)> visit);

} // namespace onnxc

#endif // ONNXC_RECIPE_KERNELWORK_H
