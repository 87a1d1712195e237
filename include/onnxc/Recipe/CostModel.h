//===- CostModel.h - Costs of choices in recipes ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_COSTMODEL_H
#define ONNXC_RECIPE_COSTMODEL_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

/// Cycles that one step of the reduction takes for a tile of vectors of `lanes`
/// sums: the largest of multiply-adds, all operations, loads (a vector per
/// column, a broadcast per row), vectors from another cache, and the latency of
/// too few accumulators.
/// Single sums, of one lane, take one instruction after the other.
double tileCycles(const target::Processor &target, RegisterTile tile,
                  int64_t lanes, ColumnWork work = {});

/// Cycles for one step of the reduction over a whole result, tails included.
/// For a dynamic number of rows it is `assumedRows` times the mean for each row
/// over usual numbers, those of no more than `assumedRows`.
double resultCycles(const target::Processor &target, RegisterTile tile,
                    int64_t rows, int64_t columns, int64_t lanes,
                    ColumnWork work = {}, int64_t assumedRows = guessedExtent);

/// Rows of a tile that the first cache can hold at once if they are `pitch`
/// bytes apart, 0 where that is not known. Those whose distance is a multiple
/// of a way's size share the few positions of one set.
int64_t maxRows(const target::Processor &target, int64_t pitch);

/// The same of the second cache, which is assumed to have as many ways.
int64_t maxRowsInL2(const target::Processor &target, int64_t pitch);

/// The cycles to copy one element of many that lie in a line.
double copyCycles(const target::Processor &target, int64_t elementBytes);

/// A candidate replaces a preferred one of its kind, or of another kind, if it
/// takes less than this part of its cycles: the model is no more precise.
constexpr double minGain = 0.99, minGainOfKind = 0.8;

/// The number of the candidate to take, of which preferred ones come first: a
/// later one has to take less than `gain` of its cycles.
size_t findCheapest(llvm::ArrayRef<double> cycles, double gain = minGain);

/// Columns of a block whose packed panels stay in the second cache while rows
/// are computed: a multiple of `tileColumns`, or 0 if all `columns` fit.
int64_t chooseColumnBlock(const target::Processor &target, int64_t columns,
                          int64_t depth, int64_t tileColumns,
                          int64_t elementBytes);

/// A part of a kernel's cost: so many cycles for each combined iteration of
/// axes of dynamic extent, by number.
struct CostTerm {
  double cycles;
  llvm::SmallVector<unsigned> axes;
};

/// The cost of a kernel with the recipe that was replayed, on one thread.
struct NestCost {
  /// No two have the same axes.
  llvm::SmallVector<CostTerm> terms;
  /// The sum of the terms; a dynamic extent counts as `outerExtent`, whatever
  /// the recipe.
  double cycles = 0;
  /// The cycles of one tile.
  double tileCycles = 0;
  /// The value of rooflineCycles(), and the number of blocks that share the
  /// work; no value and 1 unless the target is a device.
  std::optional<double> rooflineCycles;
  double tiles = 1;
};

/// The cycles to pack the part of an operand that one iteration of its
/// outermost packed loop fills, at run time; dynamic extents count as assumed
/// ones.
double packTileCycles(const krnl::LoopNest &nest, const krnl::Pack &pack,
                      const target::Processor &target);

/// The time of the ops, or of the caches and the memory, whatever is longer.
NestCost nestCost(krnl::KernelOp kernel, const krnl::LoopNest &nest,
                  const target::Processor &target);

/// Cycles that the device needs at least for the products, the other operations
/// and the bytes of the kernel, whatever the recipe. Products of numbers of 16
/// bits and less, and of those that the target has an instruction for, are
/// those of its units for matrices.
double rooflineCycles(krnl::KernelOp kernel, const target::Processor &target);

/// Returns true if two kernels that reach the roofline of the device would take
/// less time than the one of this cost.
bool mayBeProfitableInParts(const NestCost &whole,
                            const target::Processor &target);

} // namespace onnxc

#endif // ONNXC_RECIPE_COSTMODEL_H
