//===- FactorPanelRecipe.cpp - Panels of a computed factor -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A factor that an op of the kernel computes, as weights of few bits with their
// scales, is computed for a slice of the sums and a block of columns, which all
// rows then read: the loop over slices is outside of that over rows, so that
// the sums are continued in memory.
//
//   y[m, n] += x[m, k] * f[k, n]
//   order n.o, k.o, m.o, n.p, k.i, m.r, n.r
//     f, hoisted from m.o    k.i * n.cached elements, on the stack
//     the start of y, and what reads y, hoisted from k.o
//
//===----------------------------------------------------------------------===//

#include "Cost/ContractionCost.h"
#include "Kernels/KernelShape.h"
#include "Planners/PanelSteps.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// Writes the recipe for a tile.
class FactorPanelWriter {
public:
  FactorPanelWriter(KernelOp kernel, const Contraction &loops, ComputeOp factor,
                    int64_t lanes, const Processor &target)
      : kernel(kernel), loops(loops), factor(factor), lanes(lanes),
        target(target), ops(kernel.getBody().getOps<ComputeOp>()),
        recipe(kernel.getContext()) {}

  ArrayAttr write(RegisterTile tile);

private:
  void chooseSlice(RegisterTile tile);
  void blockLoops(RegisterTile tile);
  void placeOps();
  void writeOuter();
  void packInputs();
  unsigned numberOf(ComputeOp op) const {
    return llvm::find(ops, op) - ops.begin();
  }

