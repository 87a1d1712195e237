//===- QuantizedProduct.h - Products of bytes -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_QUANTIZEDPRODUCT_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_QUANTIZEDPRODUCT_H

#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

namespace onnxc::onnx {

/// A tensor of bytes and its zero point; `zero` is null where that is 0.
struct Bytes {
  mlir::Value value, zero;

  bool isSigned() const;
};

/// Returns true for a value that depends on constants alone, over so many
/// operations.
bool isFromConstants(mlir::Value value, unsigned depth = 12);
/// Returns true for a constant whose elements are all zero, or that is not
/// there.
bool isZero(mlir::Value constant);
/// Number of elements of a tensor of known shape, else 0.
int64_t elementCount(mlir::Value value);

/// The sums of products of x and w in i32, above their zero points, from one
/// MatMulInteger without any; null where a form is not covered: x must have
/// one zero point; w may have one for each column.
mlir::Value makeMatMulSums(NodeMaker &maker, Bytes x, Bytes w);

/// The sums of products of x and w in i32, above their zero points, for a
/// convolution with the attributes of `conv`, with one zero point of w for each
/// output channel if it has several.
mlir::Value makeConvSums(NodeMaker &maker, mlir::Operation *conv, Bytes x,
                         Bytes w);

/// Returns true if the product has the form that these functions make already.
bool isPlainProduct(Bytes x, Bytes w);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_QUANTIZEDPRODUCT_H
