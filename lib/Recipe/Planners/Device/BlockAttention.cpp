//===- BlockAttention.cpp - Attentions by blocks of threads -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A block of threads has 16 to 64 rows of an attention. Its warps have parts of
// the keys, and of the rows: the scores of a row stay in the registers of the
// threads of all its warps, which combine maxima and sums of it. What is
// multiplied by the values goes to memory that they share. Then the warps have
// parts of the columns of the values.
//
// Keys and values are copied to shared memory in slices along each product, or,
// where they are in parts that a block has one after the other, whole parts
// while it computes with those before.
//
// Where the target has instructions of warpgroups, each warp has all keys of
// its 16 rows instead: what it multiplies by the values stays in its registers.
//
// The threads of a warp are 8 rows by 4 columns of both products, as mma wants
// them. Where the keys are in parts that one op merges, a block has these one
// after the other.
//
//===----------------------------------------------------------------------===//

#include "Cost/OpCost.h"
#include "Kernels/AttentionLoops.h"
#include "Planners/Device/BlockContraction.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Recipe/Occupancy.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Fragments of 16 rows, warps, how many of these have rows of their own,
/// adjacent columns of a thread, and slices: groups of products in each,
/// and how many there are; or slices are whole parts of the keys.
struct StripTile {
  int64_t rows, warps, rowWarps, columns, steps, stages;
  bool ofParts = false;
  /// The products are those of warpgroups.
  bool isOfWarpgroups = false;
  /// What is added to scores is copied with the keys.
  bool copiesMasks = false;

  /// Warps that have parts of the columns of the same rows.
  int64_t columnWarps() const { return warps / rowWarps; }
};

/// Steps and stages of slices, and whether they are whole parts.
constexpr std::tuple<int64_t, int64_t, bool> slicesTried[] = {
    {4, 2, false}, {2, 3, false}, {2, 2, false}, {1, 3, false},
    {1, 2, false}, {2, 2, true},  {1, 2, true}};

class StripWriter : AttentionLoops {
public:
  StripWriter(KernelOp kernel, const Processor &target)
      : AttentionLoops(kernel), target(target) {}

  bool isPossible();
  /// Returns true if the extents of the loops are multiples of the tile, and
  /// the results fit the registers.
  bool fits(const StripTile &tile);
  ArrayAttr write(const StripTile &tile);
  /// Inputs that change the scores of a part of the keys, such as a mask, and
  /// the numbers of the ops that read them.
  SmallVector<std::pair<unsigned, int>> masksOfParts();
  using AttentionLoops::kernel;
  /// Groups of products of a row of the scores.
  int64_t stepsOfRow() {
    return std::max<int64_t>(
        extent(scores.reduced.front()) / depthOf(scores.op), 1);
  }

private:
  /// Warps, fragments and threads of columns, and the columns of a thread.
  struct Columns {
    std::string warp, fragments, thread, inside;
  };
  Columns cut(RecipeBuilder &recipe, StringRef loop, const StripTile &tile);
  void cutAll(RecipeBuilder &recipe, const StripTile &tile);
  void order(RecipeBuilder &recipe);
  void unroll(RecipeBuilder &recipe, const StripTile &tile);
  void multiply(RecipeBuilder &recipe, const StripTile &tile);
  void share(RecipeBuilder &recipe, const StripTile &tile,
             ArrayRef<unsigned> boxed);
  ArrayAttr writeSteps(const StripTile &tile, ArrayRef<unsigned> boxed);
  void skipMasked(RecipeBuilder &recipe, const StripTile &tile);
  int64_t extent(StringRef loop) { return extentOf(kernel, loop, 0); }
  /// Products of one instruction, or of one step without.
  int64_t depthOf(ComputeOp op) {
    return hasMatrices ? matrixProductOf(op)->depth() : minDepth;
  }
  /// The keys of a slice of the values: all, where their weights are in
  /// registers.
  int64_t termsOfSlice(bool isOfWarpgroups, int64_t steps) {
    return isOfWarpgroups ? extent(scores.column) : steps * depthOf(sums.op);
  }
  unsigned numberOf(Operation *op) { return llvm::find(ops, op) - ops.begin(); }

