//===- SmallFloats.h - Floats of a byte or less as integers -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels hold float8, float6 and float4 as i8, an element to a byte, zeros
// above a narrower format. They are computed in f32; here are the ways there
// and back, in integer arithmetic that vectorises on every processor.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SMALLFLOATS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SMALLFLOATS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// How values that a narrow type cannot hold are brought into it.
struct Rounding {
  enum class Mode { Up, Down, Nearest };
  /// Values that are too large become the largest finite value instead of
  /// infinity or NaN.
  bool saturate = true;
  /// For float8e8m0 alone; all others round to nearest, ties to even.
  Mode mode = Mode::Up;
};

/// The f32 that the i8 `bits` of format `type` stand for: always exact.
mlir::Value decodeSmallFloat(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::FloatType type, mlir::Value bits);

/// The i8 of format `type` for the f32 `x`.
mlir::Value encodeSmallFloat(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::FloatType type, mlir::Value x,
                             Rounding rounding);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_SMALLFLOATS_H
