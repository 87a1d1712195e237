//===- EntryValues.h - Values known at entry -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ENTRYVALUES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ENTRYVALUES_H

#include "SizeFormula.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The scalars of a host function that follow from the sizes of its inputs
/// (and the few elements of inputs that may be read without a check), and
/// copies of them at the beginning of the function.
class EntryValues {
public:
  explicit EntryValues(mlir::func::FuncOp host);

  bool isKnown(mlir::Value value) const {
    return known.contains(value) || copies.contains(value);
  }
  bool areKnown(mlir::ValueRange values) const {
    return llvm::all_of(values, [&](mlir::Value v) { return isKnown(v); });
  }

  /// The value at the beginning of the function, after the ops copied before.
  /// Expects it to be known.
  mlir::Value atEntry(mlir::Value value);

  /// Whether a run comes to a block of the function, as far as conditions and
  /// bounds around it are known; null where none is.
  mlir::Value runsAtEntry(mlir::Block *block);

  /// Returns true if a block is in a branch whose condition is not known.
  bool mayBeSkipped(mlir::Block *block);

  SizeFormula formula(mlir::Value value);

  /// Adds ops after the copies.
  mlir::OpBuilder &entry();

private:
  bool followsFromInputs(mlir::Operation &op) const;
  mlir::Value ownCondition(mlir::Block *block);
  mlir::Value firstCondition(mlir::scf::WhileOp loop);
  std::string nameOfSize(mlir::Operation *op);
  /// The ops that a value needs, in program order, but for those done before.
  llvm::SmallVector<mlir::Operation *>
  needed(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isDone);
  SizeFormula formulaOf(mlir::Operation *op);

  mlir::func::FuncOp host;
  mlir::OpBuilder builder;
  /// The op that the copies are inserted before: it is never moved or erased.
  mlir::Operation *anchor = nullptr;
  /// The positions of the ops in program order.
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseSet<mlir::Value> known;
  mlir::IRMapping copies;
  llvm::DenseMap<mlir::Value, SizeFormula> formulas;
  llvm::DenseMap<mlir::Block *, mlir::Value> blockRuns;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_ENTRYVALUES_H