  const Processor &target;
  bool hasMatrices = false, hasWarpgroups = false;
  /// The elements that all recipes may skip.
  std::optional<MaskedElements> masked;
  int scoresOp = -1, sumsOp = -1, mergeOp = -1;
  /// The loops that the kernel's are cut into.
  std::string rowBlocks, rowGroups, rowWarps, rowFragments, rowCopies,
      rowThread;
  Columns keys, values;
  std::string slices, steps, products, keySlices, keySteps, keyProducts;
};
} // namespace

/// Keys and values of known numbers, and sums of floats.
bool StripWriter::isPossible() {
  if (!find() || scores.reduced.size() != 1 ||
      !sums.rowOperand->get().getDefiningOp<ComputeOp>())
    return false;
  for (OpOperand *input :
       {scores.rowOperand, scores.columnOperand, sums.columnOperand})
    if (inputNumber(kernel, input->get()) < 0)
      return false;
  for (StringRef loop : {StringRef(scores.column), StringRef(sums.column),
                         StringRef(scores.reduced.front())})
    if (!isStatic(kernel, loop))
      return false;
  hasMatrices = multipliesMatrices(scores.op) && multipliesMatrices(sums.op);
  hasWarpgroups =
      hasMatrices && multipliesByWarpgroups(scores.op) &&
      multipliesByWarpgroups(sums.op) &&
      matrixProductOf(sums.op)->element.getIntOrFloatBitWidth() == 16;
  masked = MaskedElements::find(kernel);
  // Each loop is one of these, and rows of sums are those of scores.
  return outer.size() + 4 + !parts.empty() == loopNames(kernel).size();
}

bool StripWriter::fits(const StripTile &tile) {
  int64_t columns =
      tile.columnWarps() * MatrixSums::columnThreads * tile.columns;
  int64_t rows = extentOf(kernel, row, outerExtent);
  int64_t results = tile.rows * MatrixSums::rows * extent(scores.column) /
                    (tile.warps * target.warpThreads);
  auto isMultiple = [&](int64_t extent, int64_t size) {
    return extent > 0 && extent % size == 0;
  };
  // One instruction of a warpgroup has all columns.
  auto isOfInstruction = [&](StringRef loop) {
    return extent(loop) <= MatrixSums::maxColumnTiles * MatrixSums::columns;
  };
  // Sums of the parts before stay in registers, beside those of this one.
  int64_t added = tile.rows * MatrixSums::rows * extent(sums.column) /
                  (tile.warps * target.warpThreads);
  int64_t merged = parts.empty() ? 0 : added;
  return std::max(2 * results, added) + merged + target.addressRegisters <=
             maxRegisters(target, tile.warps * target.warpThreads) &&
         tile.rows % tile.rowWarps == 0 && tile.warps % tile.rowWarps == 0 &&
         (!tile.ofParts || !parts.empty()) &&
         (tile.isOfWarpgroups
              ? hasWarpgroups && isOfInstruction(scores.column) &&
                    isOfInstruction(sums.column)
              : tile.columnWarps() > 1) &&
         (hasMatrices || tile.rowWarps == 1) &&
         (tile.rows == 1 || rows >= tile.rows * MatrixSums::rows) &&
         (!hasMatrices || tile.columns == MatrixSums::copies) &&
         isMultiple(extent(scores.column), columns) &&
         isMultiple(extent(sums.column), columns) &&
         isMultiple(extent(scores.reduced.front()),
                    tile.steps * depthOf(scores.op)) &&
         isMultiple(extent(scores.column),
                    termsOfSlice(tile.isOfWarpgroups, tile.steps));
}

SmallVector<std::pair<unsigned, int>> StripWriter::masksOfParts() {
  SmallVector<std::pair<unsigned, int>> masks;
  for (auto [number, op] : llvm::enumerate(ops))
    for (OpOperand *operand : readInputs(op)) {
      int input = inputNumber(kernel, operand->get());
      if (input < 0 || op == scores.op || op == sums.op)
        continue;
      SmallVector<std::string> own =
          loopsOf(*operand, {parts, row, scores.column});
      if (own.size() == 3)
        masks.push_back({unsigned(input), int(number)});
    }
  return masks;
}

