//===- BlockContraction.cpp - Contractions by blocks of threads -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A block of threads has a tile of the result, and each thread a part of it in
// registers. Step by step of the reduction all of them copy what the tile needs
// of both operands to shared memory. ContractionLoops.h defines rows and
// columns.
//
// The columns of a thread are vectors that lie apart from each other, with
// those of the other threads between them: adjacent threads read
// adjacent vectors, which are in different banks.
//
//===----------------------------------------------------------------------===//

#include "Planners/Device/BlockContraction.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Recipe/RecipeSpace.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// What a thread and a block have at most: rows and vectors of columns of a
/// thread, and threads along both; and the parts of a sum.
struct BlockTile {
  int64_t rows, vectors, rowThreads, columnThreads;
  bool isPadded;
  int64_t parts;
};

/// Each thread has a tile of its own.
class TileWriter : public BlockContractionWriter {
public:
  using BlockContractionWriter::BlockContractionWriter;

  /// Chooses sizes that divide the loops or, if the tile is padded, do not;
  /// false where these leave too little.
  bool choose(BlockTile maxTile, Copying way);
  ArrayAttr write();
  std::string describe() const;
  double minCycles() {
    return BlockContractionWriter::minCycles(
        shape.rows * shape.rowThreads,
        shape.columnThreads * shape.vectors * adjacent, /*cluster=*/1,
        double(target.fmaPerCycle * target.warpThreads));
  }

private:
  void chooseWhole(const BlockTile &maxTile, int64_t rows, int64_t columns);
  void choosePadded(const BlockTile &maxTile, int64_t rows, int64_t columns);

  struct RowLoops {
    std::string blocks, thread, copies;
  };
  RowLoops cutRows(RecipeBuilder &recipe, StringRef row);
  struct ColumnLoops {
    std::string blocks, vectors, thread, adjacent;
  };
  ColumnLoops cutColumns(RecipeBuilder &recipe);
  /// Of the sum: parts, slices of a part and terms of a slice.
  struct TermLoops {
    std::string part, copies, step;
  };
  TermLoops cutTerms(RecipeBuilder &recipe, StringRef sum);
  /// The loops of threads, outermost first. Of the columns before the innermost
  /// ones, `next`, blocks are left where threads have some of them.
  SmallVector<std::string> cutThreads(RecipeBuilder &recipe,
                                      StringRef rowThread,
                                      StringRef columnThread,
                                      std::string &next);

  BlockTile shape{};
  Copying copying{};
  /// Threads along the loop of columns before the innermost one.
  int64_t nextThreads = 1;
  /// Adjacent columns of a thread, which are read from a slice at once, and
  /// whether they are accessed in memory at once, too.
  int64_t adjacent = 1;
  bool areVectors = false;
};
} // namespace

bool BlockContractionWriter::isPossible() {
  if (loops.channelwise || !loops.blocks.empty() ||
      !loops.scaleOperands.empty())
    return false;
  for (OpOperand *operand : operands()) {
    ComputeOp maker = makerOf(operand);
    if ((maker ? numSums() > 1 || !reasonAgainstSlices(maker).empty()
               : inputNumber(kernel, operand->get()) < 0) ||
        !getElementTypeOrSelf(operand->get()).isIntOrFloat())
      return false;
  }
  // The op of a factor has no loops in the end.
  llvm::StringSet<> all;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op != factorMaker())
      for (StringRef axis : op.getAxes())
        all.insert(axis);
  return loops.batch.size() + loops.rows.size() + loops.columns.size() +
                 loops.reduced.size() ==
             all.size() &&
         extentOfAll(loops.reduced) >= minDepth;
}

double BlockContractionWriter::countTiles(int64_t rows, int64_t columns) {
  SmallVector<std::string> others = loops.batch;
  llvm::append_range(others, ArrayRef(loops.columns).drop_back());
  auto blocksOf = [&](ArrayRef<std::string> along, int64_t size) {
    return double(llvm::divideCeil(extentOfAll(along), size));
  };
  return blocksOf(loops.rows, rows) * blocksOf(loops.column, columns) *
         double(extentOfAll(others));
}

