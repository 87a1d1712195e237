//===- Masks.h - Numbers that a mask hides ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_MASKS_H
#define ONNXC_DIALECT_ONNX_IR_MASKS_H

#include "llvm/ADT/StringRef.h"

// The pass `onnx-fuse-masks` sets these unit attributes, for the lowering of
// operators to kernels.
namespace onnxc::onnx {

/// Of an Add: the sum is -infinity wherever the second operand is, also beside
/// NaN and infinity.
inline constexpr llvm::StringLiteral hidesAttrName = "onnx.hides";

/// Of a Softmax: the result is 0, and not NaN, along each row of which all
/// elements are -infinity.
inline constexpr llvm::StringLiteral hiddenRowsAttrName =
    "onnx.hidden_rows_are_zero";

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_MASKS_H