StripWriter::Columns StripWriter::cut(RecipeBuilder &recipe, StringRef loop,
                                      const StripTile &tile) {
  Columns columns;
  std::string rest = loop.str();
  if (tile.columnWarps() > 1)
    std::tie(columns.warp, rest) = recipe.block(
        loop, extent(loop) / tile.columnWarps(), suffix::warps, suffix::inWarp);
  std::tie(columns.fragments, rest) =
      recipe.block(rest, MatrixSums::columnThreads * tile.columns,
                   suffix::fragments, suffix::inFragment);
  std::tie(columns.thread, columns.inside) =
      recipe.block(rest, tile.columns, suffix::threads, suffix::adjacent);
  return columns;
}

void StripWriter::cutAll(RecipeBuilder &recipe, const StripTile &tile) {
  int64_t rowsOfBlock = tile.rows * MatrixSums::rows;
  bool isWhole = isStatic(kernel, row) && extent(row) % rowsOfBlock == 0;
  std::string rest;
  rowGroups.clear();
  rowWarps.clear();
  // The sums over the keys are no loops of threads.
  std::tie(keySlices, rest) = recipe.block(
      scores.column, termsOfSlice(tile.isOfWarpgroups, tile.steps),
      suffix::keySlices, suffix::inKeySlice, TailStrategy::Mask, sumsOp);
  std::tie(keySteps, keyProducts) =
      recipe.block(rest, depthOf(sums.op), suffix::steps, suffix::products,
                   TailStrategy::Mask, sumsOp);
  std::tie(rowBlocks, rest) =
      recipe.block(row, rowsOfBlock, suffix::blocks, suffix::inBlock,
                   isWhole ? TailStrategy::Mask : TailStrategy::Pad);
  if (tile.isOfWarpgroups && tile.rowWarps > MatrixSums::warps)
    std::tie(rowGroups, rest) = recipe.block(
        rest, MatrixSums::groupRows, suffix::warpgroups, suffix::inWarpgroup);
  if (tile.rowWarps > 1)
    std::tie(rowWarps, rest) = recipe.block(rest, rowsOfBlock / tile.rowWarps,
                                            suffix::warps, suffix::inWarp);
  std::tie(rowFragments, rest) = recipe.block(
      rest, MatrixSums::rows, suffix::fragments, suffix::inFragment);
  std::tie(rowCopies, rowThread) = recipe.block(
      rest, MatrixSums::rowThreads, suffix::halves, suffix::halfThreads);
  keys = cut(recipe, scores.column, tile);
  values = cut(recipe, sums.column, tile);
  std::tie(slices, rest) =
      recipe.block(scores.reduced.front(), tile.steps * depthOf(scores.op),
                   suffix::blocks, suffix::inside);
  std::tie(steps, products) =
      recipe.block(rest, depthOf(scores.op), suffix::steps, suffix::products);
}

/// Threads are around what each of them has, and that around its sums.
void StripWriter::order(RecipeBuilder &recipe) {
  SmallVector<std::string> blocks = outer;
  blocks.push_back(rowBlocks);
  SmallVector<std::string> all = blocks;
  if (!parts.empty())
    all.push_back(parts);
  SmallVector<std::string> inside{keys.warp,   values.warp,    rowThread,
                                  keys.thread, values.thread,  rowFragments,
                                  rowCopies,   keys.fragments, values.fragments,
                                  keys.inside, values.inside,  slices,
                                  steps,       products};
  auto byWarps = [&](SmallVector<std::string> loops) {
    loops.insert(loops.begin(), {rowGroups, rowWarps});
    llvm::erase(loops, "");
    return loops;
  };
  llvm::append_range(all, byWarps(inside));
  recipe.order(all);
  for (auto [number, op] : llvm::enumerate(ops)) {
    SmallVector<std::string> own;
    if (int(number) == sumsOp)
      own = {values.warp, rowThread,        values.thread, rowFragments,
             rowCopies,   values.fragments, values.inside, keySlices,
             keySteps,    keyProducts};
    else if (int(number) == mergeOp)
      own = {values.warp, rowThread,        values.thread, rowFragments,
             rowCopies,   values.fragments, values.inside, parts};
    else if (op.getNumReductionLoops() > 0 && int(number) != scoresOp)
      own = {rowThread,   rowFragments,   rowCopies,  keys.warp,
             keys.thread, keys.fragments, keys.inside};
    if (!own.empty())
      recipe.order(byWarps(own), int(number));
  }
  recipe.fuseOuter(blocks);
  recipe.parallel(blocks);
  // Sums need whole warps from the first of their loops on.
  for (const std::string &loop :
       {rowThread, keys.thread, keys.warp, rowWarps, rowGroups})
    if (!loop.empty())
      recipe.map(loop);
  if (!keys.warp.empty())
    recipe.map(values.warp, keys.warp);
  recipe.map(values.thread, keys.thread);
}