bool BlockContractionWriter::allowsParts(int64_t slice, int64_t rows,
                                         int64_t columns) {
  if (parts == 1)
    return true;
  int64_t terms = extentOfAll(loops.reduced);
  return TargetAttr::of(kernel).formsClusters() && divides(1, loops.reduced) &&
         matrixProductOf(loops.op) && termsOfPart(slice) >= minTermsOfPart &&
         int64_t(llvm::divideCeil(terms, termsOfPart(slice))) == parts &&
         countTiles(rows, columns) < double(target.cores);
}

std::pair<std::string, std::string>
BlockContractionWriter::cutParts(RecipeBuilder &recipe, StringRef sum,
                                 int64_t slice) {
  if (parts == 1)
    return {"", sum.str()};
  int64_t terms = termsOfPart(slice);
  return recipe.block(sum, terms, suffix::clusterBlocks, suffix::inPart,
                      tailOf(terms, loops.reduced));
}

BlockContractionWriter::SumLoops
BlockContractionWriter::cutProducts(RecipeBuilder &recipe, StringRef sum,
                                    int64_t steps) {
  int64_t depth = matrixProductOf(loops.op)->depth(), inSlice = steps * depth;
  SumLoops cut;
  std::string rest;
  std::tie(cut.part, rest) = cutParts(recipe, sum, inSlice);
  std::tie(cut.copies, rest) = recipe.block(
      rest, inSlice, suffix::blocks, suffix::inside,
      parts == 1 ? tailOf(inSlice, loops.reduced) : TailStrategy::Mask);
  std::tie(cut.step, cut.products) =
      recipe.block(rest, depth, suffix::steps, suffix::products);
  return cut;
}

void BlockContractionWriter::storePairs(RecipeBuilder &recipe,
                                        StringRef columns) {
  if (loops.storesInLine && divides(MatrixSums::copies, loops.column))
    recipe.vectorize(columns, MatrixSums::copies);
  else
    recipe.unroll(columns, MatrixSums::copies);
}

SmallVector<std::string>
BlockContractionWriter::tileLoops(StringRef rowBlocks, StringRef columnBlocks) {
  SmallVector<std::string> outer = loops.batch;
  outer.push_back(rowBlocks.str());
  llvm::append_range(outer, ArrayRef(loops.columns).drop_back());
  outer.push_back(columnBlocks.str());
  return outer;
}

/// The number of the op among those of the kernel.
static unsigned numberOf(KernelOp kernel, ComputeOp op) {
  auto ops = kernel.getBody().getOps<ComputeOp>();
  return std::distance(ops.begin(), llvm::find(ops, op));
}

void BlockContractionWriter::computeFactor(RecipeBuilder &recipe,
                                           StringRef loop) {
  if (ComputeOp maker = factorMaker())
    recipe.cacheShared(numberOfResult(kernel, numberOf(kernel, maker)), loop);
}

void BlockContractionWriter::mapParts(RecipeBuilder &recipe, StringRef part,
                                      StringRef shares) {
  if (parts == 1)
    return;
  int sum = int(numberOf(kernel, loops.op));
  recipe.unroll(shares, parts, sum);
  recipe.mapCluster(part);
  recipe.mapCluster(shares, part);
}

double BlockContractionWriter::minCycles(int64_t rows, int64_t columns,
                                         int64_t cluster,
                                         double productsPerCycle) {
  double tiles = countTiles(rows, columns) * double(parts);
  auto bytesOf = [](OpOperand *operand) {
    return double(elementBytes(getElementTypeOrSelf(operand->get().getType())));
  };
  double depth = double(extentOfAll(loops.reduced)) / double(parts);
  double bytes = double(rows) * bytesOf(loops.rowOperand) +
                 double(columns * numSums()) * bytesOf(loops.columnOperand);
  double products = double(rows * columns * numSums());
  double ofTile = depth * std::max(products / productsPerCycle,
                                   bytes / target.coreBytesPerCycle);
  double launch = target.launchCycles();
  return launch + ofTile * std::ceil(tiles / double(target.coresOfClusters(
                                                 std::max(cluster, parts))));
}

