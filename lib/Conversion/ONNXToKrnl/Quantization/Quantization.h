//===- Quantization.h - Rounding into quantised numbers ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZATION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZATION_H

#include "Builders/ScalarBuilder.h"

namespace onnxc {

/// The stored element of the quantised type `element` for round(ratio) +
/// zeroPoint, ties to even, saturated; both in the compute type of `real`, the
/// zero point null if there is none. A narrow float is not rounded to an
/// integer first.
mlir::Value quantizeScalar(ScalarBuilder &real, mlir::Value ratio,
                           mlir::Value zeroPoint, mlir::Type element,
                           Rounding rounding = {});

/// Returns true for a constant whose elements are all integer zeros.
bool isKnownZero(mlir::Value zeroPoint);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_QUANTIZATION_QUANTIZATION_H
