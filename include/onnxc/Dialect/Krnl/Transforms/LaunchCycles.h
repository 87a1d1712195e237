//===- LaunchCycles.h - Predicted cycles of launches ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Operation.h"
#include "onnxc/Dialect/Krnl/Transforms/AssumedValues.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace onnxc::krnl {

/// The number that an index or a condition of the host is in a run.
using NumberOf = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;

inline std::optional<int64_t> constantNumber(mlir::Value value) {
  return mlir::getConstantIntValue(value);
}

/// The number of times that `op` runs, as far as `numberOf` knows the bounds of
/// the loops and the conditions of the branches around it.
double timesRun(mlir::Operation *op, NumberOf numberOf = constantNumber);

/// The same with the bounds and conditions that follow from assumed sizes; a
/// launch without tiles and a kernel without results do not run.
double timesRun(mlir::Operation *op, AssumedValues &values);

/// The predicted cycles of a launch in one run with assumed sizes; none for a
/// call of the runtime.
double predictedCycles(mlir::Operation *launch, AssumedValues &values);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H