SmallVector<unsigned> findBoxed(KernelOp kernel, ArrayAttr recipe) {
  FailureOr<LoopNest> nest = failure();
  if (TargetAttr::of(kernel).copiesTensors())
    nest = replayWith(kernel, recipe, {});
  if (failed(nest))
    return {};
  llvm::SetVector<unsigned> boxed, others;
  for (const Cache &cache : nest->caches())
    if (pipelineAt(*nest, cache.at).stages > 1)
      for (unsigned op : cachingOps(*nest, cache)) {
        std::string reason;
        (tensorBoxes(*nest, cache, op, reason) ? boxed : others)
            .insert(cache.operand);
      }
  boxed.set_subtract(others);
  return boxed.takeVector();
}

double cheapestOf(ArrayRef<RecipeCandidate> candidates, StringRef kind) {
  SmallVector<double> cycles{std::numeric_limits<double>::infinity()};
  for (const RecipeCandidate &candidate : candidates)
    if (candidate.kind == kind)
      cycles.push_back(candidate.cycles);
  return cycles[findCheapest(cycles)];
}

/// Vectors of columns, by sizes that divide all of them.
void TileWriter::chooseWhole(const BlockTile &maxTile, int64_t rows,
                             int64_t columns) {
  // So many are read as vectors; other numbers do for want of them.
  int64_t vectorRows = int64_t(1) << llvm::countr_zero(uint64_t(rows));
  shape.rows = vectorRows >= minLanes ? std::min(vectorRows, maxTile.rows)
                                      : largestDivisor(rows, maxTile.rows);
  shape.rowThreads = largestDivisor(rows / shape.rows, maxTile.rowThreads);
  shape.columnThreads = largestDivisor(columns, maxTile.columnThreads);
  shape.vectors =
      largestDivisor(columns / shape.columnThreads, maxTile.vectors);
  if (loops.columns.size() > 1 && isStatic(kernel, loops.columns.end()[-2]))
    nextThreads = largestDivisor(extentOf(kernel, loops.columns.end()[-2], 0),
                                 maxTile.columnThreads / shape.columnThreads);
}

/// By powers of two.
void TileWriter::choosePadded(const BlockTile &maxTile, int64_t rows,
                              int64_t columns) {
  auto part = [](int64_t &whole, int64_t size) {
    size = std::min<int64_t>(size, llvm::bit_ceil(uint64_t(whole)));
    whole = llvm::divideCeil(whole, size);
    return size;
  };
  shape.rows = part(rows, maxTile.rows);
  shape.rowThreads = part(rows, maxTile.rowThreads);
  shape.columnThreads = part(columns, maxTile.columnThreads);
  shape.vectors = part(columns, maxTile.vectors);
}

bool TileWriter::choose(BlockTile maxTile, Copying way) {
  int64_t rows = extentOfAll(loops.rows);
  int64_t columns = extentOfAll(loops.column);
  Type element = getElementTypeOrSelf(loops.op.getDpsInits().front());
  adjacent = element.isIntOrFloat() && loops.storesInLine
                 ? target.lanes(element.getIntOrFloatBitWidth())
                 : 1;
  areVectors = divides(adjacent, loops.column);
  if (!areVectors && !maxTile.isPadded)
    adjacent = 1;
  if (adjacent == 1)
    maxTile.vectors = scalarColumns;
  columns = llvm::divideCeil(columns, adjacent);
  nextThreads = 1;
  shape.isPadded = maxTile.isPadded;
  if (maxTile.isPadded)
    choosePadded(maxTile, rows, columns);
  else
    chooseWhole(maxTile, rows, columns);
  copying = way;
  parts = maxTile.parts;
  if (shape.rows % parts != 0 ||
      !allowsParts(way.steps, shape.rows * shape.rowThreads,
                   shape.columnThreads * shape.vectors * adjacent))
    return false;
  bool isWhole =
      divides(shape.rows * shape.rowThreads, loops.rows) &&
      divides(shape.columnThreads * shape.vectors * adjacent, loops.column);
  if (isWhole == maxTile.isPadded)
    return false;
  int64_t threads = shape.rowThreads * shape.columnThreads * nextThreads;
  return threads >= target.warpThreads && threads <= target.tileThreads &&
         shape.rows * shape.vectors * adjacent >= minTileElements;
}

