//===- TypeLattice.h - Meet and join of ONNX value types -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Types of ONNX values are ordered by precision: tensor<2x3xf32> is below
// tensor<?x3xf32>, below tensor<*xf32>, below none (nothing known).
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SCHEMA_TYPELATTICE_H
#define ONNXC_SCHEMA_TYPELATTICE_H

#include "mlir/IR/Types.h"
#include "llvm/Support/LogicalResult.h"

namespace onnxc::schema {

/// The meet of `a` and `b`: the facts of both. Fails if they contradict.
/// tensor<?x3xf32>, tensor<2x?xf32> -> tensor<2x3xf32>
mlir::FailureOr<mlir::Type> meetTypes(mlir::Type a, mlir::Type b);

/// The join of `a` and `b`: the facts that hold in both. Fails if they share
/// nothing, as two element types do not. tensor<2x3xf32>, tensor<4x3xf32> ->
/// tensor<?x3xf32>
mlir::FailureOr<mlir::Type> joinTypes(mlir::Type a, mlir::Type b);

/// The type of tensors of any shape for that of a tensor, else `type`.
mlir::Type dropShape(mlir::Type type);

/// Returns true if every value of type `type` is also one of type `general`.
bool isAtLeastAsSharp(mlir::Type type, mlir::Type general);

} // namespace onnxc::schema

#endif // ONNXC_SCHEMA_TYPELATTICE_H
