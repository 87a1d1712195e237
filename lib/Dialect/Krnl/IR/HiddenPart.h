//===- HiddenPart.h - Merging a part that a mask hides ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_IR_HIDDENPART_H
#define ONNXC_LIB_DIALECT_KRNL_IR_HIDDENPART_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "llvm/ADT/DenseMap.h"

namespace onnxc::krnl {

/// The payload of an op that merges parts of rows, for a part of which all
/// elements are hidden. With the largest maximum M so far, and sums O weighted
/// by the distances to it:
///
///   M' = max(M, -infinity)                  M
///   w  = M == -infinity ? 0 : exp(M - M')   1, or 0 while there was no element
///   O' = w * O + 0 * o                      O, which is 0 until then
class HiddenPart {
public:
  explicit HiddenPart(ComputeOp op) : op(op) {}

  /// An input of the part is zero, or else -infinity.
  void set(mlir::Value argument, bool isZero) {
    values[argument] = {isZero ? Kind::Zero : Kind::MinusInfinity, argument};
  }
  /// A running value starts with zero, or else with -infinity.
  void setStart(mlir::Value argument, bool isZero) {
    startsAtZero[argument] = isZero;
    values[argument] = {Kind::Running, argument};
  }

  /// Returns true if each running value is the one of before.
  bool keepsRunningValues();

private:
  /// What is known of a value: with `of`, a running one, the same as that, no
  /// distance to it, 1 unless it is infinite, 1 or, where it is -infinity, 0.
  enum class Kind {
    Unknown,
    True,
    Zero,
    MinusInfinity,
    Running,
    IsNone,
    NoDistance,
    One,
    Weight
  };
  struct Known {
    Kind kind = Kind::Unknown;
    mlir::Value of;
  };
  Known known(mlir::Value value) const;
  Known evaluate(mlir::Operation &inner) const;
  Known evaluateSelect(mlir::Operation &inner) const;
  bool isUnchanged(const Known &weight, const Known &sum) const;

  mutable ComputeOp op;
  llvm::DenseMap<mlir::Value, Known> values;
  llvm::DenseMap<mlir::Value, bool> startsAtZero;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_IR_HIDDENPART_H
