//===- Requantize.h - Bytes with a scale, and the way back ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_REQUANTIZE_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_REQUANTIZE_H

#include "Simplify/Simplify.h"

namespace onnxc::onnx {

inline bool areBytes(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).isInteger(8);
}

inline bool isF32(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).isF32();
}

/// `value` as a dequantised tensor of bytes without blocks; null otherwise.
DequantizeLinearOp dequantizedBytes(mlir::Value value);

/// Returns true if there are one scale and one zero point for all elements.
bool isUniform(DequantizeLinearOp op);

/// Patterns that requantise results of products, and move bytes instead of
/// reals.
void populateRequantizePatterns(mlir::RewritePatternSet &patterns);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_REQUANTIZE_H
