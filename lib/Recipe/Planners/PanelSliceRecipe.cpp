//===- PanelSliceRecipe.cpp - Slices of panels of columns -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each tile of rows reads a panel of columns. A panel that no near cache keeps
// meanwhile is divided into slices of the sums. All rows of a block read a
// slice before the next one: the loop over slices is outside of that over rows,
// and the sums are continued in memory. A factor that an op of the kernel
// computes, as weights of few bits with their scales, is computed slice by
// slice, for all rows.
//
//   y[m, n] += x[m, k] * f[k, n]
//   order n.o, m.b, k.o, m.o, n.p, k.i, m.r, n.r
//     f, hoisted from m.o, if it is computed    k.i * n.cached elements
//     the start of y, and what reads y, hoisted from k.o
//
//===----------------------------------------------------------------------===//

#include "Cost/ContractionCost.h"
#include "Kernels/KernelShape.h"
#include "Planners/PanelSteps.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"
#include "onnxc/Support/ElementBytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Writes the recipe for a tile.
class PanelSliceWriter {
public:
  PanelSliceWriter(KernelOp kernel, const Contraction &loops, ComputeOp factor,
                   int64_t lanes, const Processor &target)
      : kernel(kernel), loops(loops), factor(factor), lanes(lanes),
        target(target), ops(kernel.getBody().getOps<ComputeOp>()),
        recipe(kernel.getContext()) {}

  /// Chooses the slice, which has so many steps of the sums.
  int64_t chooseSlice(RegisterTile tile);
  ArrayAttr write(RegisterTile tile);

private:
  void blockColumns(int64_t panel);
  int64_t chooseRowBlock(RegisterTile tile);
  void blockRows(RegisterTile tile);
  void writeOuter();
  void pack(OpOperand &input);
  void packInputs();
  unsigned numberOf(ComputeOp op) const {
    return llvm::find(ops, op) - ops.begin();
  }

  KernelOp kernel;
  const Contraction &loops;
  /// Null if the columns are a constant.
  ComputeOp factor;
  int64_t lanes;
  const Processor &target;
  SmallVector<ComputeOp> ops;
  RecipeBuilder recipe;
  /// Iterations of the outermost reduced loop, and of those inside of it.
  int64_t sliceColumns = 0, sliceSteps = 0, innerSteps = 1;
  PanelLoops panels;
  std::string columnBlocks, cachedRows, slices, rowTile;
  /// The loops over rows inside of that over slices.
  SmallVector<std::string> rows;
};
} // namespace

/// The reduced loops that no input of the factor is indexed by: those over the
/// parts of an element, which are made together.
static SmallVector<std::string> unreadLoops(ComputeOp factor,
                                            ArrayRef<std::string> reduced) {
  return llvm::filter_to_vector(reduced, [&](const std::string &loop) {
    return llvm::all_of(factor.getDpsInputOperands(), [&](OpOperand *input) {
      return loopsOf(*input, loop).empty();
    });
  });
}

/// Each step of a slice reads an element of the rows for `sliceColumns`
/// products, and each sum is loaded and stored for all steps of a slice: the
/// traffic is least where the steps are twice the columns. Rows that a cache
/// keeps for the columns of a slice are read sooner than sums are continued.
int64_t PanelSliceWriter::chooseSlice(RegisterTile tile) {
  int64_t elements =
      (factor ? target.stackBytes
              : int64_t(target.panelShare * double(target.l2))) /
      elementBytes(getElementTypeOrSelf(loops.columnOperand->get()));
  int64_t panel = tile.vectors * lanes;
  int64_t columns = std::max<int64_t>(
      llvm::alignTo(extentOf(kernel, loops.column, guessedExtent), panel),
      panel);
  innerSteps = std::max<int64_t>(
      extentOfAll(kernel, ArrayRef(loops.reduced).drop_front(), 1), 1);
  int64_t steps = factor ? computedSliceSteps : storedSliceSteps;
  auto square = int64_t(std::sqrt(double(elements) / double(steps)));
  if (!factor)
    square =
        std::min({square, elements / innerSteps, columns / minColumnBlocks});
  sliceColumns = std::clamp(square / panel * panel, panel, columns);
  sliceSteps = std::max<int64_t>(elements / sliceColumns / innerSteps, 1);
  // Slices of one size have no padding, and constants the same stored form as
  // without slices.
  int64_t all = extentOf(kernel, loops.reduced.front(), guessedExtent);
  int64_t divisor = largestDivisor(all, sliceSteps);
  if (divisor * 2 >= sliceSteps)
    sliceSteps = divisor;
  return estimatedProduct(sliceSteps, innerSteps);
}

