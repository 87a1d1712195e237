//===- Convolution.h - Contractions over windows ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_CONVOLUTION_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_CONVOLUTION_H

#include "Contractions/Contraction.h"

#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

/// The attributes that all convolutions have in common.
struct Convolution {
  template <typename OnnxOp>
  explicit Convolution(OnnxOp op)
      : group(op.getGroup()), strides(op.getStrides()),
        dilations(op.getDilations()), pads(op.getPads()),
        kernelShape(op.getKernelShape()), autoPad(op.getAutoPad()) {}
  /// One step at a time, without a border.
  explicit Convolution(int64_t group) : group(group), autoPad("NOTSET") {}

  int64_t group;
  std::optional<llvm::ArrayRef<int64_t>> strides, dilations, pads, kernelShape;
  llvm::StringRef autoPad;
};

/// The convolution of `x` with `w` (and `bias`, if there is one) in the storage
/// type of the sum. Fails, giving `op`'s reason, where ranks or grouped weights
/// are not known.
mlir::FailureOr<mlir::Value>
buildConvolution(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::Value x, mlir::Value w, mlir::Value bias,
                 ContractionTypes types, const Convolution &convolution);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_CONVOLUTIONS_CONVOLUTION_H
