//===- RankBounds.h - Bounds of unknown ranks -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_RANKBOUNDS_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_RANKBOUNDS_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

namespace onnxc::onnx {

/// The ranks that values of unknown rank can have where a block runs to its
/// end: the constraints of its operations on the ranks of operands and results,
/// propagated in both directions to a fixed point. Loops are taken to run: the
/// constraints of their bodies on a value from outside hold there, as they do
/// where the rank is known and the schemas check it.
class RankBounds {
public:
  explicit RankBounds(mlir::Block &block);

  struct Bounds {
    int64_t min = 0;
    int64_t max = unlimited;
  };
  /// No bound that is known.
  static constexpr int64_t unlimited = 64;

  /// The bounds of the rank of a value that an operation of the block uses or
  /// makes; all ranks if the operations contradict each other.
  Bounds of(mlir::Value value) const;

  /// A value of unknown rank that has one rank only, and the first operation
  /// that takes it, or has one inside that does, where that is so.
  struct Settled {
    mlir::Value value;
    mlir::Operation *user;
    int64_t rank;
  };
  /// The settled values in the order of their uses.
  llvm::SmallVector<Settled> settled() const;

private:
  bool visit(mlir::Operation *op);
  bool visitRules(mlir::Operation *op);
  bool visitAxes(mlir::Operation *op);
  bool visitRelation(mlir::Operation *op);
  bool visitReshape(ReshapeOp op);

  bool narrow(mlir::Value value, int64_t min, int64_t max);
  bool tie(mlir::Value result, mlir::Value operand, int64_t more);
  bool tieMaximum(mlir::Operation *op);
  bool tieGather(mlir::Operation *op);
  bool tieProduct(mlir::Operation *op);
  bool tieState(mlir::Value initial, mlir::Value argument, mlir::Value yielded,
                mlir::Value result);
  bool tieLoop(mlir::Operation *loop);
  bool tieScan(mlir::Operation *scan);

  mlir::Block &block;
  /// The operations of the block and of the bodies of loops in it.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, Bounds> ranges;
  bool isContradiction = false;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKBOUNDS_H
