//===- ConstantFloats.h - Weights as numbers -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_CONSTANTFLOATS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_CONSTANTFLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

#include <vector>

namespace onnxc::onnx {

/// A constant float tensor, held in double precision.
struct ConstantFloats {
  mlir::RankedTensorType type;
  std::vector<double> values;

  /// Reads the constant that defines `value`; nothing for other values and
  /// for other element types than f16, bf16, f32 and f64.
  static std::optional<ConstantFloats> read(mlir::Value value);

  /// Makes it a constant, dense if small, each element rounded once.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc) const;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_CONSTANTFLOATS_H
