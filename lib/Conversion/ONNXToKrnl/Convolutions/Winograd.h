//===- Winograd.h - Convolutions with fewer products ------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINOGRAD_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINOGRAD_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <array>
#include <optional>

namespace onnxc {

/// An attribute of a convolution that is to be computed by Winograd's
/// algorithm: the results along each side of a tile, 2 or 4. The pass
/// `onnx-choose-convolutions` sets it where that is profitable.
inline constexpr llvm::StringLiteral winogradAttr = "krnl.winograd";
/// The two numbers of a WinogradLimit, for images of dynamic size. Absent if
/// all runs use the algorithm.
inline constexpr llvm::StringLiteral winogradLimitAttr = "krnl.winograd_limit";

/// A run computes a convolution directly that has fewer results than `base` and
/// `ofTile` for each tile.
struct WinogradLimit {
  int64_t base, ofTile;
};

/// A 3x3 convolution whose filters are constant.
struct WinogradConv {
  /// Reads the convolution; returns nothing where the algorithm does not apply.
  static std::optional<WinogradConv> match(onnx::ConvOp op);

  /// Tiles of `side` x `side` results that cover them all, over the batch or,
  /// where that is not known, in one image. Of dynamic images an estimate.
  int64_t tiles(int64_t side) const;
  /// Returns true if a size of the image is not known.
  bool isDynamic() const {
    return llvm::any_of(out, mlir::ShapedType::isDynamic);
  }

  /// Bytes of transformed data and products, and how many bands of whole rows
  /// of tiles they are made in, one after the other.
  double transformBytes(int64_t side) const;
  int64_t bands(int64_t side) const;

  int64_t batch, inChannels, outChannels;
  /// The sizes of the spatial dimensions of the operand and of the result.
  std::array<int64_t, 2> in, out;
  /// Elements of the border before and after the operand.
  std::array<int64_t, 2> before, after;
  mlir::TypedAttr filters;
  /// A band is to be no larger, if that does not take too many bands.
  double bandBytes;
};

/// The convolution of operands that `conv` has been read from, with tiles of
/// `side` x `side` results; of an image of dynamic size with sums over the
/// windows in runs below `limit`, if there is one.
mlir::Value buildWinograd(mlir::OpBuilder &b, mlir::Location loc,
                          const WinogradConv &conv, int64_t side,
                          std::optional<WinogradLimit> limit,
                          mlir::ValueRange operands);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINOGRAD_H
