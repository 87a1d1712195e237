//===- RankBounds.h - Between what ranks lie -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKBOUNDS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKBOUNDS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace onnxc::onnx {

/// The ranks that values of unknown rank can have where a block runs to its
/// end: what its operations say of the ranks of operands and results together,
/// in both directions, until nothing new follows.
class RankBounds {
public:
  explicit RankBounds(mlir::Block &block);

  struct Bounds {
    int64_t least = 0;
    int64_t most = unlimited;
  };
  /// No bound that is known.
  static constexpr int64_t unlimited = 64;

  /// Of a value that an operation of the block uses or makes; all ranks if the
  /// operations contradict each other.
  Bounds of(mlir::Value value) const;

  /// The values of unknown rank with one rank only, in the order of their uses.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> settled() const;

private:
  bool visit(mlir::Operation *op);
  bool visitRules(mlir::Operation *op);
  bool visitAxes(mlir::Operation *op);
  bool visitRelation(mlir::Operation *op);

  bool narrow(mlir::Value value, int64_t least, int64_t most);
  bool tie(mlir::Value result, mlir::Value operand, int64_t more);
  bool tieMaximum(mlir::Operation *op);
  bool tieGather(mlir::Operation *op);
  bool tieProduct(mlir::Operation *op);

  mlir::Block &block;
  llvm::DenseMap<mlir::Value, Bounds> ranges;
  bool isContradiction = false;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_RANKBOUNDS_H
