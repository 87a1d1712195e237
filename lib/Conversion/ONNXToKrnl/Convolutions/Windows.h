//===- Windows.h - Sliding windows of Conv and pooling ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINDOWS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINDOWS_H

#include "mlir/IR/Builders.h"

namespace onnxc {

/// The limit of the extents of windows whose sizes are only known in the run:
/// nearly all have 1 x 1 or 3 x 3 positions, too few for lanes along them.
constexpr int64_t usualWindowLimit = 4;

/// Windows over the spatial dimensions (all after the first two) of a tensor,
/// as strides, dilations, pads, auto_pad and ceil_mode describe them. Values
/// are host indices, constant where the sizes are known.
struct Windows {
  llvm::SmallVector<int64_t> strides, dilations;
  llvm::SmallVector<mlir::Value> padBefore, padAfter, outSizes;

  static Windows get(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     mlir::ValueRange kernelSizes,
                     std::optional<llvm::ArrayRef<int64_t>> strides,
                     std::optional<llvm::ArrayRef<int64_t>> dilations,
                     std::optional<llvm::ArrayRef<int64_t>> pads,
                     llvm::StringRef autoPad, bool ceilMode);

  /// `x` with all the elements that some window touches.
  mlir::Value pad(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                  mlir::Value value) const;
};

/// View with dimension `dim`, channels, split into `parts` and the rest. Checks
/// that the parts are equal.
mlir::Value splitDim(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     int64_t dim, int64_t parts);

/// View with the dimensions `dim` and `dim` + 1 as one; `sizes` are those of
/// the result.
mlir::Value joinDims(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     int64_t dim, mlir::ValueRange sizes);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_WINDOWS_H
