//===- PartOfGraph.h - The part between named tensors ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_PARTOFGRAPH_H
#define ONNXC_LIB_IMPORTER_PARTOFGRAPH_H

#include "ImportState.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc::importer {

/// A value under the name that the model gives it.
struct NamedValue {
  std::string name;
  mlir::Value value;
};

/// Makes `from` the arguments of `function`, whose body computes `results` and
/// has no terminator yet; operations needed for `from` alone are erased.
/// Reports other arguments that the results need.
void startAt(ImportState &state, mlir::func::FuncOp function,
             llvm::ArrayRef<NamedValue> from,
             llvm::SmallVectorImpl<mlir::Value> &results);

/// Erases the operations that `results` do not need.
void keepOnly(mlir::Block &block, llvm::ArrayRef<mlir::Value> results);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_PARTOFGRAPH_H
