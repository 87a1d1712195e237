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

/// Iterations of a loop in a version for few of them and in one for many: the
/// extent where it is less than `limit`, else 0; and the other way round.
std::pair<mlir::Value, mlir::Value> splitExtent(mlir::OpBuilder &b,
                                                mlir::Location loc,
                                                mlir::Value extent,
                                                int64_t limit);

/// The extent of a loop that is for many rows only: 0 for fewer than `limit`.
mlir::Value extentForMany(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value rows, int64_t limit, mlir::Value extent);

/// What is known of the iterations of a dynamic loop: that they are fewer than
/// `limit`, and at least `atLeast`; 0 for nothing.
void setBounds(krnl::KernelOp kernel, unsigned loop, int64_t limit,
               int64_t atLeast);

/// Lets the planners of a kernel assume that it has fewer rows than the limit.
void limitRows(krnl::KernelOp kernel, Rows rows);

/// Divides the runs of two kernels that write the same results between them by
/// the number of rows: `few` has no iterations from the limit on, and `many`,
/// which comes after it and writes into the results of `few`, none below it.
void divideRows(krnl::KernelOp few, krnl::KernelOp many, Rows rows);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ROWVERSIONS_H
