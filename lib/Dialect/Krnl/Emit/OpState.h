//===- OpState.h - An op at one point of the nest ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_OPSTATE_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_OPSTATE_H

#include "LaneIndex.h"
#include "NestEmitter.h"
#include "onnxc/Dialect/Krnl/IR/OpPlan.h"

#include <map>

namespace onnxc::krnl {

/// The state of emitting one op at one point of the fused outer nest.
struct OpState : OpPlan {
  explicit OpState(const OpPlan &plan) : OpPlan(plan) {}

  /// ReductionEmitter: which accumulators there are, for each result in this
  /// order.
  llvm::SmallVector<llvm::SmallVector<Instance>> accumulatorInstances;
  /// InstanceEmitter: the offsets, by result, of the point's element from its
  /// map's position.
  llvm::SmallVector<llvm::SmallVector<LaneIndex>> scatterOffsets;
  /// OperandReader: reads shared by the instances of one point, by operand.
  std::map<std::pair<unsigned, Instance>, mlir::Value> reads;
  /// ResultWriter: vectors that wait for those whose elements lie beside or
  /// between theirs, by the memory, and the first instance of the loop that
  /// says which is which.
  llvm::DenseMap<mlir::Value,
                 std::map<Instance, llvm::SmallVector<mlir::Value>>>
      waiting;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_OPSTATE_H
