//===- OpPlan.h - Registers and loops of each op ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Consequences of a replayed nest before anything is emitted: which loops are
// registers, and which loops are still to be opened around each op.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_IR_OPPLAN_H
#define ONNXC_DIALECT_KRNL_IR_OPPLAN_H

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The loops of a nest whose iterations are the lanes of vectors, or instances
/// that are unrolled.
class RegisterLoops {
public:
  explicit RegisterLoops(const LoopNest &nest);

  /// The loops of register tiles, outermost first; each has a variant for full
  /// tiles and one for tails.
  llvm::ArrayRef<LoopUse> tiles() const { return tileLoops; }
  bool isTile(unsigned loop) const;

private:
  llvm::SmallVector<LoopUse> tileLoops;
};

/// How an op runs at one point of the fused outer nest.
struct OpPlan {
  OpPlan(const LoopNest &nest, unsigned number);

  /// The value that result `i` starts from, if that need not be in memory: the
  /// op takes up each of its elements once, and no other op reads the start.
  mlir::Value startOf(unsigned i) const;

  /// Returns true if iterations of the loop have running values of result `i`
  /// of their own; else one is that of all of them.
  bool hasOwnSums(unsigned i, unsigned loop) const {
    return !hasCommonSums() || !llvm::is_contained(commonLoops[i], loop);
  }
  bool hasCommonSums() const { return !commonLoops.empty(); }

  /// The indices of an operand over the loops of the nest.
  const Access &access(mlir::OpOperand &operand) const {
    return accesses[operand.getOperandNumber()];
  }

  unsigned number;
  mutable ComputeOp op;
  /// Loops still to be opened around the op, outermost first.
  llvm::SmallVector<LoopUse> loops;
  /// The op reads its destination; position in `loops` from which on all loops
  /// are reduced, so that accumulators stay in registers.
  bool accumulates = false;
  /// All reduced loops are among these: each result has one start.
  bool startsOnce = false;
  unsigned firstReduced = 0;
  /// Results that are accumulated: all but traces and those that go to computed
  /// indices, which are written at every point.
  llvm::SmallVector<unsigned> accumulated;

private:
  void findCommonSums(const LoopNest &nest);

  llvm::SmallVector<Access, 0> accesses;
  /// By result, the loops whose iterations have one running value; empty where
  /// all have values of their own.
  llvm::SmallVector<llvm::SmallVector<unsigned>, 0> commonLoops;
};

/// Returns true if the op runs inside a loop of a later op.
bool isInside(const LoopNest &nest, unsigned op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_OPPLAN_H
