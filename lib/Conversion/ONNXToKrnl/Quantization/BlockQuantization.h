//===- BlockQuantization.h - Data as bytes, block by block ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_BLOCKQUANTIZATION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_BLOCKQUANTIZATION_H

#include "mlir/IR/Builders.h"

namespace onnxc {

/// The tensor with known sizes `last` instead of its last `dropped` dimensions.
mlir::Value reshapeLast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        int64_t dropped, llvm::ArrayRef<int64_t> last);

/// Reals as signed bytes: number * scale is the real, to half a scale.
struct QuantizedBlocks {
  /// [.., blocks, parts, bytes] of i8.
  mlir::Value numbers;
  /// [.., blocks] of f32, and of i32: the sums of the numbers, multiplied.
  mlir::Value scales, sums;
};

/// Quantises `x`, [.., blocks, size] of f32, with a scale for each block such
/// that the largest number is 127. Elements at a distance of `parts` become
/// adjacent: element byte * parts + part is number [part, byte]. The sums are
/// multiplied by `factor`.
QuantizedBlocks quantizeBlocks(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value x, int64_t parts, int64_t factor);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_BLOCKQUANTIZATION_H
