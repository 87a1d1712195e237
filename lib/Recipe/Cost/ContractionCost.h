//===- ContractionCost.h - Cycles of a register tile -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_CONTRACTIONCOST_H
#define ONNXC_LIB_RECIPE_COST_CONTRACTIONCOST_H

#include "Kernels/ContractionLoops.h"

namespace onnxc {

/// Lanes of vectors along `column` that all ops of the kernel may have; 0 if
/// some op has none.
int64_t lanesAlong(krnl::KernelOp kernel, llvm::StringRef column,
                   const target::Processor &target);

/// The cost of a contraction as a function of its tile.
class ContractionCost {
public:
  /// `lanes` are those of the sums; `grouped` is the reduced loop that is taken
  /// in groups of `groupBytes`, or empty; `packed` the input that is packed, or
  /// -1; `shortGroups` the groups whose products are added up in 16 bits, or 0.
  ContractionCost(krnl::KernelOp kernel, const Contraction &loops,
                  const target::Processor &target, int64_t lanes,
                  llvm::StringRef grouped, int64_t groupBytes, int packed,
                  int64_t shortGroups = 0);

  /// The cycles of all rows and columns, on one thread.
  double cycles(RegisterTile tile) const;
  /// The cycles to pack the columns, where that happens in each run; else 0.
  double packingCycles() const;

  /// The extent of an axis that cycles() assumes.
  int64_t assumedExtent(llvm::StringRef axis) const;

  /// Steps of the reduction of one result, and those of a slice: all tiles of
  /// rows read a slice of the columns before the next one.
  int64_t depth = 1, sliceDepth = 1;
  /// Extents of the loops that are tiled, dynamic where they are not known.
  int64_t rows, columns;
  ColumnWork work;

private:
  int64_t countGroups(int64_t groupBytes);
  double windowFactor(RegisterTile tile) const;
  bool linesStay(mlir::OpOperand &operand) const;
  bool isUnforeseen(mlir::OpOperand &operand) const;
  double rereadCycles(RegisterTile tile) const;
  double widenCycles() const;
  double emptyLanesFactor() const;
  double farCycles(RegisterTile tile) const;
  double continuedSumCycles() const;
  double longSumsFactor(RegisterTile tile) const;
  /// The iterations of all outer loops that count.
  double
  outerIterations(llvm::function_ref<bool(llvm::StringRef)> counts) const;
  int64_t columnElementBytes() const;

  krnl::KernelOp kernel;
  const Contraction &loops;
  const target::Processor &target;
  int64_t lanes;
  /// Bytes of a column in a step of the reduction.
  int64_t stepBytes = 0;
  bool isPacked, packsInRun, readsInPlace;
  /// Pairs are multiplied, of rows that are extended once for many columns.
  bool widensRows;
  int64_t shortGroups;
  /// The loop that is taken in groups, where sums are short.
  std::string grouped;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_CONTRACTIONCOST_H
