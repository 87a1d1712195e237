//===- Interpolation.h - Values between samples -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared by Resize, GridSample, RoiAlign and DeformConv: the samples that a
// value between them depends on, and their weights. All of it is scalar code of
// kernels, in f32, or f64 for elements that f32 cannot hold.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_INTERPOLATION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_INTERPOLATION_H

#include "Builders/ScalarBuilder.h"

namespace onnxc {

enum class Interpolation { Nearest, Linear, Cubic };

/// nearest, linear or cubic.
std::optional<Interpolation> parseInterpolation(llvm::StringRef mode);

/// How many samples in a row take part.
int64_t tapCount(Interpolation mode);

/// f64 for f64 and for integers of 32 bits and more, else f32.
mlir::Type interpolationType(mlir::Type onnxElement);
/// A stored element in the interpolation type and back, rounded and saturated.
mlir::Value toInterpolation(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value stored, mlir::Type onnxElement);
mlir::Value fromInterpolation(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value value, mlir::Type onnxElement);

/// The weight of a sample at `distance`: a triangle, or Keys'
/// cubic with coefficient `a`.
mlir::Value tapWeight(ScalarBuilder &s, Interpolation mode,
                      mlir::Value distance, double a);

/// An index as a number of the builder's type, and back: clamped to 0 to `last`
/// (a number); NaN becomes 0.
mlir::Value indexToFloat(ScalarBuilder &s, mlir::Value index);
mlir::Value floatToIndex(ScalarBuilder &s, mlir::Value x, mlir::Value last);
/// 0 <= x <= last; false for NaN.
mlir::Value isWithin(ScalarBuilder &s, mlir::Value x, mlir::Value last);

/// A sample along one dimension.
struct Tap {
  /// The index of the sample, of index type, in range.
  mlir::Value index;
  /// The weight of the sample; null: 1.
  mlir::Value weight;
  /// An i1: the sample exists; null: it does. Others are 0.
  mlir::Value exists;
};

/// Where samples beyond the ends come from.
enum class Border { Zeros, Clamp, Reflect };

/// The samples along one dimension of `size` (an index) that take part at `x`.
/// Reflection is about the middle of the outer samples, or, if `atCorners` is
/// not set, about their outer edges.
llvm::SmallVector<Tap> tapsAround(ScalarBuilder &s, mlir::Value x,
                                  mlir::Value size, Interpolation mode,
                                  double a, Border border, bool atCorners);

/// The sum over all combinations of one tap for each dimension; `read` gives
/// the sample at some indices in the builder's type.
mlir::Value
interpolate(ScalarBuilder &s, llvm::ArrayRef<llvm::SmallVector<Tap>> dims,
            llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> read);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_INTERPOLATION_H
