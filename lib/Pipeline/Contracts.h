//===- Contracts.h - Contracts of the phases -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_PIPELINE_CONTRACTS_H
#define ONNXC_LIB_PIPELINE_CONTRACTS_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// Operators of the model in functions, nothing lowered yet.
mlir::LogicalResult isOnnxOnly(mlir::ModuleOp module);
/// And every value that is used has a type.
mlir::LogicalResult isOnnxTyped(mlir::ModuleOp module);
/// No operator is left; one module per target.
mlir::LogicalResult isKrnlOnly(mlir::ModuleOp module);
/// No kernel and no tensor is left, and kernel functions allocate nothing.
mlir::LogicalResult isLoopsOnly(mlir::ModuleOp module);
/// Only the LLVM dialect.
mlir::LogicalResult isLLVMOnly(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINE_CONTRACTS_H
