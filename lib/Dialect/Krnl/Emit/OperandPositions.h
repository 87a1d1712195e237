//===- OperandPositions.h - Where the elements of an op are -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The indices of an operand or result in its memory, for one instance of the
// register loops, and whether it has an element there. Emits no access.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDPOSITIONS_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDPOSITIONS_H

#include "EmitContext.h"

namespace onnxc::krnl {

class OperandPositions : EmitContext {
public:
  explicit OperandPositions(const EmitContext &context)
      : EmitContext(context) {}

  /// The indices of the element; `local`: in the part that one visit of so many
  /// fused outer loops touches. One that is not in its range is moved there.
  llvm::SmallVector<LaneIndex> indicesOf(const OpState &state,
                                         mlir::OpOperand &operand,
                                         const Instance &instance,
                                         std::optional<unsigned> local = {});
  /// The same without ranges: in the operand, or beyond it.
  llvm::SmallVector<LaneIndex> unboundedIndicesOf(const OpState &state,
                                                  mlir::OpOperand &operand,
                                                  const Instance &instance);
  /// Emits the conjunction of `all` and an i1 that is true if the indices of
  /// the operand are in their ranges; null where all are.
  mlir::Value andInRanges(unsigned op, mlir::OpOperand &operand,
                          const Instance &instance, mlir::Value all);
  /// Emits an i1, or one for each lane where these differ, that is true if the
  /// operand has the element, neither past the end of a loop that sums up
  /// products nor outside of a range; null where it has all.
  mlir::Value hasElement(unsigned op, mlir::OpOperand &operand,
                         const Instance &instance);
  /// The value, or what the operand has where there is no such element.
  mlir::Value zeroOutside(unsigned op, mlir::OpOperand &operand,
                          const Instance &instance, mlir::Value value);

  /// The loop of a shuffle, unrolled `minInstances` to `maxInstances` times
  /// here, whose instances are adjacent in the last dimension of an access.
  std::optional<unsigned> instanceLoop(const OpState &state,
                                       mlir::OpOperand &operand,
                                       bool LoopUse::*shuffle,
                                       int64_t minInstances,
                                       int64_t maxInstances);
  /// The loop of a transpose step that the last dimension of an access follows
  /// while its lanes are rows of it.
  std::optional<unsigned> transposedLoop(const OpState &state,
                                         mlir::OpOperand &operand);

private:
  mlir::Value isInRange(mlir::OpOperand &operand, unsigned position,
                        const Subscript &subscript, LaneIndex index);
  LaneIndex nearest(const Subscript &subscript, LaneIndex index,
                    mlir::Value inside);
};

/// `at`, as far away as a computed index says; nothing moves without one.
llvm::SmallVector<LaneIndex> movedBy(LaneMath &math,
                                     llvm::ArrayRef<LaneIndex> slot,
                                     llvm::ArrayRef<LaneIndex> at);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_OPERANDPOSITIONS_H
