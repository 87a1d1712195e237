//===- ControlFlow.h - Branches, loops and their bodies ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTROLFLOW_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTROLFLOW_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// The attribute of a scf.while while its body is converted: how many of the
/// yielded values are the condition (0 or 1), and how many are carried.
inline constexpr llvm::StringLiteral yieldedAttr = "krnl.yielded";
/// The attribute of a scf.while that makes all of its iterations, as many as it
/// compares with.
inline constexpr llvm::StringLiteral exactTripCountAttr =
    "krnl.exact_trip_count";
/// The attribute of branches and loops while their bodies are converted: the
/// types, in the graph, of the values that the bodies yield (of those carried).
inline constexpr llvm::StringLiteral graphTypesAttr = "krnl.graph_types";

/// Reads a bool of one element.
mlir::Value isTrue(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                   llvm::StringRef message);

/// The type with the sizes on which both agree; null unless both are tensors of
/// one known rank.
mlir::Type joinRanked(mlir::Type x, mlir::Type y);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONTROL_CONTROLFLOW_H