void StripWriter::unroll(RecipeBuilder &recipe, const StripTile &tile) {
  recipe.unroll(rowFragments, tile.rows / tile.rowWarps);
  recipe.unroll(rowCopies, MatrixSums::copies);
  for (const auto &[columns, loop] :
       {std::pair(keys, scores.column), {values, sums.column}}) {
    recipe.unroll(columns.fragments,
                  extent(loop) / (tile.columnWarps() *
                                  MatrixSums::columnThreads * tile.columns));
    recipe.vectorize(columns.inside, tile.columns);
  }
  if (tile.isOfWarpgroups) {
    // Rows in registers have no index.
    recipe.unroll(steps, tile.steps, scoresOp);
    recipe.unroll(keySteps, extent(scores.column) / depthOf(sums.op), sumsOp);
  }
  if (hasMatrices)
    return;
  // A thread waits for what it reads for all of them together.
  recipe.unroll(products, termsAtOnce[0], scoresOp);
  recipe.unroll(keyProducts, termsAtOnce[0], sumsOp);
}

void StripWriter::multiply(RecipeBuilder &recipe, const StripTile &tile) {
  if (tile.isOfWarpgroups) {
    recipe.wgmma({rowWarps, rowCopies, rowThread, keys.fragments, keys.thread,
                  keys.inside, products},
                 scoresOp);
    recipe.wgmma({rowWarps, rowCopies, rowThread, values.fragments,
                  values.thread, values.inside, keyProducts},
                 sumsOp);
    return;
  }
  recipe.mma({rowCopies, rowThread, keys.thread, keys.inside, products},
             scoresOp);
  recipe.mma({rowCopies, rowThread, values.thread, values.inside, keyProducts},
             sumsOp);
}

/// Slices of what both products read.
void StripWriter::share(RecipeBuilder &recipe, const StripTile &tile,
                        ArrayRef<unsigned> boxed) {
  auto cache = [&](OpOperand *operand, StringRef at, int op) {
    unsigned number = inputNumber(kernel, operand->get());
    recipe.cacheShared(number, at, llvm::is_contained(boxed, number), op);
  };
  if (tile.ofParts) {
    cache(scores.rowOperand, rowBlocks, scoresOp);
    cache(scores.columnOperand, parts, scoresOp);
    cache(sums.columnOperand, parts, sumsOp);
    if (tile.copiesMasks)
      for (auto [input, op] : masksOfParts())
        recipe.cacheShared(input, parts, /*byTma=*/false, op);
    return recipe.pipeline(parts, tile.stages, 0);
  }
  for (OpOperand *operand : {scores.rowOperand, scores.columnOperand})
    cache(operand, slices, scoresOp);
  recipe.pipeline(slices, tile.stages, 0, scoresOp);
  cache(sums.columnOperand, keySlices, sumsOp);
  recipe.pipeline(keySlices, tile.stages, 0, sumsOp);
}

/// Slices of values that a mask hides from all rows of a block, and, where such
/// a part of the keys may have none that are seen, those of the scores, or
/// parts that a block has in turn.
void StripWriter::skipMasked(RecipeBuilder &recipe, const StripTile &tile) {
  if (!masked || masked->column() != scores.column)
    return;
  // A warpgroup has all keys in one slice.
  if (!tile.isOfWarpgroups && masked->combinesVisible(sums.op))
    recipe.skipMasked(keySlices, sumsOp);
  if (!tile.isOfWarpgroups && !masked->needsOne() &&
      masked->isUnneeded(scores.op))
    recipe.skipMasked(slices, scoresOp);
  if (mergeOp >= 0 && masked->combinesVisible(ops[mergeOp]))
    recipe.skipMasked(parts, mergeOp);
}

