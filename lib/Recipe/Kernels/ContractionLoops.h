//===- ContractionLoops.h - Loops of a contraction --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A contraction has loops of four kinds, by the operands they index:
//   batch     both operands and the result
//   rows      one operand (scalars that are broadcast) and the result
//   columns   the other one (vectors, packed where that helps) and the result
//   reduced   no result
// For a convolution the rows are output positions, the columns output channels.
//
// The operand of columns may be computed from several tensors, all but one of
// which are constants that are indexed by some of its loops: scales and zero
// points of its blocks. They are its scaleOperands, and stored as it is.
//
// A sum may be one of blocks, which another op adds up, with a factor for each.
// All that runs over the blocks then runs together, block by block.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_KERNELS_CONTRACTIONLOOPS_H
#define ONNXC_LIB_RECIPE_KERNELS_CONTRACTIONLOOPS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/CostModel.h"

#include <string>

namespace onnxc {

/// The sum of a kernel: at once, or of the sums of blocks in a second op.
struct Reduction {
  krnl::ComputeOp op;
  /// Sums up the results of `op` for each block, over the loop `blocks`; null
  /// if there are none.
  krnl::ComputeOp total;
  std::string blocks;
};

/// The one sum of the kernel that need not be computed in order.
std::optional<Reduction> findReduction(krnl::KernelOp kernel);

/// Inputs of the ops that run over the blocks, but `op`, that differ from one
/// iteration of `column` to the next; nothing if some of them are no constants
/// indexed by columns and blocks.
std::optional<llvm::SmallVector<mlir::OpOperand *>>
findBlockFactors(krnl::KernelOp kernel, const Reduction &reduction,
                 llvm::StringRef column);

/// The loops of a contraction by kind, and which operands they come from.
struct Contraction {
  krnl::ComputeOp op;
  /// As in Reduction. The loop is none of the four kinds.
  std::string blocks;
  llvm::SmallVector<mlir::OpOperand *> blockFactors;
  mlir::OpOperand *columnOperand = nullptr;
  mlir::OpOperand *rowOperand = nullptr;
  llvm::SmallVector<mlir::OpOperand *> scaleOperands;
  /// Of an op with several sums of products, which have the operand of rows in
  /// common: the operands of columns of the sums after the first one, which
  /// have the same loops.
  llvm::SmallVector<mlir::OpOperand *> siblingOperands;
  llvm::SmallVector<std::string> batch, rows, columns, reduced;
  /// The innermost loop of rows and columns: the ones that are tiled.
  std::string row, column;
  /// The operand of columns is read through a window, along memory.
  bool window = false;
  /// The columns have unit stride in the result.
  bool storesInLine = false;
  /// The operand of rows has the columns too: a window over channels that do
  /// not mix. Its elements are vectors then, none is broadcast.
  bool channelwise = false;

  /// The columns lie in a line in their operand.
  bool hasColumnsInLine() const;
  /// The operand of columns is read through a window, but not along them: only
  /// threads of a device, which copy it first, take columns of it.
  bool hasWindowAcross() const;
};

/// The loops of an op with `columns` as the operand of columns; fails where a
/// loop is of no kind, or there are no columns or rows.
mlir::FailureOr<Contraction>
sortLoops(krnl::ComputeOp op, mlir::OpOperand *columns, mlir::OpOperand *rows);

/// The one contraction of the kernel, seen in all ways: either operand may be
/// the one of columns.
llvm::SmallVector<Contraction, 0> findContractions(krnl::KernelOp kernel);

/// The contraction of a kernel whose one reduction is an op with several sums
/// of products of the same operand of rows; nothing for other kernels.
std::optional<Contraction> findSiblingContraction(krnl::KernelOp kernel);

/// Returns true if every dimension of the operand is indexed by a loop that
/// covers it, or at 0 if its size is static. Other operands cannot be packed.
bool isPlainlyIndexed(mlir::OpOperand &operand);

/// Inputs beside `columns` that differ from one iteration of `column` to the
/// next; nothing if some of them are no scaleOperands of it. `other` does not
/// count.
std::optional<llvm::SmallVector<mlir::OpOperand *>>
findScaleOperands(krnl::KernelOp kernel, krnl::ComputeOp op,
                  mlir::OpOperand &columns, llvm::StringRef column,
                  mlir::OpOperand *other = nullptr);

/// The loops of `loops` that index the operand of a structured op, in order:
/// how it is stored.
llvm::SmallVector<std::string> loopsOf(mlir::OpOperand &operand,
                                       llvm::ArrayRef<std::string> loops);

/// The loops of `reduced` that do not index the columns: parts of an element
/// that a byte holds several of, which is read once if they are unrolled. None
/// if they are more than a few, or their number is dynamic.
llvm::SmallVector<std::string> partLoops(krnl::KernelOp kernel,
                                         krnl::ComputeOp op,
                                         mlir::OpOperand &columns,
                                         llvm::ArrayRef<std::string> reduced);
/// The work to compute a vector of columns before it is multiplied, where an
/// element has so many parts.
ColumnWork columnWork(const Contraction &contraction, int64_t parts);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_KERNELS_CONTRACTIONLOOPS_H
