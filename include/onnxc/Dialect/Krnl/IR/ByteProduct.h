//===- ByteProduct.h - Ops that sum up products of bytes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H
#define ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace onnxc::krnl {

/// The operands of a sum of products of bytes, and which of them have a sign.
struct ByteProduct {
  mlir::OpOperand *lhs, *rhs;
  bool lhsSigned, rhsSigned;
};

/// What the op multiplies, if its payload is `sum + ext(lhs) * ext(rhs)` in i32
/// for two inputs of i8; nothing otherwise. Such sums are exact modulo 2^32, in
/// any order.
std::optional<ByteProduct> byteProductOf(mlir::linalg::LinalgOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H
