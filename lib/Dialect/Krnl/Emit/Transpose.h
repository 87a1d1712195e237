//===- Transpose.h - Rows and columns in registers -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_TRANSPOSE_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_TRANSPOSE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace onnxc::krnl {

/// Rows become columns; there are a power of two of them, at most as many as
/// each has elements. Rows longer than that are squares side by side.
void transposeRows(mlir::ImplicitLocOpBuilder &b,
                   llvm::MutableArrayRef<mlir::Value> rows);

/// The first `valid` of `lanes` bits are set.
mlir::Value firstLanesMask(mlir::ImplicitLocOpBuilder &b, int64_t lanes,
                           int64_t valid);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_TRANSPOSE_H
