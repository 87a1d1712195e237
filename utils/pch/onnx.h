//===- onnx.h - The ONNX dialect, on top of mlir.h --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Precompiled, chained to mlir.h (utils/cmake/ONNXCPrecompiledHeaders.cmake).
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
