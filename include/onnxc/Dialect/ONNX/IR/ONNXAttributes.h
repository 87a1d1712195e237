//===- ONNXAttributes.h - Attributes of the onnx dialect -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_H
#define ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_H

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.h.inc"

#endif // ONNXC_DIALECT_ONNX_IR_ONNXATTRIBUTES_H
