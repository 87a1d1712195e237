//===- WarpgroupContraction.cpp - Contractions by warpgroups ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The four warps of a warpgroup have 64 rows by up to 256 columns of the
// result, the sums of which an instruction adds products of matrices in shared
// memory to: step wgmma of recipes. Blocks that have the same rows or columns
// may be a cluster, which copies these once.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Kernels/KernelShape.h"
#include "Planners/Device/BlockContraction.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Recipe/RecipeSpace.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using onnxc::krnl::MatrixSums;
using onnxc::target::Processor;

namespace onnxc {

/// An estimate of the loads of an operand of ops after the sums that are in
/// flight at the same time, which hides their latency.
static constexpr int64_t loadsAtOnce = 8;

namespace {
/// Instructions of a warpgroup along the rows, columns of each, warpgroups of a
/// block, and blocks of a cluster: which copy to each other, or have parts of a
/// sum.
struct WarpgroupTile {
  int64_t rows, columns, rowGroups, columnGroups, cluster, parts;
};

class WarpgroupWriter : public BlockContractionWriter {
public:
  using BlockContractionWriter::BlockContractionWriter;

  /// Chooses a tile; false where most of it would be padding.
  bool choose(WarpgroupTile wanted, Copying way);
  ArrayAttr write();
  std::string describe() const;
  double minCycles() {
    return BlockContractionWriter::minCycles(rowsOfBlock(), columnsOfBlock(),
                                             tile.cluster, productsPerCycle());
  }

private:
  int64_t rowsOfBlock() const {
    return MatrixSums::groupRows * tile.rows * tile.rowGroups;
  }
  int64_t columnsOfBlock() const { return tile.columns * tile.columnGroups; }
  /// Returns true if the blocks of a cluster share columns, false if they share
  /// rows: the larger slice is shared, of those that are copied.
  bool sharesColumns() const {
    return makerOf(loops.rowOperand) ||
           (columnsOfBlock() * numSums() >= rowsOfBlock() &&
            !makerOf(loops.columnOperand));
  }
  bool isShared(OpOperand *operand) const {
    return sharesColumns() == (operand != loops.rowOperand);
  }
  bool formsClusters();
  /// Blocks of a producer: all that run at once, in whole clusters.
  int64_t blocksAtOnce() const {
    return std::max(llvm::alignDown(target.coresOfClusters(tile.cluster),
                                    uint64_t(tile.cluster)),
                    uint64_t(tile.cluster));
  }
  bool hasSeveralTiles();
  SmallVector<std::string> orderBlocks(RecipeBuilder &recipe,
                                       StringRef rowBlocks,
                                       StringRef columnBlocks);

  /// The loop that has as many iterations as sums have parts, out of the loops
  /// of rows of warpgroups, copies of rows and tiles of columns; "" for none.
  StringRef sharedLoop(ArrayRef<StringRef> rowsCopiesTiles) const {
    int64_t extents[] = {tile.rows, MatrixSums::copies,
                         tile.columns / MatrixSums::columns};
    for (auto [loop, extent] : llvm::zip_equal(rowsCopiesTiles, extents))
      if (parts > 1 && extent == parts)
        return loop;
    return "";
  }
  struct RowLoops {
    std::string blocks, group, instructions, warp, copies, thread;
  };
  RowLoops cutRows(RecipeBuilder &recipe, StringRef row);
  struct ColumnLoops {
    std::string blocks, group, tiles, thread, copies;
  };
  ColumnLoops cutColumns(RecipeBuilder &recipe);
  void unrollTile(RecipeBuilder &recipe, const RowLoops &rows,
                  const ColumnLoops &columns, StringRef shares);
  ArrayAttr writeSteps(ArrayRef<unsigned> boxed);
  /// Registers of operands of ops after the sums: loads of a tile's columns.
  int64_t epilogueRegisters();