  KernelOp kernel;
  const Contraction &loops;
  ComputeOp factor;
  int64_t lanes;
  const Processor &target;
  SmallVector<ComputeOp> ops;
  RecipeBuilder recipe;
  int64_t sliceColumns = 0, sliceSteps = 0;
  PanelLoops panels;
  std::string columnBlocks, slices, rowBlocks, rowTile;
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

/// The product of the extents of all reduced loops but the outermost one.
static int64_t innerSteps(KernelOp kernel, const Contraction &loops) {
  return extentOfAll(kernel, ArrayRef(loops.reduced).drop_front(), 1);
}

/// Each step of a slice reads an element of the rows for `sliceColumns`
/// products, and each sum is loaded and stored for `sliceSteps` of them: the
/// traffic is least where the steps are twice the columns.
void FactorPanelWriter::chooseSlice(RegisterTile tile) {
  int64_t bytes = std::max<int64_t>(
      getElementTypeOrSelf(loops.columnOperand->get()).getIntOrFloatBitWidth() /
          8,
      1);
  int64_t elements = target.stackBytes / bytes, panel = tile.vectors * lanes;
  int64_t columns =
      llvm::alignTo(extentOf(kernel, loops.column, guessedExtent), panel);
  auto square = int64_t(std::sqrt(double(elements) / 2));
  sliceColumns = std::clamp(square / panel * panel, panel, columns);
  int64_t inner = innerSteps(kernel, loops);
  sliceSteps = std::max<int64_t>(elements / sliceColumns / inner, 1);
  // Slices of one size have no padding, and constants the same stored form as
  // without slices.
  int64_t all = extentOf(kernel, loops.reduced.front(), guessedExtent);
  int64_t divisor = largestDivisor(all, sliceSteps);
  if (divisor * 2 >= sliceSteps)
    sliceSteps = divisor;
}

void FactorPanelWriter::blockLoops(RegisterTile tile) {
  int64_t panel = tile.vectors * lanes;
  chooseSlice(tile);
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
  std::tie(rowBlocks, rowTile) =
      recipe.block(loops.row, tile.rows, suffix::blocks, suffix::registers);
  panels.reduced = loops.reduced;
  const std::string &outer = loops.reduced.front();
  if (extentOf(kernel, outer, INT64_MAX) > sliceSteps)
    std::tie(slices, panels.reduced.front()) = recipe.block(outer, sliceSteps);
}

void FactorPanelWriter::writeOuter() {
  SmallVector<std::string> outer;
  if (columnBlocks.empty())
    outer.push_back(panels.panels);
  else
    outer.push_back(columnBlocks);
  size_t parallel = outer.size();
  if (!slices.empty())
    outer.push_back(slices);
  size_t firstRow = outer.size();
  llvm::append_range(outer, ArrayRef(loops.rows).drop_back());
  outer.push_back(rowBlocks);
  if (!columnBlocks.empty())
    outer.push_back(panels.panels);
  SmallVector<std::string> all = outer;
  llvm::append_range(all, panels.reduced);
  all.push_back(rowTile);
  all.push_back(panels.columns);
  recipe.order(all);
  for (auto [number, op] : llvm::enumerate(ops))
    if (op == factor)
      recipe.hoist(outer[firstRow], int(number));
    else if (op != loops.op && !slices.empty())
      recipe.hoist(slices, int(number));
  recipe.fuseOuter(outer);
  recipe.parallel(ArrayRef(outer).take_front(parallel));
}

/// Constants are stored in the order in which the factor reads them.
void FactorPanelWriter::packInputs() {
  for (OpOperand *input : factor.getDpsInputOperands()) {
    int number = inputNumber(kernel, input->get());
    if (!isConstantView(kernel.getIns()[number]) || !isPlainlyIndexed(*input))
      continue;
    SmallVector<std::string> stored{panels.panels};
    for (const std::string &loop : loopsOf(*input, loops.reduced)) {
      bool isDivided = loop == loops.reduced.front() && !slices.empty();
      if (isDivided)
        stored.push_back(slices);
      stored.push_back(isDivided ? panels.reduced.front() : loop);
    }
    stored.push_back(panels.columns);
    recipe.pack(number, stored);
  }
  for (const std::string &loop : unreadLoops(factor, loops.reduced))
    for (ComputeOp op : {factor, loops.op})
      recipe.unroll(loop, extentOf(kernel, loop, 1), int(numberOf(op)));
}

ArrayAttr FactorPanelWriter::write(RegisterTile tile) {
  blockLoops(tile);
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

/// Returns true if the factor may be computed in vectors along the columns, in
/// slices of known size.
static bool isPossible(KernelOp kernel, const Contraction &way,
                       ComputeOp factor) {
  auto isKnown = [&](const std::string &loop) {
    return isStatic(kernel, loop);
  };
  return way.batch.empty() && way.columns.size() == 1 && way.blocks.empty() &&
         way.scaleOperands.empty() && !way.window && !way.channelwise &&
         way.hasColumnsInLine() && isStatic(kernel, way.column) &&
         llvm::all_of(way.reduced, isKnown) &&
         llvm::all_of(factor.getDpsInputOperands(), [&](OpOperand *input) {
           return inputNumber(kernel, input->get()) >= 0;
         });
}

void addFactorPanelRecipes(KernelOp kernel, const Contraction &way,
                           ComputeOp factor, const Processor &target,
                           const RecipeOptions &options,
                           RecipeCandidates &candidates) {
  int64_t lanes = lanesAlong(kernel, way.column, target);
  if (lanes <= 1 || !isPossible(kernel, way, factor))
    return;
  ContractionCost cost(kernel, way, target, lanes, "", bytesOfDot, -1);
  int64_t rowLimit =
      maxRows(target, Access(*way.rowOperand).pitch(dimOf(way.op, way.row)));
  SmallVector<RegisterTile> tiles = registerTiles(
      target, cost.rows, cost.columns, lanes, rowLimit, cost.work);
  SmallVector<double> cycles = llvm::map_to_vector(
      tiles, [&](RegisterTile tile) { return cost.cycles(tile); });
  RegisterTile best = tiles[findCheapest(cycles)];
  auto recipeOf = [=](RegisterTile tile) {
    return FactorPanelWriter(kernel, way, factor, lanes, target).write(tile);
  };
  if (failed(replayWith(kernel, recipeOf(best), options)))
    return;
  double scale =
      kernelScale(kernel, target, options, recipeOf(best), cost.cycles(best));
  for (auto [tile, ofTile] : llvm::zip_equal(tiles, cycles))
    candidates.push_back(
        {"contraction",
         llvm::formatv("{0} x {1} vectors of {2} along {3}, computed in panels",
                       tile.rows, tile.vectors, lanes, way.column),
         scale * ofTile, [recipeOf, tile = tile] { return recipeOf(tile); }});
}

} // namespace onnxc
