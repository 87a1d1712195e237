//===- LayoutGroups.h - Tensors with one order -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Tensors that are to have the same order of dimensions form a group, and vote
// together on the dimension with unit stride.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_LAYOUTGROUPS_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_LAYOUTGROUPS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// For each index of the operand the one loop that it depends on; -1 for none,
/// -2 for several: where those of two operands are equal, their elements lie in
/// the same order.
llvm::SmallVector<int64_t> loopsOf(mlir::OpOperand &operand);

/// The groups of the tensors of rank three and more that kernels access.
class LayoutGroups {
public:
  explicit LayoutGroups(llvm::ArrayRef<KernelOp> kernels);

  bool contains(mlir::Value value) const { return nodes.contains(value); }
  /// Can the order of the value's dimensions be chosen?
  bool isMovable(mlir::Value value);
  /// Votes with `weight` for this dimension of the value's group along memory.
  /// Values in no group have no vote.
  void vote(mlir::Value value, int64_t position, double weight);
  /// For each new position of the value's dimensions the old one; empty if
  /// nothing changes.
  llvm::SmallVector<int64_t> orderOf(mlir::Value value);
  /// Takes `made` into the group of `value`, whose place it takes.
  void replace(mlir::Value value, mlir::Value made) {
    nodes[made] = nodes.lookup(value);
  }
  llvm::SmallVector<mlir::Value> getValues() const {
    return llvm::to_vector(llvm::make_first_range(nodes));
  }

private:
  void addValues(KernelOp kernel);
  void tieMemory(KernelOp kernel);
  void tieNeighbours(KernelOp kernel);
  void tieReads(KernelOp kernel);
  unsigned find(unsigned node);
  void tie(mlir::Value a, mlir::Value b);

  llvm::DenseMap<mlir::Value, unsigned> nodes;
  llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<bool> pinned;
  /// By group, then dimension.
  llvm::DenseMap<unsigned, llvm::SmallVector<double>> votes;
};

/// Votes for the dimensions that the op prefers along memory in the tensors
/// that it accesses, weighed by the work that depends on it.
void voteForLayouts(LayoutGroups &groups, KernelOp kernel, ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_LAYOUTGROUPS_H
