//===- RunningValues.h - What sums of one op depend on ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_RUNNINGVALUES_H
#define ONNXC_DIALECT_KRNL_IR_RUNNINGVALUES_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace onnxc::krnl {

/// The loops of an op that the values of its payload depend on, where all
/// elements of each result start with one number. So the running maximum of a
/// row, beside sums of columns of it, is the same for all columns.
class RunningValues {
public:
  explicit RunningValues(ComputeOp op);

  /// Returns true if the value may differ between iterations of the loop `dim`
  /// of the op.
  bool dependsOn(mlir::Value value, unsigned dim) const {
    auto found = loops.find(value);
    return found != loops.end() && found->second.test(dim);
  }
  /// The same of the running value of result `number`.
  bool dependsOn(unsigned number, unsigned dim) const {
    return dependsOn(block->getTerminator()->getOperand(number), dim);
  }

private:
  void add(ComputeOp op, mlir::Operation &inner);

  mlir::Block *block;
  /// Values not in the map are defined outside, once.
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> loops;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_RUNNINGVALUES_H
