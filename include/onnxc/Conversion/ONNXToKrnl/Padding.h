//===- Padding.h - Borders of constant value --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_PADDING_H
#define ONNXC_CONVERSION_ONNXTOKRNL_PADDING_H

#include "mlir/IR/Builders.h"

namespace onnxc {

/// `x` with `before[d]` and `after[d]` more elements (host index values, not
/// negative) at the two ends of each dimension, all equal to `value` (a host
/// scalar of the element type). Returns `x` itself if nothing is added.
mlir::Value padConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::ValueRange before, mlir::ValueRange after,
                        mlir::Value value);

/// The same with elements of `x` around it, by a mode of ONNX's Pad: "reflect",
/// "edge" or "wrap". Along the last dimension the middle is a copy, where its
/// sizes are known: only borders look where each element comes from.
mlir::Value padFromInside(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::StringRef mode, mlir::Value x,
                          llvm::ArrayRef<mlir::Value> before,
                          llvm::ArrayRef<mlir::Value> after);

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_PADDING_H
