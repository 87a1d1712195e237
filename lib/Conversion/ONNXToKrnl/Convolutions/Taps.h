//===- Taps.h - Convolutions as sums of products over taps ------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_TAPS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_TAPS_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <optional>

namespace onnxc {

/// An attribute of a convolution that is to be computed tap by tap, each over
/// the results that it does not read the border for. The pass
/// `onnx-choose-convolutions` sets it where that is profitable.
inline constexpr llvm::StringLiteral tapsAttr = "krnl.taps";

/// One spatial dimension of a convolution. A size is ShapedType::kDynamic if it
/// is not known; the others are.
struct TapDim {
  int64_t in, window, stride, dilation, before, after;

  /// The element that tap `k` reads for the first result, from the first one of
  /// the operand on; negative if that is in the border.
  int64_t offset(int64_t k) const { return k * dilation - before; }
  /// The first result that tap `k` reads an element for, if there is one.
  int64_t start(int64_t k) const;
  /// How many results there are if the operand has `size` elements, and for how
  /// many of them tap `k` reads an element.
  int64_t results(int64_t size) const;
  int64_t count(int64_t k, int64_t size) const;
  /// Tap `k` reads an element for all results, of no size for none of them; of
  /// a size that is not known, of any.
  bool readsAll(int64_t k) const;
  bool readsNothing(int64_t k) const;
};

/// A position in the window.
using Tap = llvm::SmallVector<int64_t>;

/// A convolution whose filters are constant, of one group, or depthwise: with a
/// group for each channel, of the input and of the output.
struct TapConv {
  /// Reads the convolution; returns nothing where the algorithm does not apply.
  static std::optional<TapConv> match(onnx::ConvOp op);

  /// The taps that may read an element, in the order of the window.
  llvm::SmallVector<Tap> taps() const;
  /// The taps of the window, whether they read an element or not.
  int64_t windowElements() const;
  /// The products of a tap for a result.
  int64_t terms() const { return isDepthwise ? 1 : inChannels; }

  int64_t batch, inChannels, outChannels;
  bool isDepthwise;
  llvm::SmallVector<TapDim> dims;
  mlir::TypedAttr filters;
};

/// The convolution of `x`, and `bias` if there is one: a sum over the taps that
/// starts from zeros. The tap that reads an element for all results comes last,
/// with the bias, if there is such a tap.
mlir::Value buildTaps(mlir::OpBuilder &b, mlir::Location loc,
                      const TapConv &conv, mlir::Value x, mlir::Value bias);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_TAPS_H
