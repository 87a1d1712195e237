//===- MatrixContraction.cpp - Contractions by matrices ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A warp has fragments of 16 rows by 8 columns of the result, the sums of which
// an instruction adds products of matrices to: step mma of recipes.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Kernels/KernelShape.h"
#include "Planners/Device/BlockContraction.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Fragments of a warp, warps of a block, and parts of a sum.
struct MatrixTile {
  int64_t rows, columns, rowWarps, columnWarps, parts;
};

class MatrixWriter : public BlockContractionWriter {
public:
  using BlockContractionWriter::BlockContractionWriter;

  /// Chooses a tile; false where most of it would be padding.
  bool choose(MatrixTile wanted, Copying way);
  ArrayAttr write();
  std::string describe() const;
  double minCycles() {
    return BlockContractionWriter::minCycles(
        rowsOfBlock(), columnsOfBlock(), /*cluster=*/1,
        productsPerCycle() * target.warpMatrixShare);
  }

private:
  struct Parts {
    std::string blocks, warp, fragments, outside, inside;
  };
  Parts cut(RecipeBuilder &recipe, StringRef loop, TailStrategy tail,
            int64_t warps, int64_t fragments, int64_t iterations,
            int64_t inside, std::pair<LoopSuffix, LoopSuffix> names);

  int64_t rowsOfBlock() const {
    return MatrixSums::rows * tile.rows * tile.rowWarps;
  }
  int64_t columnsOfBlock() const {
    return MatrixSums::columns * tile.columns * tile.columnWarps;
  }

  MatrixTile tile{};
  Copying copying{};
};
} // namespace

bool MatrixWriter::choose(MatrixTile wanted, Copying way) {
  tile = wanted;
  copying = way;
  int64_t depth = matrixProductOf(loops.op)->depth();
  if (divides(depth, loops.reduced))
    copying.steps =
        largestDivisor(extentOfAll(loops.reduced) / depth, way.steps);
  parts = wanted.parts;
  if ((tile.columns % parts != 0 && tile.rows % parts != 0) ||
      !allowsParts(copying.steps * depth, rowsOfBlock(), columnsOfBlock()))
    return false;
  // The least tile may be padding for the most part.
  return (rowsOfBlock() == MatrixSums::rows ||
          isWorth(rowsOfBlock(), loops.rows)) &&
         (columnsOfBlock() == MatrixSums::columns ||
          isWorth(columnsOfBlock(), loops.column));
}

/// Blocks of warps of fragments, the iterations of which are threads and
/// copies.
MatrixWriter::Parts MatrixWriter::cut(RecipeBuilder &recipe, StringRef loop,
                                      TailStrategy tail, int64_t warps,
                                      int64_t fragments, int64_t iterations,
                                      int64_t inside,
                                      std::pair<LoopSuffix, LoopSuffix> names) {
  Parts parts;
  std::string rest;
  std::tie(parts.blocks, rest) =
      recipe.block(loop, warps * fragments * iterations, suffix::blocks,
                   suffix::inBlock, tail);
  std::tie(parts.warp, rest) =
      recipe.block(rest, fragments * iterations, suffix::warps, suffix::inWarp);
  std::tie(parts.fragments, rest) =
      recipe.block(rest, iterations, suffix::fragments, suffix::inFragment);
  std::tie(parts.outside, parts.inside) =
      recipe.block(rest, inside, names.first, names.second);
  return parts;
}

ArrayAttr MatrixWriter::write() {
  RecipeBuilder recipe(kernel.getContext());
  auto [row, sum] = flattenLoops(recipe);
  Parts rows =
      cut(recipe, row, tailOf(rowsOfBlock(), loops.rows), tile.rowWarps,
          tile.rows, MatrixSums::rows, MatrixSums::rowThreads,
          {suffix::halves, suffix::halfThreads});
  Parts columns =
      cut(recipe, loops.column, tailOf(columnsOfBlock(), loops.column),
          tile.columnWarps, tile.columns, MatrixSums::columns,
          MatrixSums::copies, {suffix::threads, suffix::adjacent});
  SumLoops sums = cutProducts(recipe, sum, copying.steps);
  bool sharesColumns = tile.columns % parts == 0;
  Parts &sharedOut = sharesColumns ? columns : rows;
  std::string shares;
  std::tie(shares, sharedOut.fragments) = cutShares(
      recipe, sharedOut.fragments, sharesColumns ? tile.columns : tile.rows);

  computeFactor(recipe, sums.copies);
  // The last ones are the threads of a warp.
  SmallVector<std::string> threads{rows.warp, columns.warp, rows.inside,
                                   columns.outside};
  distribute(recipe, tileLoops(rows.blocks, columns.blocks), threads,
             {shares, rows.fragments, rows.outside, columns.fragments,
              columns.inside, sums.part, sums.copies, sums.step,
              sums.products});
  mapParts(recipe, sums.part, shares);
  recipe.unroll(rows.fragments, tile.rows / (sharesColumns ? 1 : parts));
  recipe.unroll(rows.outside, MatrixSums::copies);
  recipe.unroll(columns.fragments, tile.columns / (sharesColumns ? parts : 1));
  cacheOperands(recipe, sums.copies, copying.stages);
  storePairs(recipe, columns.inside);
  recipe.mma({rows.outside, rows.inside, columns.outside, columns.inside,
              sums.products});
  return recipe.finish();
}

std::string MatrixWriter::describe() const {
  return llvm::formatv(
      "{0} x {1} warps, {2} x {3} matrices of 16 x 8 each, {4} steps, {5} "
      "stages{6}",
      tile.rowWarps, tile.columnWarps, tile.rows, tile.columns, copying.steps,
      copying.stages, describeParts());
}

/// Larger ones first.
static SmallVector<MatrixTile> matrixTiles() {
  SmallVector<MatrixTile> tiles;
  for (auto [rows, columns] :
       {std::pair(4, 8), {4, 4}, {2, 4}, {2, 2}, {1, 4}, {1, 2}, {1, 1}})
    for (auto [rowWarps, columnWarps] :
         {std::pair(2, 4), {4, 2}, {2, 2}, {1, 4}, {4, 1}, {1, 2}, {1, 1}})
      for (int64_t parts : clusterPartsTried)
        tiles.push_back({rows, columns, rowWarps, columnWarps, parts});
  return tiles;
}

/// What the planner compares.
static constexpr Copying copyings[] = {{2, 2}, {1, 3}, {2, 4}, {2, 3}, {4, 2},
                                       {1, 4}, {4, 3}, {4, 1}, {4, 4}, {2, 6}};

void addMatrixContractions(KernelOp kernel, const Processor &target,
                           const RecipeOptions &options,
                           ArrayRef<Contraction> ways,
                           RecipeCandidates &candidates) {
  for (const Contraction &way : ways) {
    if (!candidates.empty() || !multipliesMatrices(way.op))
      return;
    (void)addTiles<MatrixTile>(MatrixWriter(kernel, way, target), matrixTiles(),
                               copyings, options, candidates);
  }
}

} // namespace onnxc
