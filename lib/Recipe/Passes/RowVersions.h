//===- RowVersions.h - Versions of kernels by their rows --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ROWVERSIONS_H
#define ONNXC_LIB_RECIPE_PASSES_ROWVERSIONS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc {

/// A loop of dynamic extent over rows, and of how many iterations a kernel has
/// a version of its own: of fewer than `limit`.
struct Rows {
  unsigned loop;
  int64_t limit;
};

/// Lets the planners of a kernel assume that it has fewer rows than the limit.
void limitRows(krnl::KernelOp kernel, Rows rows);

/// Divides the runs of two kernels that write the same results between them by
/// the number of rows: `few` has no iterations from the limit on, and `many`,
/// which comes after it and writes into the results of `few`, none below it.
void divideRows(krnl::KernelOp few, krnl::KernelOp many, Rows rows);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ROWVERSIONS_H
