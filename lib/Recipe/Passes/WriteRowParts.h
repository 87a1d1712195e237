//===- WriteRowParts.h - Kernels for parts of rows --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_WRITEROWPARTS_H
#define ONNXC_LIB_RECIPE_PASSES_WRITEROWPARTS_H

#include "Passes/RowSums.h"

namespace onnxc {

/// The kernels that a kernel of rows becomes, in their order. The last one is
/// null where no result has an element for each of the row, or the one before
/// has these, too.
struct RowKernels {
  krnl::KernelOp parts, total, tail;
  /// What takes the place of each result of the kernel.
  llvm::SmallVector<mlir::Value> results;

  llvm::SmallVector<krnl::KernelOp> all() const;
  /// Erases them, and the tensors between them.
  void erase(mlir::RewriterBase &rewriter);
};

/// How rows are divided.
struct PartsOfRow {
  /// Elements of a part, but for the last one.
  int64_t size;
  /// The maximum number of parts of rows of dynamic length. No row is longer
  /// than these, unless they take turns: then each part has another `size`
  /// elements after those of all parts, as often as it takes.
  int64_t maxParts = 0;
  bool takesTurns = false;
};

/// Writes them before the kernel, which stays: the sums of parts, then
/// those of the rows, and what follows for each element. Fails where payloads
/// cannot run past the end of a row.
mlir::FailureOr<RowKernels> writeRowParts(mlir::RewriterBase &rewriter,
                                          krnl::KernelOp kernel,
                                          const RowSums &rows,
                                          const PartsOfRow &wanted);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_WRITEROWPARTS_H
