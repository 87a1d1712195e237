//===- Rows.h - Tensors that grow by a row ----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// What loops collect: one tensor of rows, the newest first.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_ROWS_H
#define ONNXC_CONVERSION_ONNXTOKRNL_ROWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc {

/// `rows` with `row` in front.
mlir::Value prependRow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value rows,
                       mlir::Value row, mlir::RankedTensorType type);

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_ROWS_H