ArrayAttr StripWriter::write(const StripTile &tile) {
  ArrayAttr recipe = writeSteps(tile, {});
  if (!tile.isOfWarpgroups)
    return recipe;
  SmallVector<unsigned> boxed = findBoxed(kernel, recipe);
  return boxed.empty() ? recipe : writeSteps(tile, boxed);
}

ArrayAttr StripWriter::writeSteps(const StripTile &tile,
                                  ArrayRef<unsigned> boxed) {
  RecipeBuilder recipe(kernel.getContext());
  scoresOp = int(numberOf(scores.op));
  sumsOp = int(numberOf(sums.op));
  for (auto [number, op] : llvm::enumerate(ops))
    if (llvm::is_contained(reducedLoops(op), parts))
      mergeOp = int(number);
  cutAll(recipe, tile);
  order(recipe);
  if (!tile.isOfWarpgroups)
    recipe.shared(numberOf(sums.rowOperand->get().getDefiningOp()));
  // Slices have the zeros of keys that vectors reach after the last one.
  share(recipe, tile, boxed);
  unroll(recipe, tile);
  if (!parts.empty())
    recipe.computeAt(parts);
  if (hasMatrices)
    multiply(recipe, tile);
  skipMasked(recipe, tile);
  return recipe.finish();
}

/// Adds the recipe of a tile and, where whole parts of the keys are copied,
/// that which copies their masks, too.
static void addTile(StripWriter &writer, StripTile tile, std::string text,
                    const Processor &target, const RecipeOptions &options,
                    RecipeCandidates &candidates) {
  if (!writer.fits(tile))
    return;
  if (tile.ofParts)
    text += " of parts";
  addScored(writer.kernel, target, options, "attention", text,
            writer.write(tile), candidates);
  tile.copiesMasks = true;
  if (tile.ofParts && !writer.masksOfParts().empty())
    addScored(writer.kernel, target, options, "attention",
              text + " and their masks", writer.write(tile), candidates);
}

/// Tiles of 64 rows for each warpgroup.
static void addWarpgroups(KernelOp kernel, const Processor &target,
                          const RecipeOptions &options,
                          RecipeCandidates &candidates) {
  StripWriter writer(kernel, target);
  if (!writer.isPossible())
    return;
  int64_t all = writer.stepsOfRow();
  using Slices = std::tuple<int64_t, int64_t, bool>;
  for (int64_t rows : {4, 8})
    for (auto [steps, stages, ofParts] : {Slices(8, 1, false),
                                          {4, 1, false},
                                          {4, 2, false},
                                          {2, 2, false},
                                          {all, 2, true},
                                          {all, 3, true}}) {
      StripTile tile{rows,  rows,   rows,    MatrixSums::copies,
                     steps, stages, ofParts, true};
      addTile(writer, tile,
              llvm::formatv("{0} rows by warpgroups, {1} steps, {2} stages",
                            16 * rows, steps, stages),
              target, options, candidates);
    }
}

void addBlockAttention(KernelOp kernel, const Processor &target,
                       const RecipeOptions &options,
                       RecipeCandidates &candidates) {
  addWarpgroups(kernel, target, options, candidates);
  StripWriter writer(kernel, target);
  if (!writer.isPossible())
    return;
  for (int64_t rows : {4, 2, 1})
    for (int64_t warps : {4, 8, 16, 2})
      for (int64_t rowWarps : {1, 2, 4})
        for (int64_t columns : {4, 2})
          for (auto [steps, stages, ofParts] : slicesTried) {
            StripTile tile{rows,  warps,  rowWarps, columns,
                           steps, stages, ofParts};
            addTile(writer, tile,
                    llvm::formatv("{0} rows, {1} by {2} warps, {3} adjacent "
                                  "columns, {4} steps, {5} stages",
                                  16 * rows, rowWarps, tile.columnWarps(),
                                  columns, steps, stages),
                    target, options, candidates);
          }
}

} // namespace onnxc
