//===- BlockedWeights.h - Weights packed in blocks --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDWEIGHTS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDWEIGHTS_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

namespace onnxc {

/// Sizes of the weights of MatMulNBits.
struct BlockedWeights {
  explicit BlockedWeights(onnx::MicrosoftMatMulNBitsOp op)
      : bits(op.getBits()), columns(op.getN()), depth(op.getK()),
        size(op.getBlockSize()) {
    bool isWhole = (bits == 2 || bits == 4 || bits == 8) && columns > 0 &&
                   depth > 0 && size > 0 && size <= maxSize &&
                   columns <= maxSize && depth <= maxSize &&
                   size % (8 / bits) == 0;
    if (isWhole)
      count = (depth + size - 1) / size;
  }
  /// Returns true if the attributes are consistent.
  explicit operator bool() const { return count > 0; }

  int64_t parts() const { return 8 / bits; }
  /// The default zero point.
  int64_t middle() const { return int64_t(1) << (bits - 1); }
  int64_t bytes() const { return size / parts(); }
  /// Bytes of packed zero points of a column.
  int64_t zeroBytes() const { return (count * bits + 7) / 8; }

  static constexpr int64_t maxSize = int64_t(1) << 30;
  int64_t bits, columns, depth, size;
  /// Blocks of a column.
  int64_t count = 0;
};

/// The reason why the operator does not become one kernel; empty if it does.
/// The operands may be those of the operator, or lowered ones.
llvm::StringRef whyNotBlocked(onnx::MicrosoftMatMulNBitsOp op,
                              onnx::MicrosoftMatMulNBitsOp::Adaptor operands);

/// Returns true if the data may be converted to bytes, and the weights allow
/// that. Bytes are multiplied in groups of four, and their sums must not
/// overflow.
bool takesBytes(onnx::MicrosoftMatMulNBitsOp op);

/// Packed zero points, with a byte for each.
mlir::Value unpackedZeroPoints(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value zeros, const BlockedWeights &blocks);

/// Reads one number of the weights and dequantises it.
class WeightReader {
public:
  WeightReader(const BlockedWeights &blocks, mlir::Type scale, mlir::Type zero)
      : blocks(blocks), scale(scale), zero(zero) {}

  /// `zeroPoint` is null where it is the middle. `part` is null where a byte
  /// holds one number.
  mlir::Value read(mlir::OpBuilder &b, mlir::Location loc, mlir::Value byte,
                   mlir::Value part, mlir::Value factor,
                   mlir::Value zeroPoint) const;

  /// Returns true if the weights are halves that readHalf() computes: numbers
  /// and scales are.
  bool areHalves(mlir::Type weight) const {
    return weight.isF16() && scale.isF16() &&
           !mlir::isa_and_present<mlir::FloatType>(zero);
  }
  /// The value of read(), rounded to f16, by operations of f16, of which a
  /// device has two at once. Differences of numbers are exact, so that the
  /// product is rounded once.
  mlir::Value readHalf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value byte,
                       mlir::Value part, mlir::Value factor,
                       mlir::Value zeroPoint) const;

  /// The number in an integer as wide as `bytes`, which holds it as `part`.
  mlir::Value unpack(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bytes,
                     mlir::Value part) const;

private:
  /// The zero point as a real.
  mlir::Value middle(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value zeroPoint) const;

  const BlockedWeights &blocks;
  mlir::Type scale, zero;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTRACTIONS_BLOCKEDWEIGHTS_H
