//===- ByteProduct.h - Ops that sum up products of bytes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H
#define ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/IR/ByteInstructions.h"

#include <optional>

namespace onnxc::krnl {

/// One factor of a product of bytes.
struct ByteFactor {
  /// The input that it is made from.
  mlir::OpOperand *operand = nullptr;
  /// The byte in the payload: the input itself, or the result of shifts and
  /// masks of it and of the values of loops.
  mlir::Value byte;
  bool isSigned = false;

  /// Returns true if the byte is the input without computation.
  bool isPlain() const { return llvm::isa<mlir::BlockArgument>(byte); }
};

struct ByteProduct {
  ByteFactor lhs, rhs;
};

/// The factors of the product, in their order, that the payload of an op with
/// one result adds to its sum; nothing for other payloads.
std::optional<std::pair<mlir::Value, mlir::Value>> factorsOfSum(ComputeOp op);
/// The same of one result of an op with several.
std::optional<std::pair<mlir::Value, mlir::Value>>
factorsOfSum(ComputeOp op, unsigned result);

/// The factors of the op, if its payload is `sum + ext(lhs) * ext(rhs)` in i32
/// for bytes of two inputs of i8; nothing otherwise. Such sums are exact modulo
/// 2^32, in any order.
std::optional<ByteProduct> byteProductOf(ComputeOp op);

/// The groups of bytesOfDot products whose sums of pairs fit 16 bits whatever
/// the bytes are: the unsigned factor has bits that its operations clear. 0 if
/// there are none, and for factors that are not one unsigned and one signed.
int64_t groupsOfShortSums(const ByteProduct &product);

/// Ops of the payload that make the factor's byte of its input, in order.
llvm::SmallVector<mlir::Operation *> opsOf(const ByteFactor &factor);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_BYTEPRODUCT_H
