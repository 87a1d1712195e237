//===- krnl.h - The krnl dialect, on top of mlir.h or onnx.h ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Precompiled twice: chained to mlir.h as `krnl`, and chained to onnx.h as
// `lowering` (utils/cmake/ONNXCPrecompiledHeaders.cmake).
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
