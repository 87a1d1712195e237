//===- HostNumbers.h - Arithmetic of the host, folded ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTNUMBERS_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTNUMBERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace onnxc::krnl {

/// Makes indices on the host; constants stay numbers, which saturate before
/// they overflow.
class HostNumbers {
public:
  static constexpr int64_t largest = int64_t(1) << 40;

  HostNumbers(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult number(int64_t x);
  mlir::Value value(mlir::OpFoldResult x);

  mlir::OpFoldResult add(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult subtract(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult multiply(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Rounded towards zero; `y` is not zero.
  mlir::OpFoldResult divide(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult min(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult max(mlir::OpFoldResult x, mlir::OpFoldResult y);

private:
  template <typename Op, typename Fold>
  mlir::OpFoldResult combine(mlir::OpFoldResult x, mlir::OpFoldResult y,
                             Fold fold);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTNUMBERS_H
