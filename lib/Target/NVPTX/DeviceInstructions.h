//===- DeviceInstructions.h - Instructions without intrinsics --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_NVPTX_DEVICEINSTRUCTIONS_H
#define ONNXC_LIB_TARGET_NVPTX_DEVICEINSTRUCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace onnxc::target {

/// Replaces the operations of the NVVM dialect in a module of kernels that LLVM
/// has no intrinsic for by inline PTX.
void expandInstructions(mlir::ModuleOp kernels);

/// Features that name the version of PTX that the module needs, where LLVM's
/// own choice for the GPU has not all of its instructions; else empty.
llvm::StringRef versionFor(mlir::ModuleOp kernels);

/// Replaces these, and inline PTX, by calls of the simulator of the tests.
void callSimulator(mlir::ModuleOp kernels);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_NVPTX_DEVICEINSTRUCTIONS_H
