//===- WarpgroupContraction.cpp - Contractions by warpgroups ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The four warps of a warpgroup have 64 rows by up to 256 columns of the
// result, the sums of which an instruction adds products of matrices in shared
// memory to: step wgmma of recipes.
//
//===----------------------------------------------------------------------===//

#include "BlockContraction.h"
#include "KernelShape.h"
#include "OpCost.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using onnxc::krnl::MatrixSums;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Instructions of a warpgroup along the rows, columns of each, and warpgroups
/// of a block.
struct WarpgroupTile {
  int64_t rows, columns, rowGroups, columnGroups;
};

class WarpgroupWriter : public BlockContractionWriter {
public:
  using BlockContractionWriter::BlockContractionWriter;

  /// Chooses a tile; false where it does not divide the loops, all of them
  /// known.
  bool choose(WarpgroupTile wanted, Copying way);
  ArrayAttr write();
  std::string describe() const;

private:
  WarpgroupTile tile{};
  Copying copying{};
};
} // namespace

bool WarpgroupWriter::choose(WarpgroupTile wanted, Copying way) {
  if (!divides(MatrixSums::groupRows * wanted.rows * wanted.rowGroups,
               loops.rows) ||
      !divides(wanted.columns * wanted.columnGroups, loops.column) ||
      !divides(MatrixSums::groupDepth, loops.reduced) ||
      MatrixSums::warps * target.warpThreads * wanted.rowGroups *
              wanted.columnGroups >
          target.tileThreads)
    return false;
  tile = wanted;
  copying = {largestDivisor(extentOfAll(loops.reduced) / MatrixSums::groupDepth,
                            way.steps),
             way.stages};
  return true;
}

ArrayAttr WarpgroupWriter::write() {
  RecipeBuilder recipe(kernel.getContext());
  auto [row, sum] = flattenLoops(recipe);
  auto [rowBlocks, rowBlock] = recipe.block(
      row, tile.rowGroups * tile.rows * MatrixSums::groupRows, "o", "b");
  auto [rowGroup, groupPart] =
      recipe.block(rowBlock, tile.rows * MatrixSums::groupRows, "v", "p");
  auto [rows, instructionRows] =
      recipe.block(groupPart, MatrixSums::groupRows, "f", "s");
  auto [warp, rowsOfWarp] =
      recipe.block(instructionRows, MatrixSums::rows, "w", "r");
  auto [rowCopy, rowThread] =
      recipe.block(rowsOfWarp, MatrixSums::rowThreads, "h", "g");
  auto [columnBlocks, columnBlock] =
      recipe.block(loops.column, tile.columnGroups * tile.columns, "o", "b");
  auto [columnGroup, columns] =
      recipe.block(columnBlock, tile.columns, "v", "p");
  auto [tiles, tileColumn] =
      recipe.block(columns, MatrixSums::columns, "f", "s");
  auto [columnThread, column] =
      recipe.block(tileColumn, MatrixSums::copies, "t", "c");
  auto [copies, stage] =
      recipe.block(sum, copying.steps * MatrixSums::groupDepth, "o", "i");
  auto [step, products] = recipe.block(stage, MatrixSums::groupDepth, "s", "k");

  SmallVector<std::string> outer = loops.batch;
  outer.push_back(rowBlocks);
  llvm::append_range(outer, ArrayRef(loops.columns).drop_back());
  outer.push_back(columnBlocks);
  // The last ones are the threads of a warpgroup.
  SmallVector<std::string> threads{rowGroup, columnGroup, warp, rowThread,
                                   columnThread};
  distribute(recipe, outer, threads,
             {rows, rowCopy, tiles, column, copies, step, products});
  recipe.unroll(rows, tile.rows);
  recipe.unroll(rowCopy, MatrixSums::copies);
  recipe.unroll(tiles, tile.columns / MatrixSums::columns);
  if (loops.storesInLine)
    recipe.vectorize(column, MatrixSums::copies);
  else
    recipe.unroll(column, MatrixSums::copies);
  recipe.unroll(step, copying.steps);
  for (OpOperand *operand : {loops.rowOperand, loops.columnOperand})
    recipe.cacheShared(krnl::inputNumber(kernel, operand->get()), copies);
  recipe.wgmma(
      {warp, rowCopy, rowThread, tiles, columnThread, column, products});
  recipe.pipeline(copies, copying.stages);
  return recipe.finish();
}

std::string WarpgroupWriter::describe() const {
  return llvm::formatv("{0} x {1} warpgroups, {2} matrices of 64 x {3} each, "
                       "{4} steps, {5} stages",
                       tile.rowGroups, tile.columnGroups, tile.rows,
                       tile.columns, copying.steps, copying.stages);
}

/// Larger ones first; more sums than 128 of a thread leave no registers for
/// anything else.
static SmallVector<WarpgroupTile> warpgroupTiles() {
  SmallVector<WarpgroupTile> tiles;
  for (auto [rows, columns] :
       {std::pair(1, 256), {2, 128}, {1, 128}, {2, 64}, {1, 64}, {1, 32}})
    for (auto [rowGroups, columnGroups] :
         {std::pair(2, 1), {1, 2}, {2, 2}, {4, 1}, {1, 1}})
      tiles.push_back({rows, columns, rowGroups, columnGroups});
  return tiles;
}

/// What the planner compares.
static constexpr Copying copyings[] = {{2, 3}, {2, 2}, {4, 2}, {2, 4},
                                       {4, 3}, {1, 4}, {4, 1}};

void addWarpgroupContractions(krnl::KernelOp kernel, const Processor &target,
                              const RecipeOptions &options,
                              ArrayRef<Contraction> ways,
                              RecipeCandidates &candidates) {
  size_t before = candidates.size();
  for (const Contraction &way : ways) {
    if (candidates.size() > before || !multipliesByWarpgroups(way.op))
      return;
    addTiles<WarpgroupTile>(WarpgroupWriter(kernel, way, target),
                            warpgroupTiles(), copyings, options, candidates);
  }
}

} // namespace onnxc
