//===- ONNXTypes.h - Types of the onnx dialect -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_ONNXTYPES_H
#define ONNXC_DIALECT_ONNX_IR_ONNXTYPES_H

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h.inc"

namespace onnxc::onnx {

/// Returns true for a tensor of an ONNX element type, a container of such, and
/// NoneType, which stands for a type that is not known yet.
bool isValueType(mlir::Type type);

/// ONNX's number (TensorProto.DataType) of an element type, 0 if it has none.
unsigned getElementTypeNumber(mlir::Type type);

/// The element type with ONNX's number `number`; null if there is none.
mlir::Type getElementTypeByNumber(mlir::MLIRContext *context, int64_t number);

/// Bits that an element takes in ONNX's raw form, bool being 8; 0 for strings
/// and types that are no element types.
unsigned getRawBitWidth(mlir::Type elementType);

/// Bytes of a static tensor in ONNX's raw form. Nothing if the shape is
/// dynamic, the product overflows or the elements have no raw form.
std::optional<uint64_t> getRawSize(mlir::ShapedType type);

/// Returns false if the types are known to differ in more than shapes. An
/// unknown type may be equal to any.
bool mayBeSameUpToShape(mlir::Type a, mlir::Type b);

/// The type as ONNX spells it, without shapes: `seq(tensor(float))`.
std::string getONNXSpelling(mlir::Type type);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_ONNXTYPES_H
