//===- TensorAttr.h - Bytes as the value of a constant ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_TENSORATTR_H
#define ONNXC_DIALECT_ONNX_IR_TENSORATTR_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace onnxc::onnx {

/// Constants up to this size are written into the text of the module.
inline constexpr uint64_t maxInlineBytes = 1024;

/// A tensor with these bytes in ONNX's raw form: dense elements if they are
/// few, otherwise a blob. Null if they do not fit the type.
mlir::TypedAttr makeTensorAttr(mlir::RankedTensorType type,
                               std::vector<char> bytes);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_TENSORATTR_H
