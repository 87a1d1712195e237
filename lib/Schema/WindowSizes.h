//===- WindowSizes.h - Sizes that windows give ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_WINDOWSIZES_H
#define ONNXC_LIB_SCHEMA_WINDOWSIZES_H

#include "onnxc/Schema/TypeInference.h"

namespace onnxc::schema {

/// Makes the sizes of `found` unknown along which the window is larger than the
/// padded operand. The standard rounds the number of steps down, or up with
/// ceil_mode, the schemas' functions towards zero.
void dropSizesOfLargeWindows(mlir::Operation *op,
                             llvm::ArrayRef<mlir::Value> operands,
                             const ValueFacts &facts, InferredValue &found);

} // namespace onnxc::schema

#endif // ONNXC_LIB_SCHEMA_WINDOWSIZES_H
