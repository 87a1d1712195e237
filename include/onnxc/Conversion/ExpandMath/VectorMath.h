//===- VectorMath.h - Vector math of the target -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H
#define ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H

#include "mlir/IR/Operation.h"

namespace onnxc {

/// Returns true if the scalar operation stays vector code when it is applied to
/// vectors. Returns false for functions that libm computes lane by lane, and
/// for divisions of integers that processors have no vectors of.
bool hasVectorForm(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_CONVERSION_EXPANDMATH_VECTORMATH_H