void PanelSliceWriter::blockColumns(int64_t panel) {
  if (sliceColumns > panel) {
    std::string inner;
    std::tie(columnBlocks, inner) = recipe.block(
        loops.column, sliceColumns, suffix::blocks, suffix::cached);
    std::tie(panels.panels, panels.columns) =
        recipe.block(inner, panel, suffix::panels, suffix::registers);
  } else {
    std::tie(panels.panels, panels.columns) =
        recipe.block(loops.column, panel, suffix::blocks, suffix::registers);
  }
}

/// Iterations of the outermost loop over rows of which a slice stays in the
/// second cache, in blocks of one size; a computed slice of columns is for all
/// rows.
int64_t PanelSliceWriter::chooseRowBlock(RegisterTile tile) {
  ArrayRef<std::string> all = loops.rows;
  int64_t rows = extentOf(kernel, all.front(), INT64_MAX);
  if (factor)
    return rows;
  auto room = int64_t(target.fewerRowsShare * double(target.l2));
  int64_t ofRow = estimatedProduct(
      estimatedProduct(sliceSteps, innerSteps),
      elementBytes(getElementTypeOrSelf(loops.rowOperand->get())));
  int64_t together =
      std::max<int64_t>(extentOfAll(kernel, all.drop_front(), 1), 1);
  int64_t most = room / ofRow / together;
  int64_t multiple = all.size() == 1 ? tile.rows : 1;
  most = std::max(most, multiple);
  if (rows <= most)
    return rows;
  if (rows == INT64_MAX)
    return most / multiple * multiple;
  int64_t blocks = llvm::divideCeil(rows, most);
  return llvm::alignTo(llvm::divideCeil(rows, blocks), multiple);
}

void PanelSliceWriter::blockRows(RegisterTile tile) {
  rows = loops.rows;
  int64_t block = chooseRowBlock(tile);
  LoopSuffix outer = suffix::blocks;
  if (extentOf(kernel, rows.front(), INT64_MAX) > block) {
    std::tie(cachedRows, rows.front()) =
        recipe.block(rows.front(), block, suffix::blocks, suffix::cached);
    if (rows.size() == 1)
      outer = suffix::panels;
  }
  std::tie(rows.back(), rowTile) =
      recipe.block(rows.back(), tile.rows, outer, suffix::registers);
}

void PanelSliceWriter::writeOuter() {
  SmallVector<std::string> outer = loops.batch;
  outer.push_back(columnBlocks.empty() ? panels.panels : columnBlocks);
  if (!cachedRows.empty())
    outer.push_back(cachedRows);
  size_t parallel = outer.size();
  if (!slices.empty())
    outer.push_back(slices);
  llvm::append_range(outer, rows);
  if (!columnBlocks.empty())
    outer.push_back(panels.panels);
  SmallVector<std::string> all = outer;
  llvm::append_range(all, panels.reduced);
  all.push_back(rowTile);
  all.push_back(panels.columns);
  recipe.order(all);
  for (auto [number, op] : llvm::enumerate(ops))
    if (op == factor)
      recipe.hoist(rows.front(), int(number));
    else if (op != loops.op && !slices.empty())
      recipe.hoist(slices, int(number));
  recipe.fuseOuter(outer);
  recipe.parallel(ArrayRef(outer).take_front(parallel));
}

/// Constants are stored in the order in which they are read.
void PanelSliceWriter::pack(OpOperand &input) {
  int number = inputNumber(kernel, input.get());
  if (!isConstantView(kernel.getIns()[number]) || !isPlainlyIndexed(input))
    return;
  SmallVector<std::string> stored{panels.panels};
  for (const std::string &loop : loopsOf(input, loops.reduced)) {
    bool isDivided = loop == loops.reduced.front() && !slices.empty();
    if (isDivided)
      stored.push_back(slices);
    stored.push_back(isDivided ? panels.reduced.front() : loop);
  }
  stored.push_back(panels.columns);
  recipe.pack(number, stored);
}

void PanelSliceWriter::packInputs() {
  if (!factor)
    return pack(*loops.columnOperand);
  for (OpOperand *input : factor.getDpsInputOperands())
    pack(*input);
  for (const std::string &loop : unreadLoops(factor, loops.reduced))
    for (ComputeOp op : {factor, loops.op})
      recipe.unroll(loop, extentOf(kernel, loop, 1), int(numberOf(op)));
}

