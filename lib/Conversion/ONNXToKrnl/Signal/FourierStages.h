//===- FourierStages.h - Fast Fourier transforms ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The middle of a transform: complex numbers of f32 or f64 in, the same out,
// one kernel for each factor of the length.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIERSTAGES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIERSTAGES_H

#include "Builders/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

namespace onnxc {

/// A complex tensor in two, so that adjacent elements in memory are alike.
struct Complex {
  mlir::Value re, im;
};

/// Both parts of a complex result, written at the same position.
llvm::SmallVector<krnl::KernelBuilder::Access>
bothParts(mlir::Value re, mlir::Value im, llvm::ArrayRef<mlir::AffineExpr> at);
/// The results of a kernel of two.
Complex finishComplex(krnl::KernelBuilder &kernel,
                      llvm::ArrayRef<mlir::Value> values);

/// (a + bi)(c + di)
llvm::SmallVector<mlir::Value> multiplyComplex(ScalarBuilder &s, mlir::Value a,
                                               mlir::Value b, mlir::Value c,
                                               mlir::Value d);
/// cos and sin of an angle in f64, in the type that is computed with.
llvm::SmallVector<mlir::Value> unitAt(mlir::OpBuilder &b, mlir::Location loc,
                                      mlir::Value angle, mlir::Type compute);

/// Transforms tensors of outer x length x inner.
class FourierStages {
public:
  FourierStages(mlir::OpBuilder &b, mlir::Location loc, mlir::Type compute)
      : b(b), loc(loc), compute(compute) {}

  /// Returns true if there is a fast algorithm for the length: a constant that
  /// is a power of two or has small factors.
  static bool takes(mlir::Value length);

  /// The sums over x[n] exp(+-2 pi i k n / length). Only a power of two may be
  /// known to the run alone.
  Complex transform(Complex x, mlir::Value length, bool positive);

private:
  mlir::Value index(int64_t value);
  Complex loopOfTwos(Complex x, mlir::Value length, bool positive);
  Complex stage(Complex x, mlir::Value radix, mlir::Value done,
                Complex twiddles);
  Complex knownTwiddles(int64_t radix, int64_t done, bool positive);
  Complex roots(mlir::Value length, bool positive);
  Complex twiddlesOfTwo(Complex roots, mlir::Value length, mlir::Value done);

  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The element type of the computation.
  mlir::Type compute;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_SIGNAL_FOURIERSTAGES_H
