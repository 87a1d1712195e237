//===- RankDependents.h - Dependents of an unknown rank ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_RANKS_RANKDEPENDENTS_H
#define ONNXC_LIB_DIALECT_ONNX_RANKS_RANKDEPENDENTS_H

#include "onnxc/Dialect/ONNX/IR/Alternatives.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace onnxc::onnx {

/// The property of a value that an operation needs: its rank, or the size of
/// one of its dimensions, where that is the rank of a result.
struct Unknown {
  mlir::Value value;
  std::optional<unsigned> dim;

  /// The type of the value where the number is `number`.
  mlir::RankedTensorType typeFor(int64_t number) const;
};

/// The operations of a block that depend on a rank, as far as some of them need
/// it.
struct RankDependents {
  llvm::SmallVector<mlir::Operation *> ops;
  /// Operations that only go on with results of `ops`, but stand before the
  /// last of them.
  llvm::SmallVector<mlir::Operation *> later;
  /// The operations that need the rank, which may be in graphs of `ops`.
  llvm::SmallVector<mlir::Operation *> needing;
};

/// The ranks that there can be after a Squeeze without axes: sizes that are not
/// known may be 1.
struct SqueezedRanks {
  int64_t min, max;
  /// The sizes that are left where no unknown one is 1.
  llvm::SmallVector<int64_t> shape;
};

/// The possible ranks of the result of a Squeeze without axes; nothing for
/// other values.
std::optional<SqueezedRanks> squeezedRanks(mlir::Value value);

/// The property that has to be known before `op` can be lowered, if any.
std::optional<Unknown> unknownOf(mlir::Operation *op);

/// The block for the variants of the value that `op` needs: outside of the
/// loops in which the value is invariant.
mlir::Block *blockOfSwitch(mlir::Operation *op, mlir::Value value);

/// The operations of `block` that depend on `value`.
RankDependents dependentsOf(mlir::Block &block, mlir::Value value);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_RANKS_RANKDEPENDENTS_H
