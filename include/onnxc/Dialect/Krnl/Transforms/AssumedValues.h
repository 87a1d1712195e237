//===- AssumedValues.h - Scalars of the host for assumed sizes --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_ASSUMEDVALUES_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_ASSUMEDVALUES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace onnxc::krnl {

/// The size that stands for a dynamic one in plans of memory and in reports.
inline constexpr int64_t usualSize = 32;

/// The values that scalars of a host program have if all dynamic sizes of
/// tensors are `usualSize`. The arithmetic of the host is folded:
///
///   %n = tensor.dim %x, %c0         32
///   %long = arith.cmpi ugt, %n, %c512   false
///   %rows = arith.select %long, %n, %c0     0
///
/// What does not follow from sizes is assumed, too: integers are `usualSize`,
/// conditions false and floats 1.
class AssumedValues {
public:
  int64_t of(mlir::Value integer);

  /// The value if it follows from sizes and constants alone.
  std::optional<int64_t> ofSizes(mlir::Value integer);

private:
  struct Assumed {
    mlir::Attribute value;
    bool isOfSizes = false;
  };
  const Assumed &find(mlir::Value value);
  Assumed evaluate(mlir::OpResult result);

  llvm::DenseMap<mlir::Value, Assumed> values;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_ASSUMEDVALUES_H
