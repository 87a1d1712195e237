//===- model.h - MLIR and the ONNX dialect, on top of schema.h --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Precompiled with exceptions for the sources that read and write model files
// (utils/cmake/ONNXCPrecompiledHeaders.cmake).
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
