//===- LaunchCycles.h - Predicted cycles of launches ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H

#include "mlir/IR/Operation.h"

namespace onnxc::krnl {

/// The size that stands for a dynamic one in plans of memory and in reports.
inline constexpr int64_t usualSize = 32;

/// The number of times that `op` runs, as far as the bounds of loops are known.
double timesRun(mlir::Operation *op);

/// The predicted cycles of a launch in one run, where each dynamic
/// extent is `unknownSize`; none for a call of the runtime.
double predictedCycles(mlir::Operation *launch, int64_t unknownSize);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_LAUNCHCYCLES_H
