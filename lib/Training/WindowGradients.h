//===- WindowGradients.h - The way back through windows ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TRAINING_WINDOWGRADIENTS_H
#define ONNXC_LIB_TRAINING_WINDOWGRADIENTS_H

#include "Gradient.h"

namespace onnxc::training {

/// How windows move over the last dimensions of a tensor. Sizes that are not
/// known are ShapedType::kDynamic.
struct WindowPlan {
  llvm::SmallVector<int64_t> in, window, out, strides, dilations, pads;
  int64_t group = 1;

  size_t rank() const { return in.size(); }
  /// Elements of the input that one dimension of windows spans, from the first
  /// of the first to the last of the last.
  int64_t span(size_t d) const {
    return (out[d] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1;
  }
  bool isKnown(size_t d) const;

  /// Reads the attributes of Conv, ConvTranspose and pools; `in` is the operand
  /// with the windows, `window` a shape, of tensors or of their last
  /// dimensions. Fails, with an error, where ranks or pads are not known.
  static mlir::FailureOr<WindowPlan> of(mlir::Operation *op, mlir::Value in,
                                        llvm::ArrayRef<int64_t> window,
                                        mlir::Value out);
};

/// The gradient of the operand with the windows, `x` being of its shape: each
/// element of `dy` times the weights goes back to the window it comes from.
mlir::Value backToInput(Backward &back, const WindowPlan &plan, mlir::Value dy,
                        mlir::Value weights, mlir::Value x);

/// The gradient of `weights`: `x` and `dy` are convolved over the images.
mlir::Value backToWeights(Backward &back, const WindowPlan &plan, mlir::Value x,
                          mlir::Value dy, mlir::Value weights);

} // namespace onnxc::training

#endif // ONNXC_LIB_TRAINING_WINDOWGRADIENTS_H
