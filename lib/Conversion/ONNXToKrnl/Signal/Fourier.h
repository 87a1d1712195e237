//===- Fourier.h - Discrete Fourier transforms ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A fast transform as a row of kernels, one for each factor of the length
// (Stockham: every stage leaves its results in order). Lengths that are known
// and have small factors take stages of these; all others are made into a
// convolution whose length is a power of two (Bluestein), which then takes
// stages of two, in a loop of the host if the length is not known.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIER_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// The description of a transform.
struct FourierPlan {
  /// outer x length x inner x (1: real | 2: real and imaginary), stored.
  mlir::Value x;
  /// The type of the elements of `x`, in the onnx dialect.
  mlir::Type element;
  /// The length of the transform, an index: `x` is cut off there or continued
  /// with zeros.
  mlir::Value length;
  bool inverse = false;
  /// Half of a symmetric spectrum: the transform of a real signal, or the
  /// operand of an inverse transform whose result is real.
  bool oneSided = false;
};

/// Returns true if the length is dynamic, or a constant that a transform can
/// have.
bool isFourierLength(mlir::Value length);

/// outer x length (or length / 2 + 1) x inner x 2, or x 1 for a one-sided
/// inverse, in the stored element type.
mlir::Value buildFourier(mlir::OpBuilder &b, mlir::Location loc,
                         const FourierPlan &plan);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIER_H
