//===- OrderLaunches.h - Launches that need results of others --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ORDERLAUNCHES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ORDERLAUNCHES_H

#include "LaunchGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnxc/Dialect/Krnl/Transforms/AssumedValues.h"

namespace onnxc::krnl {

/// The launches of a host program on a device, and its copies of buffers.
struct OrderedLaunches {
  LaunchGraph graph;
  /// The launches and copies by their numbers in the graph.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The launches that access a buffer, by number, in order.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> users;
};

/// Orders launches that access the same bytes of a buffer where one of them
/// writes these, as if no two buffers shared memory. Launches wait for what the
/// host does with contents of buffers, for what is in branches and loops, and
/// for launches with a buffer that `isOnDevice` refuses or that is one of
/// several.
OrderedLaunches orderLaunches(mlir::func::FuncOp host,
                              llvm::function_ref<bool(mlir::Value)> isOnDevice,
                              AssumedValues &sizes);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ORDERLAUNCHES_H
