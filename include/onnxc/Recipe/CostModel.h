//===- CostModel.h - Costs of choices in recipes ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_COSTMODEL_H
#define ONNXC_RECIPE_COSTMODEL_H

#include "onnxc/Target/Processor.h"

namespace onnxc {

/// A register tile: rows of scalars by columns of whole vectors.
struct RegisterTile {
  int64_t rows;
  int64_t vectors;
};

/// The work to make a vector of columns, where it is not only loaded:
/// operations in each step of the reduction, and registers: those of computed
/// values, and of values that are invariant over some of the steps.
struct ColumnWork {
  int64_t operations = 0;
  int64_t registers = 0;
  /// Of each result.
  int64_t accumulators = 1;
};

/// Cycles that one step of the reduction takes for a tile: the largest of
/// multiply-adds, all operations, loads (a vector per column, a broadcast per
/// row), and the latency of too few accumulators.
double tileCycles(const target::Processor &target, RegisterTile tile,
                  ColumnWork work = {});

/// Cycles for one step of the reduction over a whole result, tails included.
/// For a dynamic number of rows it is the mean over usual numbers.
double resultCycles(const target::Processor &target, RegisterTile tile,
                    int64_t rows, int64_t columns, int64_t lanes,
                    ColumnWork work = {});

/// Rows of a tile that the first cache can hold at once if they are `pitch`
/// bytes apart, 0 where that is not known. Those whose distance is a multiple
/// of a way's size share the few positions of one set.
int64_t maxRows(const target::Processor &target, int64_t pitch);

/// The tile that computes `rows` x `columns` results in the fewest cycles.
/// Tails count as the smaller tiles they are. A dynamic extent counts as many.
/// The tile has at most `maxRows`.
RegisterTile chooseRegisterTile(const target::Processor &target, int64_t rows,
                                int64_t columns, int64_t lanes,
                                int64_t maxRows = INT64_MAX,
                                ColumnWork work = {});

/// The same for windows over columns that do not mix: every row has vectors of
/// its own, and neighbouring rows share most of them, so that few columns and
/// many rows are best.
RegisterTile chooseWindowTile(const target::Processor &target, int64_t rows,
                              int64_t columns, int64_t lanes);

/// Columns of a block whose packed panels stay in the second cache while rows
/// go by: a multiple of `tileColumns`, or 0 if all `columns` fit.
int64_t chooseColumnBlock(const target::Processor &target, int64_t columns,
                          int64_t depth, int64_t tileColumns,
                          int64_t elementBytes);

} // namespace onnxc

#endif // ONNXC_RECIPE_COSTMODEL_H