std::pair<std::string, std::string>
BlockContractionWriter::flattenLoops(RecipeBuilder &recipe) {
  SmallVector<std::string> all;
  for (auto *kind : {&loops.batch, &loops.rows, &loops.columns, &loops.reduced})
    llvm::append_range(all, *kind);
  recipe.order(all);
  std::string row = recipe.fuseAll(loops.rows, fused::rows);
  return {row, recipe.fuseAll(loops.reduced, fused::sum)};
}

void BlockContractionWriter::distribute(RecipeBuilder &recipe,
                                        ArrayRef<std::string> blocks,
                                        ArrayRef<std::string> threads,
                                        ArrayRef<std::string> inside) {
  SmallVector<std::string> around(blocks);
  llvm::append_range(around, threads);
  SmallVector<std::string> order = around;
  llvm::append_range(
      order, llvm::make_filter_range(inside, [](const std::string &loop) {
        return !loop.empty();
      }));
  recipe.order(order);
  recipe.fuseOuter(around);
  recipe.parallel(blocks);
  for (const std::string &thread : threads)
    recipe.map(thread);
}

void BlockContractionWriter::cacheOperands(RecipeBuilder &recipe,
                                           StringRef loop, int64_t stages) {
  for (OpOperand *operand : operands())
    if (!makerOf(operand))
      recipe.cacheShared(inputNumber(kernel, operand->get()), loop);
  recipe.pipeline(loop, stages);
}

TileWriter::RowLoops TileWriter::cutRows(RecipeBuilder &recipe, StringRef row) {
  int64_t ofBlock = shape.rows * shape.rowThreads;
  auto [blocks, rest] =
      recipe.block(row, ofBlock, suffix::blocks, suffix::inBlock,
                   tailOf(ofBlock, loops.rows));
  // Adjacent threads write adjacent elements.
  if (loops.storesInLine) {
    auto [thread, copies] =
        recipe.block(rest, shape.rows, suffix::threads, suffix::registers);
    return {blocks, thread, copies};
  }
  auto [copies, thread] =
      recipe.block(rest, shape.rowThreads, suffix::registers, suffix::threads);
  return {blocks, thread, copies};
}

TileWriter::ColumnLoops TileWriter::cutColumns(RecipeBuilder &recipe) {
  int64_t ofLine = shape.columnThreads * adjacent,
          ofBlock = shape.vectors * ofLine;
  ColumnLoops columns;
  std::string rest;
  std::tie(columns.blocks, rest) =
      recipe.block(loops.column, ofBlock, suffix::blocks, suffix::inBlock,
                   tailOf(ofBlock, loops.column));
  std::tie(columns.vectors, rest) =
      recipe.block(rest, ofLine, suffix::vectors, suffix::line);
  std::tie(columns.thread, columns.adjacent) =
      recipe.block(rest, adjacent, suffix::threads, suffix::registers);
  return columns;
}

TileWriter::TermLoops TileWriter::cutTerms(RecipeBuilder &recipe,
                                           StringRef sum) {
  std::optional<MatrixProduct> product = matrixProductOf(loops.op);
  bool padsSums =
      parts == 1 && product && (!keepOrder || product->element.isInteger());
  auto [part, terms] = cutParts(recipe, sum, copying.steps);
  auto [copies, step] = recipe.block(
      terms, copying.steps, suffix::blocks, suffix::inside,
      padsSums ? tailOf(copying.steps, loops.reduced) : TailStrategy::Mask);
  return {part, copies, step};
}

SmallVector<std::string> TileWriter::cutThreads(RecipeBuilder &recipe,
                                                StringRef rowThread,
                                                StringRef columnThread,
                                                std::string &next) {
  SmallVector<std::string> threads{columnThread.str()};
  if (nextThreads > 1) {
    auto [blocks, thread] =
        recipe.block(next, nextThreads, suffix::blocks, suffix::threads);
    next = blocks;
    threads.insert(threads.begin(), thread);
  }
  threads.insert(loops.storesInLine ? threads.begin() : threads.end(),
                 rowThread.str());
  return threads;
}

