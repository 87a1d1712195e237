//===- RowSums.h - Sums along the rows of a kernel --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PASSES_ROWSUMS_H
#define ONNXC_LIB_RECIPE_PASSES_ROWSUMS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// How the sum of a row follows from those of its parts, where it depends on
/// another result `m` of the row, and those of the parts on that of each part.
enum class ShiftKind {
  None,        ///< it depends on none
  Exponential, ///< sum of exp(x - m), m the maximum of x
  Square,      ///< sum of (x - m)^2, m from the sum of x
  Choice ///< least or greatest i where x compares with m, an extremum of x
};

/// What the op, which has one combiner, adds to the sum so far.
mlir::OpOperand &termOf(krnl::ComputeOp op);

/// An op that sums up a row, or has its maximum and the like.
struct RowSum {
  krnl::ComputeOp op;
  mlir::Operation *combiner = nullptr;
  /// What leaves the other operand of `combiner` as it is.
  mlir::TypedAttr neutral;
  ShiftKind kind = ShiftKind::None;
  /// The operand of `op` that m is, and the op of the same kernel that it
  /// follows from.
  mlir::OpOperand *shift = nullptr;
  krnl::ComputeOp of;
  /// The x that is compared with m, in the payload of `op`.
  mlir::Value compared;

  /// What `combiner` adds to the sum so far, in the payload of `op`.
  mlir::Value term() const;
  /// The operand, which is the result of `of`, of the op that makes m; null if
  /// m follows from that by more than one op.
  mlir::OpOperand *shiftSource() const;
};

/// The ops of a kernel whose sums all run along one loop.
struct RowSums {
  std::string row;
  llvm::SmallVector<RowSum> sums;
  /// Ops with an iteration for each element of the row, which no other op
  /// reads.
  llvm::SmallVector<krnl::ComputeOp> tail;

  bool isTail(mlir::Operation *op) const {
    return llvm::is_contained(tail, op);
  }
  const RowSum *find(mlir::Operation *op) const;
};

/// Lets each op write a tensor of its own, and sums and the ops of the tail
/// compute what other ops have for each element of a row. False where that
/// would be too many ops.
bool separateRows(mlir::RewriterBase &rewriter, krnl::KernelOp kernel);

/// The sums of a kernel that separateRows() has changed; nothing where some
/// cannot be had in parts.
std::optional<RowSums> findRowSums(krnl::KernelOp kernel, bool keepOrder);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PASSES_ROWSUMS_H
