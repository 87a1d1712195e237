//===- schema.h - The onnx library's classes and schemas --------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Precompiled with exceptions, which the library throws
// (utils/cmake/ONNXCPrecompiledHeaders.cmake).
//===----------------------------------------------------------------------===//

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
