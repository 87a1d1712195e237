//===- ResizeCoordinates.h - Where results of Resize come from --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZECOORDINATES_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZECOORDINATES_H

#include "Images/Interpolation.h"

namespace onnxc {

/// One resized dimension: host values, or their images inside
/// a kernel.
struct ResizedDim {
  int64_t dim;
  mlir::Value scale, inSize, outSize; // f64
  mlir::Value regionStart, regionEnd; // f64; null but for tf_crop_and_resize
};

/// The parsed attributes of the mode of a Resize.
struct ResizeMode {
  Interpolation interpolation;
  llvm::StringRef coordinates, nearest;
  bool antialias, excludeOutside;
  double cubicCoefficient;

  bool isCrop() const { return coordinates == "tf_crop_and_resize"; }
  /// The weights have to be brought to a sum of 1.
  bool normalizes() const { return antialias || excludeOutside; }
};

/// Returns true if this is the name of a coordinate_transformation_mode.
bool isCoordinateMode(llvm::StringRef name);

/// Where position `i` (f64) of the result lies in the operand.
mlir::Value sourceCoordinate(ScalarBuilder &f, llvm::StringRef mode,
                             const ResizedDim &dim, mlir::Value i);
/// The sample that nearest_mode takes for the position `x`.
mlir::Value nearestSample(ScalarBuilder &f, llvm::StringRef mode,
                          mlir::Value x);

/// How much closer samples are than 1 in the filter: less than 1 where a
/// smaller result is made with antialiasing.
mlir::Value filterScale(ScalarBuilder &f, const ResizeMode &mode,
                        mlir::Value scale);
/// The first sample that takes part at `x`, relative to the one below `x`.
mlir::Value firstTap(ScalarBuilder &f, const ResizeMode &mode,
                     mlir::Value scale);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZECOORDINATES_H
