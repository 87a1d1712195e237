//===- RecipeSpace.h - The space that recipes are proposed from -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The sizes that planners propose, and the extents that they and the cost model
// assume where only the run knows them.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPESPACE_H
#define ONNXC_RECIPE_RECIPESPACE_H

#include "onnxc/Target/Processor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

/// The assumed value of a dynamic extent in comparisons of tiles or orders of a
/// contraction: long enough for whole tiles and for operands to be packed.
/// Loops that both operands have, a batch or its heads, are not compared: they
/// run outside of all others.
constexpr int64_t guessedExtent = 512;

/// The same for loops outside of a tile, and for all other kernels: many, but
/// not so many that the products of a few of them decide everything.
constexpr int64_t outerExtent = 64;

/// Rows of a product below which lanes are along sums of `depth` steps rather
/// than along columns that are packed in each run: the lanes of each sum are
/// added up for that, which takes as long as to pack some elements.
int64_t fewRows(const target::Processor &target, int64_t depth);

/// Rows of a contraction whose number is dynamic: widths of images and their
/// halves, sentences, and many.
constexpr int64_t usualRows[] = {4,  7,  10, 14, 20,
                                 28, 40, 56, 80, guessedExtent};

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

/// Vectors in so many columns, an unknown number being many.
int64_t countVectors(int64_t columns, int64_t lanes);

/// How the rows are done that only the run knows to be left of tiles of `rows`:
/// by powers of two, then one by one. Each visit reads all the vectors, and a
/// few accumulators would wait for each other.
llvm::SmallVector<int64_t> rowTail(int64_t rows);

/// The tiles for `rows` x `columns` results, preferred ones first: those that
/// fit the registers, the result, and `maxRows`. A dynamic extent counts as
/// many.
llvm::SmallVector<RegisterTile>
registerTiles(const target::Processor &target, int64_t rows, int64_t columns,
              int64_t lanes, int64_t maxRows = INT64_MAX, ColumnWork work = {});

/// The same for windows over columns that do not mix: every row has vectors of
/// its own, and neighbouring rows share most of them, so that few columns and
/// many rows are best.
llvm::SmallVector<RegisterTile> windowTiles(const target::Processor &target,
                                            int64_t rows, int64_t columns,
                                            int64_t lanes);

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPESPACE_H