  WarpgroupTile tile{};
  Copying copying{};
};
} // namespace

int64_t WarpgroupWriter::epilogueRegisters() {
  int64_t bits = 0;
  for (auto op : kernel.getBody().getOps<krnl::ComputeOp>())
    if (op != loops.op && op != factorMaker())
      for (OpOperand *input : krnl::readInputs(op))
        if (krnl::inputNumber(kernel, input->get()) >= 0)
          bits += MatrixSums::copies * 8 *
                  elementBytes(getElementTypeOrSelf(input->get().getType()));
  return loadsAtOnce * int64_t(llvm::divideCeil(bits, 32));
}

/// Returns true if the blocks with the same rows or columns are whole clusters.
bool WarpgroupWriter::formsClusters() {
  if (tile.cluster == 1)
    return true;
  ArrayRef<std::string> along =
      sharesColumns() ? ArrayRef(loops.rows) : ArrayRef(loops.column);
  int64_t size = sharesColumns() ? rowsOfBlock() : columnsOfBlock();
  krnl::TargetAttr ofKernel = krnl::TargetAttr::of(kernel);
  return copying.stages > 1 && ofKernel.copiesTensors() &&
         ofKernel.formsClusters() &&
         llvm::all_of(
             along,
             [&](const std::string &loop) { return isStatic(kernel, loop); }) &&
         llvm::divideCeil(extentOfAll(along), size) % tile.cluster == 0;
}

/// Returns true if there are more tiles than blocks that run at the same time,
/// and a known number of slices, or no producer. A producer goes on to the next
/// tile.
bool WarpgroupWriter::hasSeveralTiles() {
  if (!copying.producer)
    return true;
  SmallVector<std::string> all = loops.batch;
  llvm::append_range(all, loops.rows);
  llvm::append_range(all, loops.columns);
  llvm::append_range(all, loops.reduced);
  if (!krnl::TargetAttr::of(kernel).copiesTensors() ||
      !llvm::all_of(
          all, [&](const std::string &loop) { return isStatic(kernel, loop); }))
    return false;
  int64_t tiles =
      int64_t(llvm::divideCeil(extentOfAll(loops.rows), rowsOfBlock()) *
              llvm::divideCeil(extentOfAll(loops.column), columnsOfBlock()));
  SmallVector<std::string> others = loops.batch;
  llvm::append_range(others, ArrayRef(loops.columns).drop_back());
  return tiles * extentOfAll(others) > blocksAtOnce();
}

bool WarpgroupWriter::choose(WarpgroupTile wanted, Copying way) {
  tile = wanted;
  copying = way;
  int64_t depth = krnl::matrixProductOf(loops.op)->depth();
  if (divides(depth, loops.reduced))
    copying.steps =
        largestDivisor(extentOfAll(loops.reduced) / depth, way.steps);
  parts = wanted.parts;
  if ((parts > 1 && sharedLoop({"rows", "copies", "tiles"}).empty()) ||
      (parts > 1 && copying.producer) ||
      !allowsParts(copying.steps * depth, rowsOfBlock(), columnsOfBlock()))
    return false;
  // The sums of all threads stay in registers, beside addresses and loads: no
  // more than those of the largest instruction.
  int64_t group = MatrixSums::warps * target.warpThreads;
  int64_t threads = group * tile.rowGroups * tile.columnGroups +
                    (way.producer ? krnl::producerThreads : 0);
  int64_t columns = tile.rows * tile.columns * numSums(),
          sums = MatrixSums::groupRows * columns / group;
  return isWorth(rowsOfBlock(), loops.rows) &&
         isWorth(columnsOfBlock(), loops.column) && formsClusters() &&
         hasSeveralTiles() &&
         columns <= MatrixSums::maxColumnTiles * MatrixSums::columns &&
         threads <= target.tileThreads &&
         threads * (sums + target.addressRegisters + epilogueRegisters()) <=
             target.coreRegisters;
}

ArrayAttr WarpgroupWriter::write() {
  ArrayAttr recipe = writeSteps({});
  SmallVector<unsigned> boxed = findBoxed(kernel, recipe);
  // Blocks of a cluster copy boxes to each other, and a producer copies all.
  for (OpOperand *operand : operands())
    if ((copying.producer || (tile.cluster > 1 && isShared(operand))) &&
        !llvm::is_contained(boxed, krnl::inputNumber(kernel, operand->get())))
      return {};
  return boxed.empty() ? recipe : writeSteps(boxed);
}

/// The parallel loops. Those that the blocks of a cluster have come last.
SmallVector<std::string> WarpgroupWriter::orderBlocks(RecipeBuilder &recipe,
                                                      StringRef rowBlocks,
                                                      StringRef columnBlocks) {
  std::string rows = rowBlocks.str(), columns = columnBlocks.str(), inside;
  if (tile.cluster > 1) {
    std::string &divided = sharesColumns() ? rows : columns;
    std::tie(divided, inside) = recipe.block(
        divided, tile.cluster, suffix::clusters, suffix::clusterBlocks);
  }
  SmallVector<std::string> outer = tileLoops(rows, columns);
  if (tile.cluster > 1)
    outer.push_back(inside);
  return outer;
}

WarpgroupWriter::RowLoops WarpgroupWriter::cutRows(RecipeBuilder &recipe,
                                                   StringRef row) {
  RowLoops rows;
  std::string rest;
  std::tie(rows.blocks, rest) =
      recipe.block(row, rowsOfBlock(), suffix::blocks, suffix::inBlock,
                   tailOf(rowsOfBlock(), loops.rows));
  std::tie(rows.group, rest) =
      recipe.block(rest, tile.rows * MatrixSums::groupRows, suffix::warpgroups,
                   suffix::inWarpgroup);
  std::tie(rows.instructions, rest) = recipe.block(
      rest, MatrixSums::groupRows, suffix::fragments, suffix::inFragment);
  std::tie(rows.warp, rest) =
      recipe.block(rest, MatrixSums::rows, suffix::warps, suffix::inWarp);
  std::tie(rows.copies, rows.thread) = recipe.block(
      rest, MatrixSums::rowThreads, suffix::halves, suffix::halfThreads);
  return rows;
}

WarpgroupWriter::ColumnLoops
WarpgroupWriter::cutColumns(RecipeBuilder &recipe) {
  ColumnLoops columns;
  std::string rest;
  std::tie(columns.blocks, rest) =
      recipe.block(loops.column, columnsOfBlock(), suffix::blocks,
                   suffix::inBlock, tailOf(columnsOfBlock(), loops.column));
  std::tie(columns.group, rest) =
      recipe.block(rest, tile.columns, suffix::warpgroups, suffix::inWarpgroup);
  std::tie(columns.tiles, rest) = recipe.block(
      rest, MatrixSums::columns, suffix::fragments, suffix::inFragment);
  std::tie(columns.thread, columns.copies) =
      recipe.block(rest, MatrixSums::copies, suffix::threads, suffix::adjacent);
  return columns;
}

/// Writes out what a thread has of a warpgroup, but for the loop of shares.
void WarpgroupWriter::unrollTile(RecipeBuilder &recipe, const RowLoops &rows,
                                 const ColumnLoops &columns, StringRef shares) {
  for (auto [loop, extent] :
       {std::pair(StringRef(rows.instructions), tile.rows),
        {rows.copies, MatrixSums::copies},
        {columns.tiles, tile.columns / MatrixSums::columns}})
    if (loop != shares)
      recipe.unroll(loop, extent);
}

ArrayAttr WarpgroupWriter::writeSteps(ArrayRef<unsigned> boxed) {
  RecipeBuilder recipe(kernel.getContext());
  auto [row, sum] = flattenLoops(recipe);
  RowLoops rows = cutRows(recipe, row);
  ColumnLoops columns = cutColumns(recipe);
  SumLoops sums = cutProducts(recipe, sum, copying.steps);
  SmallVector<std::string> outer =
      orderBlocks(recipe, rows.blocks, columns.blocks);
  computeFactor(recipe, sums.copies);
  // The last ones are the threads of a warpgroup.
  SmallVector<std::string> threads{rows.group, columns.group, rows.warp,
                                   rows.thread, columns.thread};
  distribute(recipe, outer, threads,
             {rows.instructions, rows.copies, columns.tiles, columns.copies,
              sums.part, sums.copies, sums.step, sums.products});
  bool hasProducer = copying.producer && !boxed.empty();
  if (hasProducer)
    recipe.grid(blocksAtOnce());
  if (tile.cluster > 1 && !boxed.empty())
    recipe.mapCluster(outer.back());
  StringRef shares =
      sharedLoop({rows.instructions, rows.copies, columns.tiles});
  unrollTile(recipe, rows, columns, shares);
  mapParts(recipe, sums.part, shares);
  for (OpOperand *operand : operands()) {
    if (makerOf(operand))
      continue;
    int number = krnl::inputNumber(kernel, operand->get());
    recipe.cacheShared(number, sums.copies, llvm::is_contained(boxed, number));
  }
  storePairs(recipe, columns.copies);
  recipe.unroll(sums.step, copying.steps);
  recipe.wgmma({rows.warp, rows.copies, rows.thread, columns.tiles,
                columns.thread, columns.copies, sums.products});
  recipe.pipeline(sums.copies, copying.stages, copying.inFlight, /*op=*/-1,
                  hasProducer);
  return recipe.finish();
}

std::string WarpgroupWriter::describe() const {
  return llvm::formatv(
      "{0} x {1} warpgroups, {2} matrices of 64 x {3} each, "
      "{4} steps, {5} stages, {6} in flight, clusters of {7}{8}{9}",
      tile.rowGroups, tile.columnGroups, tile.rows, tile.columns, copying.steps,
      copying.stages, copying.inFlight, tile.cluster,
      copying.producer ? ", a producer" : "", describeParts());
}

/// Larger ones first; none has more sums than the largest instruction.
static SmallVector<WarpgroupTile> warpgroupTiles() {
  SmallVector<WarpgroupTile> tiles;
  auto add = [&](int64_t rows, int64_t columns, int64_t rowGroups,
                 int64_t columnGroups) {
    int64_t groups = rowGroups * columnGroups;
    int64_t results = MatrixSums::groupRows * rows * columns * groups;
    bool shares =
        results >= minClusterResults && groups <= maxClusterWarpgroups;
    for (int64_t cluster = 1; cluster <= (shares ? maxCluster : 1);
         cluster *= 2)
      tiles.push_back(
          {rows, columns, rowGroups, columnGroups, cluster, /*parts=*/1});
    for (int64_t parts : ArrayRef(clusterPartsTried).drop_front())
      tiles.push_back(
          {rows, columns, rowGroups, columnGroups, /*cluster=*/1, parts});
  };
  for (auto [rows, columns] :
       {std::pair(1, 256), {2, 128}, {1, 128}, {2, 64}, {1, 64}, {1, 32}})
    for (auto [rowGroups, columnGroups] :
         {std::pair(2, 1), {1, 2}, {3, 1}, {2, 2}, {4, 1}, {1, 1}})
      add(rows, columns, rowGroups, columnGroups);
  return tiles;
}

/// What the planner compares.
static constexpr Copying copyings[] = {
    {4, 4, 1, true}, {4, 3, 1, true}, {4, 4, 1},       {4, 3, 1}, {2, 4, 1},
    {8, 3, 1},       {2, 5, 1, true}, {2, 6, 1, true}, {2, 5, 1}, {4, 5, 1},
    {4, 4},          {4, 3},          {4, 2},          {2, 3},    {2, 2},
    {1, 4},          {4, 1}};
/// The number of `copyings`, from the first, that are compared for all tiles.
static constexpr size_t copyingsOfAll = 6;

void addWarpgroupContractions(krnl::KernelOp kernel, const Processor &target,
                              const RecipeOptions &options,
                              ArrayRef<Contraction> ways,
                              RecipeCandidates &candidates) {
  for (const Contraction &way : ways)
    if (!multipliesByWarpgroups(way.op) ||
        addTiles<WarpgroupTile>(WarpgroupWriter(kernel, way, target),
                                warpgroupTiles(), copyings, options, candidates,
                                copyingsOfAll))
      return;
}

} // namespace onnxc
