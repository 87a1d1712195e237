//===- Constants.h - Reading constants, dense or blob ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_CONSTANTS_H
#define ONNXC_DIALECT_ONNX_IR_CONSTANTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace onnxc::onnx {

/// The elements of a dense or blob attribute in ONNX's raw form: little
/// endian, row-major, a byte per bool, elements of less than a byte packed
/// from the low bits up. The result points into the attribute, into the store
/// of blobs, or into `scratch`; empty for strings, for blobs whose bytes are
/// unknown and for attributes of no tensor.
llvm::ArrayRef<char> constantBytes(mlir::Attribute attribute,
                                   llvm::SmallVectorImpl<char> &scratch);

/// The elements of an integer or bool tensor of rank 0 or 1, sign- or
/// zero-extended by its type; nothing for other attributes.
std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Attribute value);

/// The elements of the integer or bool tensor that an `onnx.Constant` defines
/// as `value`; nothing otherwise, also for a null value.
std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value value);

/// The tensor that an `onnx.Constant` defines as one attribute, dense or blob,
/// in whichever of its attributes the constant has it; null for sparse ones
/// and values that no constant defines. A constant of another dialect counts
/// too: in the middle of a conversion an operand may be one.
mlir::TypedAttr constantValue(mlir::Value value);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_CONSTANTS_H
