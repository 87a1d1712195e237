//===- ResizeDims.h - Sizes and scales of a Resize --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZEDIMS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZEDIMS_H

#include "ResizeCoordinates.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

namespace onnxc {

/// Which dimensions are resized, and all sizes before and after.
struct ResizeDims {
  llvm::SmallVector<mlir::Value> inSizes, outSizes;
  llvm::SmallVector<ResizedDim> dims;
};

/// The error in a structural operand; empty if there is none.
llvm::StringRef problemWithResize(onnx::ResizeOp op,
                                  onnx::ResizeOp::Adaptor adaptor,
                                  const ResizeMode &mode);

/// Reads sizes or scales, and checks those that depend on data at run time.
/// Nothing if a constant scale is not positive.
std::optional<ResizeDims> planResize(mlir::OpBuilder &b, onnx::ResizeOp op,
                                     onnx::ResizeOp::Adaptor adaptor,
                                     const ResizeMode &mode);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_RESIZEDIMS_H