ArrayAttr TileWriter::write() {
  RecipeBuilder recipe(kernel.getContext());
  auto [row, sum] = flattenLoops(recipe);
  RowLoops rows = cutRows(recipe, row);
  ColumnLoops columns = cutColumns(recipe);
  TermLoops terms = cutTerms(recipe, sum);
  auto [shares, copies] = cutShares(recipe, rows.copies, shape.rows);
  SmallVector<std::string> outer = tileLoops(rows.blocks, columns.blocks);
  SmallVector<std::string> threads =
      cutThreads(recipe, rows.thread, columns.thread, outer[outer.size() - 2]);
  computeFactor(recipe, terms.copies);
  distribute(recipe, outer, threads,
             {shares, copies, columns.vectors, columns.adjacent, terms.part,
              terms.copies, terms.step});
  mapParts(recipe, terms.part, shares);
  recipe.unroll(copies, shape.rows / parts);
  recipe.unroll(columns.vectors, shape.vectors);
  if (!areVectors)
    recipe.unroll(columns.adjacent, adjacent);
  cacheOperands(recipe, terms.copies, copying.stages);
  if (areVectors)
    recipe.vectorize(columns.adjacent, adjacent);
  recipe.unroll(terms.step, copying.terms);
  return recipe.finish();
}

std::string TileWriter::describe() const {
  return llvm::formatv(
      "{0} x {1} threads, {2} x {3} {4} of {5} each, {6} iterations of {7} "
      "terms, {8} stages{9}{10}",
      shape.rowThreads, shape.columnThreads * nextThreads, shape.rows,
      shape.vectors, areVectors ? "vectors" : "groups", adjacent,
      copying.steps / copying.terms, copying.terms, copying.stages,
      shape.isPadded ? ", padded" : "", describeParts());
}

/// Larger ones first.
static SmallVector<BlockTile> blockTiles() {
  SmallVector<BlockTile> tiles;
  for (auto [rows, vectors] : {std::pair(8, 2), {8, 1}, {4, 1}})
    for (auto [rowThreads, columnThreads] :
         {std::pair(16, 16), {8, 16}, {8, 8}, {4, 8}})
      for (bool isPadded : {false, true})
        for (int64_t parts : clusterPartsTried)
          tiles.push_back(
              {rows, vectors, rowThreads, columnThreads, isPadded, parts});
  return tiles;
}

/// What the planner compares.
static constexpr Copying copyings[] = {{.steps = 16, .stages = 3},
                                       {.steps = 16, .stages = 3, .terms = 2},
                                       {.steps = 16, .stages = 3, .terms = 4},
                                       {.steps = 16, .stages = 2},
                                       {.steps = 32, .stages = 2},
                                       {.steps = 8, .stages = 4},
                                       {.steps = 16, .stages = 2, .terms = 2},
                                       {.steps = 32, .stages = 2, .terms = 2},
                                       {.steps = 8, .stages = 4, .terms = 2},
                                       {.steps = 8, .stages = 6, .terms = 2},
                                       {.steps = 32, .stages = 2, .terms = 4},
                                       {.steps = 8, .stages = 4, .terms = 4},
                                       {.steps = 32, .stages = 1},
                                       {.steps = 16, .stages = 1}};

void addBlockContractions(KernelOp kernel, const Processor &target,
                          const RecipeOptions &options,
                          RecipeCandidates &candidates) {
  SmallVector<Contraction, 0> ways = findContractions(kernel);
  if (std::optional<Contraction> way = findSiblingContraction(kernel))
    ways.push_back(*way);
  // Columns that are adjacent in the result come first.
  llvm::partition(ways,
                  [](const Contraction &way) { return way.storesInLine; });
  addMatrixContractions(kernel, target, options, ways, candidates);
  addWarpgroupContractions(kernel, target, options, ways, candidates);
  for (const Contraction &way : ways) {
    if (!candidates.empty())
      return;
    (void)addTiles<BlockTile>(TileWriter(kernel, way, target), blockTiles(),
                              copyings, options, candidates);
  }
}

} // namespace onnxc
