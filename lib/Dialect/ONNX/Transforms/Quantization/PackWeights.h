//===- PackWeights.h - Products with dequantised weights -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_PACKWEIGHTS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_PACKWEIGHTS_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc::onnx {

/// matmul(x, dequantize(w)) and gemm(x, dequantize(w), c) for a constant w
///   -> matmul_nbits(x, w') [+ c]
void populatePackWeightsPatterns(mlir::RewritePatternSet &patterns);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_QUANTIZATION_PACKWEIGHTS_H
