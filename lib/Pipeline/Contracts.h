//===- Contracts.h - Contracts of the phases -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_PIPELINE_CONTRACTS_H
#define ONNXC_LIB_PIPELINE_CONTRACTS_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {

/// Fails unless there are only operators of the model in functions, of which
/// attributes describe arguments and results: nothing is lowered yet.
mlir::LogicalResult isOnnxOnly(mlir::ModuleOp module);
/// Fails unless every value that is used has a type, and isOnnxOnly() holds.
mlir::LogicalResult isOnnxTyped(mlir::ModuleOp module);
/// Fails if an operator of the onnx dialect is left. There is one module per
/// target, with a host program.
mlir::LogicalResult isKrnlOnly(mlir::ModuleOp module);
/// Fails if a kernel or a tensor is left, a kernel function allocates memory,
/// or the size of a buffer is not checked.
mlir::LogicalResult isLoopsOnly(mlir::ModuleOp module);
/// Fails if there are ops of other dialects than LLVM and NVVM.
mlir::LogicalResult isLLVMOnly(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINE_CONTRACTS_H
