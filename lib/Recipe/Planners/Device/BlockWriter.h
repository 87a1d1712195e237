//===- BlockWriter.h - Recipes for blocks of threads ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// BlockRows.cpp has the recipes by which threads share a row, and
// BlockRecipe.cpp the others.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKWRITER_H
#define ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKWRITER_H

#include "Kernels/KernelShape.h"
#include "onnxc/Recipe/RecipeBuilder.h"
#include "onnxc/Recipe/RecipeSpace.h"

namespace onnxc {

/// Writes recipes for one kernel whose tiles are shared by threads.
class BlockWriter {
public:
  BlockWriter(krnl::KernelOp kernel, const target::Processor &target)
      : kernel(kernel), target(target),
        ops(llvm::to_vector(kernel.getBody().getOps<krnl::ComputeOp>())) {}

  void findLoops();
  /// The recipe by which so many threads have a row; null where rows are short,
  /// do not lie along memory, or have elements in common.
  mlir::ArrayAttr writeRows(int64_t threads);
  /// Threads that may have a row, those first that do usually.
  llvm::SmallVector<int64_t> threadsOfRow();
  /// The recipe for sums across memory by which `threads` threads have the
  /// terms of the columns that are adjacent in a line of the caches; null if
  /// there are none.
  mlir::ArrayAttr writeColumns(int64_t threads);
  /// The recipe with so many rows and lanes of columns for each thread, and
  /// terms of a sum at once; null where the loops have no such.
  mlir::ArrayAttr write(int64_t rows, int64_t lanes, int64_t terms);
  /// Lanes of vectors of the result.
  int64_t lanes() const;
  bool reduces() const { return !own.empty() || hasParts(); }
  /// Returns true if none of the recipes is known to be the best.
  bool isCompared() const {
    return reduces() || (!common.empty() && isShort(common.back()));
  }
  /// Terms of a sum that a thread may read at once.
  llvm::SmallVector<int64_t> terms() const;

  /// Returns true if one element of an operand stands for several terms of a
  /// row. Tiles have it in common for several rows.
  bool hasParts() const { return !parts.empty(); }
  int64_t elementsOfRow() const {
    return extentOfAll(kernel, llvm::ArrayRef(row), guessedRow);
  }

private:
  using Loops = llvm::SmallVector<std::string>;

  std::optional<Loops> cutTile(RecipeBuilder &recipe, Loops &outer,
                               int64_t rows, int64_t lanes);
  void orderCommon();
  void findParts();
  void findRow();
  void mapTiles(RecipeBuilder &recipe, int64_t threads);
  bool mayKeep(int64_t threads, int64_t vectors) const {
    return !hasParts() && vectors % threads == 0 &&
           vectors / threads <= maxVectorsOfThread;
  }
  void keepRow(RecipeBuilder &recipe, llvm::StringRef steps, int64_t threads,
               int64_t vectors);
  size_t numTurns(int64_t threads, int64_t width) const;
  bool hasRows();
  bool hasColumns();
  bool hasTerms(krnl::ComputeOp op);
  int64_t rowLanes(llvm::StringRef loop) const;
  int64_t vectorLanes(int64_t threads) const;
  int64_t rowsOfTile(int64_t threads) const;
  /// Returns true if all extents are static.
  bool areStatic(llvm::ArrayRef<std::string> loops) const {
    return llvm::all_of(
        loops, [&](const std::string &loop) { return isStatic(kernel, loop); });
  }
  bool isShort(llvm::StringRef loop) const;

  krnl::KernelOp kernel;
  const target::Processor &target;
  llvm::SmallVector<krnl::ComputeOp> ops;
  /// Loops of threads, that along memory last; the others; and of these the
  /// last ones, which are parts of an element that holds several numbers.
  Loops common, own, parts;
  /// The loops of `own` that the last op has of its row, and those of other
  /// ops, which have none of these, in groups: rows of other lengths.
  Loops row;
  llvm::SmallVector<Loops> otherRows;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKWRITER_H
