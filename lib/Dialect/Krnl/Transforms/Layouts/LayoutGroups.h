//===- LayoutGroups.h - Tensors with one order -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Tensors that are to have the same order of dimensions form a group, and vote
// together on the dimension with unit stride.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_LAYOUTS_LAYOUTGROUPS_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_LAYOUTS_LAYOUTGROUPS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::krnl {

/// For each index of the operand the one loop that it depends on; -1 for none,
/// -2 for several: where those of two operands are equal, their elements lie in
/// the same order.
llvm::SmallVector<int64_t> loopsOf(mlir::OpOperand &operand);

/// The tensors of a view: the one with more dimensions, and the one that has
/// runs of them as one.
struct ViewSides {
  mlir::Value expanded, collapsed;
  llvm::SmallVector<mlir::ReassociationIndices> runs;
};
/// The sides of a tensor.expand_shape or tensor.collapse_shape.
ViewSides sidesOf(mlir::Operation *view);

/// The groups of the tensors of rank three and more that kernels access.
class LayoutGroups {
public:
  LayoutGroups(llvm::ArrayRef<KernelOp> kernels,
               llvm::ArrayRef<mlir::Operation *> views);

  bool contains(mlir::Value value) const { return nodes.contains(value); }
  /// Fixes the groups whose votes are for a dimension that kernels see as
  /// several, of which the last does not fill a vector. Forgets all votes.
  void pinShortRuns();
  /// Ties tensors that are accessed side by side and can both be moved.
  void tieAdjacent(llvm::ArrayRef<KernelOp> kernels);

  /// Returns true if the order of the value's dimensions can be chosen.
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
  /// Views whose both sides are in one group.
  llvm::ArrayRef<mlir::Operation *> getViews() const {
    return views.getArrayRef();
  }

private:
  struct Node {
    /// The number of the value, and that of the first of its dimensions.
    unsigned value, firstDim;
  };

  void add(mlir::Value value);
  void addValues(KernelOp kernel);
  void addView(mlir::Operation *view);
  void tieMemory(KernelOp kernel);
  void tieAdjacent(KernelOp kernel);
  void tieReads(KernelOp kernel);
  void tieView(mlir::Operation *view);
  llvm::SmallVector<unsigned> leadersOf(mlir::Value value);
  unsigned electedOf(llvm::ArrayRef<unsigned> leaders);
  bool isFree(mlir::Value value);
  void tie(mlir::Value a, mlir::Value b);
  void join(unsigned a, unsigned b);

  llvm::DenseMap<mlir::Value, Node> nodes;
  llvm::SetVector<mlir::Operation *> views;
  /// Numbers of values, and of their dimensions: those of one group.
  llvm::IntEqClasses groups, dims;
  unsigned numDims = 0;
  /// Whether the group cannot be changed, by its leader.
  llvm::SmallVector<bool> pinned;
  /// Dimensions of which a view makes several, the last of them short.
  llvm::SmallVector<unsigned> shortRuns;
  /// The votes by the leader of the dimensions.
  llvm::DenseMap<unsigned, double> votes;
};

/// Votes for the dimensions that the op prefers along memory in the tensors
/// that it accesses, weighed by the work that depends on it.
void voteForLayouts(LayoutGroups &groups, KernelOp kernel, ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_LAYOUTS_LAYOUTGROUPS_H
