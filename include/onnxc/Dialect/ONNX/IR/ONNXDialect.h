//===- ONNXDialect.h - The onnx dialect, without operations ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXDIALECT_H
#define ONNXC_DIALECT_ONNX_IR_ONNXDIALECT_H

#include "mlir/IR/Dialect.h"

#include <memory>

namespace onnxc::onnx {
class BlobStore;
} // namespace onnxc::onnx

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h.inc"

#endif // ONNXC_DIALECT_ONNX_IR_ONNXDIALECT_H