ArrayAttr PanelSliceWriter::write(RegisterTile tile) {
  chooseSlice(tile);
  blockColumns(tile.vectors * lanes);
  blockRows(tile);
  panels.reduced = loops.reduced;
  const std::string &outer = loops.reduced.front();
  if (extentOf(kernel, outer, INT64_MAX) > sliceSteps)
    std::tie(slices, panels.reduced.front()) = recipe.block(outer, sliceSteps);
  writeOuter();
  recipe.registerTile(rowTile, panels.columns, lanes,
                      isStatic(kernel, loops.row) ? SmallVector<int64_t>()
                                                  : rowTail(tile.rows));
  for (auto [number, op] : llvm::enumerate(ops))
    if (op == factor || (op != loops.op && !slices.empty()))
      recipe.vectorize(panels.columns, lanes, int(number));
  packInputs();
  return recipe.finish();
}

/// Returns true if the columns may be divided into slices of known size.
static bool isPossible(KernelOp kernel, const Contraction &way) {
  auto isKnown = [&](const std::string &loop) {
    return isStatic(kernel, loop);
  };
  return way.columns.size() == 1 && way.blocks.empty() &&
         way.scaleOperands.empty() && !way.window && !way.channelwise &&
         !way.reduced.empty() && isStatic(kernel, way.column) &&
         llvm::all_of(way.reduced, isKnown);
}

/// Returns true if the factor may be computed in vectors along the columns.
static bool isFactorPossible(const Contraction &way, ComputeOp factor) {
  return way.batch.empty() && way.hasColumnsInLine() &&
         llvm::all_of(factor.getDpsInputOperands(), [&](OpOperand *input) {
           return inputNumber(factor->getParentOfType<KernelOp>(),
                              input->get()) >= 0;
         });
}

/// Returns true if the columns are a constant of which the second cache does
/// not keep a panel, and the sums may be continued where the results are.
static bool isConstantPossible(KernelOp kernel, const Contraction &way,
                               int64_t lanes, const Processor &target) {
  int number = inputNumber(kernel, way.columnOperand->get());
  if (number < 0 || !isConstantView(kernel.getIns()[number]) ||
      !isPlainlyIndexed(*way.columnOperand) || !way.storesInLine ||
      !isa<FloatType>(getElementTypeOrSelf(way.columnOperand->get())))
    return false;
  int64_t line = estimatedProduct(
      lanes * elementBytes(getElementTypeOrSelf(way.columnOperand->get())),
      extentOfAll(kernel, way.reduced, 1));
  return double(line) > target.panelShare * double(target.l2) / 2;
}

void addPanelSliceRecipes(KernelOp kernel, const Contraction &way,
                          ComputeOp factor, const Processor &target,
                          const RecipeOptions &options,
                          RecipeCandidates &candidates) {
  int64_t lanes = lanesAlong(kernel, way.column, target);
  if (lanes <= 1 || !isPossible(kernel, way) ||
      !(factor ? isFactorPossible(way, factor)
               : isConstantPossible(kernel, way, lanes, target)))
    return;
  int packed = factor ? -1 : inputNumber(kernel, way.columnOperand->get());
  ContractionCost cost(kernel, way, target, lanes, "", bytesOfDot, packed);
  int64_t rowLimit =
      maxRows(target, Access(*way.rowOperand).pitch(dimOf(way.op, way.row)));
  SmallVector<RegisterTile> tiles = registerTiles(
      target, cost.rows, cost.columns, lanes, rowLimit, cost.work);
  auto writer = [=] {
    return PanelSliceWriter(kernel, way, factor, lanes, target);
  };
  SmallVector<double> cycles =
      llvm::map_to_vector(tiles, [&](RegisterTile tile) {
        if (!factor)
          cost.sliceDepth = writer().chooseSlice(tile);
        return cost.cycles(tile);
      });
  size_t best = findCheapest(cycles);
  auto recipeOf = [=](RegisterTile tile) { return writer().write(tile); };
  ArrayAttr first = recipeOf(tiles[best]);
  if (failed(replayWith(kernel, first, options)))
    return;
  double scale = kernelScale(kernel, target, options, first, cycles[best]);
  for (auto [tile, ofTile] : llvm::zip_equal(tiles, cycles))
    candidates.push_back(
        {"contraction",
         llvm::formatv("{0} x {1} vectors of {2} along {3}, {4}", tile.rows,
                       tile.vectors, lanes, way.column,
                       factor ? "computed in panels" : "packed in slices"),
         scale * ofTile, [recipeOf, tile = tile] { return recipeOf(tile); }});
}

} // namespace onnxc
