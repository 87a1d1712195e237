//===- Padding.h - Borders around tensors -----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_PADDING_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_PADDING_H

#include "mlir/IR/Builders.h"

namespace onnxc {

/// A part of a tensor, in each dimension `sizes` elements from `starts` on:
/// host index values. It is not copied before it is read.
struct TensorPart {
  static TensorPart whole(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value tensor);
  /// Returns true if the part is known to be all of the tensor.
  bool isWhole() const;

  mlir::Value tensor;
  llvm::SmallVector<mlir::Value> starts, sizes;
};

/// `x` with `before[d]` and `after[d]` more elements (host index values) at the
/// two ends of each dimension, all equal to `value` (a host scalar of the
/// element type). Negative numbers add nothing. Returns `x` itself if nothing
/// is added.
mlir::Value padConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::ValueRange before, mlir::ValueRange after,
                        mlir::Value value);
/// A part of a tensor with `value` around it, as by the function above, but for
/// numbers that are not negative; a tensor of its own if nothing is added.
mlir::Value padConstant(mlir::OpBuilder &b, mlir::Location loc,
                        const TensorPart &x, llvm::ArrayRef<mlir::Value> before,
                        llvm::ArrayRef<mlir::Value> after, mlir::Value value);

/// A part of a tensor with elements of `x` around it, by a mode of ONNX's Pad:
/// "reflect", "edge" or "wrap". Along the last dimension that grows, the middle
/// is a copy: where rows and elements of borders come from is found once for
/// each dimension. A dimension that grows must have an element.
mlir::Value padFromInside(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::StringRef mode, const TensorPart &x,
                          llvm::ArrayRef<mlir::Value> before,
                          llvm::ArrayRef<mlir::Value> after);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_BUILDERS_PADDING_H
