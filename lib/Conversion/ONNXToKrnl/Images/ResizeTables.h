//===- ResizeTables.h - Tables of a Resize ----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZETABLES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZETABLES_H

#include "ResizeCoordinates.h"

namespace onnxc {

/// Tables over the elements of the result along one dimension.
struct DimTables {
  int64_t dim;
  /// i64: where the samples lie in the operand. Elements x samples; elements
  /// alone for the nearest.
  mlir::Value samples;
  /// Elements x samples, null for the nearest.
  mlir::Value weights;
  /// i8: 1 where extrapolation_value stands; null unless cropping.
  mlir::Value outside;
};

/// The tables of `dim`, whose result has `size` (an index) elements, `inner` of
/// them for each position: those of the dimensions after. Weights are of type
/// `compute`.
DimTables buildResizeTables(mlir::OpBuilder &b, mlir::Location loc,
                            const ResizeMode &mode, mlir::Type compute,
                            const ResizedDim &dim, mlir::Value size,
                            mlir::Value inner);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZETABLES_H
