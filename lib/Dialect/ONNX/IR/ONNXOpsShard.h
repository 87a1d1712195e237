//===- ONNXOpsShard.h - For generated definitions --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Included by the generated ONNXOpsShard<n>.cpp only.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_IR_ONNXOPSSHARD_H
#define ONNXC_LIB_DIALECT_ONNX_IR_ONNXOPSSHARD_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

namespace onnxc::onnx {

/// `dense<..> : tensor<..>` with the type of the attribute as that of the
/// result, or `: type` for a constant without `value`.
mlir::ParseResult parseConstantValue(mlir::OpAsmParser &parser,
                                     mlir::TypedAttr &value,
                                     mlir::Type &output);
void printConstantValue(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::TypedAttr value, mlir::Type output);

} // namespace onnxc::onnx

using onnxc::onnx::parseConstantValue;
using onnxc::onnx::printConstantValue;

#endif // ONNXC_LIB_DIALECT_ONNX_IR_ONNXOPSSHARD_H
