//===- ContractionRecipe.cpp - Register tiles for contractions -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ContractionLoops.h defines rows and columns.
//
//===----------------------------------------------------------------------===//

#include "Cost/ContractionCost.h"
#include "Kernels/ByteGroups.h"
#include "Kernels/KernelShape.h"
#include "Planners/PanelSteps.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// The bytes of a group where bytes are multiplied; whether columns that may be
/// read in place are packed; and the groups whose products are added up in 16
/// bits first.
struct ProductWay {
  int64_t groupBytes;
  bool packsAll = false;
  int64_t shortGroups = 0;
};

constexpr ProductWay productWays[] = {
    {bytesOfPair},          {bytesOfPair, true},    {bytesOfDot},
    {bytesOfDot, true},     {bytesOfLongDot},       {bytesOfLongDot, true},
    {bytesOfDot, false, 1}, {bytesOfDot, false, 2}, {bytesOfDot, false, 4}};

/// Writes the recipe once the loops are known.
class ContractionWriter {
public:
  ContractionWriter(KernelOp kernel, Contraction contraction,
                    const Processor &target)
      : kernel(kernel), loops(std::move(contraction)), target(target),
        recipe(kernel.getContext()) {}

  /// Returns true if the columns can be tiled; false if the way packs those
  /// that are packed anyway.
  bool isPossible(ProductWay how);
  /// Refers to the writer.
  ContractionCost cost() const;
  SmallVector<RegisterTile> tiles(const ContractionCost &cost);
  std::string describe(RegisterTile tile) const;
  ArrayAttr write(RegisterTile tile);

private:
  bool needsPack();
  bool isPackProfitable();
  bool mayGroup();
  bool canBeShort(int64_t groups);
  void chooseGroups(int64_t bytes);
  int64_t bytesOf(OpOperand &operand);
  bool rowsStay();
  bool completesLines();
  bool areColumnsUnknown();
  bool mayRowsBeFew();
  int64_t chooseRowBlock();
  bool areIntegers();
  SmallVector<OpOperand *> columnOperands();
  int64_t columnBytes();
  void blockLoops();
  void writeOrder();
  void unrollWindow(unsigned op);
  bool isParallel();
  bool dividesPanels();
  unsigned opNumber();

  KernelOp kernel;
  Contraction loops;
  const Processor &target;
  RecipeBuilder recipe;
  RegisterTile tile{1, 1};
  /// Of results, and of sums: those of long groups are in no vector.
  int64_t lanes = 1, sumLanes = 1;
  int64_t depth = 1, columnBlock = 0;
  bool pack = false;
  /// How `loops` are split; panels hold the columns.
  PanelLoops panels;
  /// All rows are computed for each panel of columns before the next one: they
  /// are few or may be, not even two panels stay in the second cache or how
  /// many do is not known, or rows are contiguous in the results.
  bool panelsFirst = false;
  int packedOperand = -1, widenedOperand = -1;
  std::string rowBlocks, rowTile, columnBlocks, cachedRows;
};
} // namespace

/// Returns true if the operand of columns has to be packed. A constant is
/// packed at compile time; one with unit stride along the columns may stay.
/// Single elements are read from anywhere.
bool ContractionWriter::needsPack() {
  packedOperand = inputNumber(kernel, loops.columnOperand->get());
  bool contiguous = loops.hasColumnsInLine();
  if (loops.window || lanes == 1)
    return false;
  if (!isPlainlyIndexed(*loops.columnOperand))
    packedOperand = -1;
  if (packedOperand < 0)
    return !contiguous;
  return !contiguous || isConstantView(kernel.getIns()[packedOperand]);
}

/// Packing an operand that is not a constant is not profitable for few rows:
/// the copy takes as long as the work itself.
bool ContractionWriter::isPackProfitable() {
  if (!pack || isConstantView(kernel.getIns()[packedOperand]))
    return true;
  return extentOfAll(kernel, loops.rows, outerExtent) >= target.packRows;
}

bool ContractionWriter::isPossible(ProductWay how) {
  auto [groupBytes, packsAll, shortGroups] = how;
  lanes = sumLanes = lanesAlong(kernel, loops.column, target);
  pack = needsPack();
  if (packsAll && (pack || packedOperand < 0 || loops.window ||
                   loops.channelwise || lanes <= 1))
    return false;
  pack |= packsAll;
  panels.parts =
      partLoops(kernel, loops.op, *loops.columnOperand, loops.reduced);
  chooseGroups(groupBytes);
  if ((groupBytes == bytesOfLongDot && sumLanes == lanes) ||
      (groupBytes == bytesOfPair && widenedOperand < 0) ||
      (packsAll && !panels.grouped.empty()) ||
      (shortGroups > 0 && !canBeShort(shortGroups)))
    return false;
  panels.shortGroups = shortGroups;
  // Nearly empty vectors are not profitable; one column may be all that few
  // are.
  int64_t columns = extentOf(kernel, loops.column, INT64_MAX);
  bool isMany = isStatic(kernel, loops.column) ? columns * 4 >= lanes
                                               : columns == INT64_MAX;
  return lanes > 0 && isMany && (!pack || packedOperand >= 0) &&
         isPackProfitable();
}

ContractionCost ContractionWriter::cost() const {
  return {kernel,
          loops,
          target,
          sumLanes,
          panels.grouped,
          panels.groupBytes,
          pack ? packedOperand : -1,
          panels.shortGroups};
}

SmallVector<RegisterTile>
ContractionWriter::tiles(const ContractionCost &cost) {
  // What follows the sums of a window takes longer than to read it again.
  if (lanes == 1 && loops.channelwise)
    return {{1, 1}};
  if (sumLanes == 1) {
    int64_t registers = panels.grouped.empty()                ? 1
                        : panels.groupBytes == bytesOfLongDot ? 0
                                                              : 2;
    return scalarTiles(target, cost.rows, cost.columns,
                       {areIntegers(), registers, lanes});
  }
  if (loops.channelwise)
    return windowTiles(target, cost.rows, cost.columns, lanes);
  int64_t rowLimit =
      widenedOperand >= 0
          ? maxWideBytes / (bytesOfPair * bytesOfDot * cost.depth)
          : maxRows(
                target,
                Access(*loops.rowOperand).pitch(dimOf(loops.op, loops.row)));
  rowLimit = std::min(cost.assumedExtent(loops.row), rowLimit);
  return registerTiles(target, cost.rows, cost.columns, lanes, rowLimit,
                       cost.work);
}

bool ContractionWriter::areIntegers() {
  Value sums = loops.op.getDpsInitOperand(0)->get();
  return getElementTypeOrSelf(sums).isInteger();
}

/// Returns true if bytes may be multiplied in groups. The operand of columns
/// has to be packed for that, which is profitable for a constant, and for many
/// rows.
bool ContractionWriter::mayGroup() {
  int operand = inputNumber(kernel, loops.columnOperand->get());
  bool isProfitable =
      operand >= 0 &&
      (isConstantView(kernel.getIns()[operand]) ||
       extentOf(kernel, loops.row, target.groupRows) >= target.groupRows);
  return !loops.window && !loops.channelwise && isProfitable &&
         isPlainlyIndexed(*loops.columnOperand);
}

/// Returns true if products of so many groups may be added up in 16 bits.
bool ContractionWriter::canBeShort(int64_t groups) {
  return panels.groupBytes == bytesOfDot &&
         addsShortSums(TargetAttr::of(kernel), sumLanes) &&
         canSumShort(kernel, loops, panels.grouped, groups);
}

/// Chooses the loop that is taken in groups. Groups of single columns that lie
/// in a line are not packed.
void ContractionWriter::chooseGroups(int64_t bytes) {
  int64_t lanesOfGroups = bytes == bytesOfLongDot ? 1 : lanes;
  if (!mayGroup() ||
      (bytes == bytesOfPair &&
       (!panels.parts.empty() || !canWiden(kernel, loops))) ||
      !multipliesGroups(TargetAttr::of(kernel), lanesOfGroups, bytes))
    return;
  panels.grouped = chooseByteGroups(kernel, loops.op, *loops.rowOperand,
                                    loops.reduced, bytes);
  // The byte after the last whole pair would be multiplied on its own.
  bool hasRest = bytes == bytesOfPair && !panels.grouped.empty() &&
                 extentOf(kernel, panels.grouped, 0) % bytes != 0;
  if (panels.grouped.empty() || hasRest)
    return;
  panels.groupBytes = bytes;
  sumLanes = lanesOfGroups;
  if (bytes == bytesOfPair)
    widenedOperand = inputNumber(kernel, loops.rowOperand->get());
  if (sumLanes == 1 && Access(*loops.columnOperand)
                           .hasUnitStride(dimOf(loops.op, panels.grouped)))
    return;
  packedOperand = inputNumber(kernel, loops.columnOperand->get());
  pack = true;
}

/// The bytes of an operand for one iteration of the batch; INT64_MAX if that is
/// not known.
int64_t ContractionWriter::bytesOf(OpOperand &operand) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (auto [size, loop] :
       llvm::zip_equal(type.getShape(), accessLoops(loops.op, operand))) {
    if (llvm::is_contained(loops.batch, loop))
      continue;
    if (ShapedType::isDynamic(size))
      return INT64_MAX;
    bytes = estimatedProduct(bytes, size);
  }
  return bytes;
}

/// Returns true if the whole operand of rows stays in the second cache, beside
/// a panel. It may take more of it where the columns are more than the rows.
bool ContractionWriter::rowsStay() {
  int64_t rows = bytesOf(*loops.rowOperand);
  double share = columnBlock > 0 ? target.streamedRowsShare
                 : rows <= bytesOf(*loops.columnOperand) ? target.fewerRowsShare
                                                         : target.rowsShare;
  return pack && !loops.channelwise &&
         double(rows) <= share * double(target.l2);
}

/// Returns true if adjacent rows are contiguous in the results, so that tiles
/// of rows one after the other write whole lines, and to read the rows again
/// for each panel moves no more elements than the results have. Panels one
/// after the other would write parts of lines that are far apart.
bool ContractionWriter::completesLines() {
  ComputeOp op = loops.op;
  unsigned row = dimOf(op, loops.row);
  if (!pack || loops.channelwise || loops.storesInLine ||
      !Access(*op.getDpsInitOperand(0)).hasUnitStride(row))
    return false;
  // Windows of adjacent rows overlap, but for their step.
  Access rows(*loops.rowOperand);
  int64_t newElements = 1;
  for (const std::string &loop : loops.reduced) {
    int64_t positions = extentOf(kernel, loop, guessedExtent);
    for (unsigned d : llvm::seq(rows.getRank()))
      if (rows.dependsOnAt(d, row) && rows.dependsOnAt(d, dimOf(op, loop)))
        positions = std::min(positions,
                             std::abs(rows.stepAt(d, row).value_or(positions)));
    newElements = estimatedProduct(newElements, positions);
  }
  return newElements <= tile.vectors * sumLanes;
}

/// Returns true if it is not known what the columns take of a cache. Panels
/// that pass by for each tile of rows may then come from memory each time, as
/// rows do that are known to be more than it.
bool ContractionWriter::areColumnsUnknown() {
  auto isDynamic = [&](const std::string &loop) {
    return !isStatic(kernel, loop);
  };
  int64_t rows = bytesOf(*loops.rowOperand);
  return !loops.window && !loops.channelwise &&
         (rows == INT64_MAX || rows <= target.l2) &&
         (isDynamic(loops.column) || llvm::any_of(loops.reduced, isDynamic));
}

/// Returns true if it is not known how many rows there are, for which constant
/// columns that do not stay in the second cache come from memory. In a run of
/// few rows the first tile would wait for each block of columns, where panels
/// one after the other are prefetched.
bool ContractionWriter::mayRowsBeFew() {
  int column = inputNumber(kernel, loops.columnOperand->get());
  return pack && columnBlock > 0 && !loops.window && !loops.channelwise &&
         column >= 0 && isConstantView(kernel.getIns()[column]) &&
         !isStatic(kernel, loops.row) && isStatic(kernel, loops.column);
}

/// As many rows as stay in the second cache while panels pass by.
int64_t ContractionWriter::chooseRowBlock() {
  auto room = int64_t(double(target.l2) * target.columnsShare);
  return room / std::max<int64_t>(columnBytes(), 1) / tile.rows * tile.rows;
}

/// The operands of the columns.
SmallVector<OpOperand *> ContractionWriter::columnOperands() {
  SmallVector<OpOperand *> operands{loops.columnOperand};
  llvm::append_range(operands, loops.scaleOperands);
  llvm::append_range(operands, loops.blockFactors);
  return operands;
}

/// The bytes of a column; 0 if that is not known.
int64_t ContractionWriter::columnBytes() {
  if (loops.scaleOperands.empty() && loops.blocks.empty())
    return depth * target.vectorBytes / sumLanes;
  SmallVector<std::string> reduced = loops.reduced;
  if (!loops.blocks.empty())
    reduced.push_back(loops.blocks);
  int64_t all = 0;
  for (OpOperand *operand : columnOperands()) {
    int64_t bytes =
        getElementTypeOrSelf(operand->get()).getIntOrFloatBitWidth() / 8;
    all += estimatedProduct(
        bytes, extentOfAll(kernel, loopsOf(*operand, reduced), guessedExtent));
  }
  return all;
}

void ContractionWriter::blockLoops() {
  int64_t tileColumns = tile.vectors * sumLanes;
  int64_t columns = extentOf(kernel, loops.column, ShapedType::kDynamic);
  if (!loops.window)
    columnBlock =
        chooseColumnBlock(target, columns, columnBytes(), tileColumns, 1);
  // Rows that were extended are for many panels.
  bool isWide = widenedOperand >= 0;
  panelsFirst =
      columnBlock == tileColumns ||
      (!isWide && (rowsStay() || completesLines() || areColumnsUnknown()));
  int64_t rowBlock =
      mayRowsBeFew() && !panelsFirst && !isWide ? chooseRowBlock() : 0;
  panelsFirst |= rowBlock > 0;
  if (panelsFirst)
    columnBlock = 0;
  if (columnBlock > tileColumns) {
    std::string inner;
    std::tie(columnBlocks, inner) =
        recipe.block(loops.column, columnBlock, suffix::blocks, suffix::cached);
    std::tie(panels.panels, panels.columns) =
        recipe.block(inner, tileColumns, suffix::panels, suffix::registers);
  } else {
    std::tie(panels.panels, panels.columns) = recipe.block(
        loops.column, tileColumns, suffix::blocks, suffix::registers);
  }
  if (rowBlock > 0) {
    std::string inner;
    std::tie(cachedRows, inner) =
        recipe.block(loops.row, rowBlock, suffix::blocks, suffix::cached);
    std::tie(rowBlocks, rowTile) =
        recipe.block(inner, tile.rows, suffix::panels, suffix::registers);
  } else {
    std::tie(rowBlocks, rowTile) =
        recipe.block(loops.row, tile.rows, suffix::blocks, suffix::registers);
  }
  panels.reduced = loops.reduced;
  if (!loops.blocks.empty())
    panels.blocks.push_back(loops.blocks);
  panels.blockGroups(recipe, kernel);
}

/// Other workers are not profitable for few multiply-adds. For dynamic work the
/// launch computes the number of workers.
bool ContractionWriter::isParallel() {
  int64_t work = depth;
  for (auto *kind : {&loops.batch, &loops.rows, &loops.columns})
    work = estimatedProduct(work, extentOfAll(kernel, *kind, guessedExtent));
  return work >= target.parallelProducts;
}

/// Returns true if workers share the panels of a tile of rows. Each would
/// extend the rows again, which is not profitable where there are many tiles.
bool ContractionWriter::dividesPanels() {
  if (widenedOperand < 0 || !columnBlocks.empty())
    return columnBlocks.empty();
  int64_t allRows =
      estimatedProduct(extentOfAll(kernel, loops.batch, 1),
                       extentOfAll(kernel, loops.rows, guessedExtent));
  return allRows < manyRowTiles * tile.rows;
}

void ContractionWriter::writeOrder() {
  // batch, blocks of columns that stay in the second cache, rows that stay in
  // the first, panels of columns, the reduction, the tile. Under a window the
  // rows (weights) stay while all of the input is read.
  SmallVector<std::string> outer = loops.batch;
  if (!loops.window)
    llvm::append_range(outer, ArrayRef(loops.columns).drop_back());
  if (!columnBlocks.empty())
    outer.push_back(columnBlocks);
  if (!cachedRows.empty())
    outer.push_back(cachedRows);
  if (panelsFirst)
    outer.push_back(panels.panels);
  llvm::append_range(outer, ArrayRef(loops.rows).drop_back());
  outer.push_back(rowBlocks);
  if (loops.window)
    llvm::append_range(outer, ArrayRef(loops.columns).drop_back());
  SmallVector<std::string> outerLoops = outer;
  if (!panelsFirst)
    outerLoops.push_back(panels.panels);
  SmallVector<std::string> all = outerLoops;
  llvm::append_range(all, panels.blocks);
  llvm::append_range(all, panels.reduced);
  if (!panels.group.empty())
    all.push_back(panels.group);
  all.push_back(rowTile);
  all.push_back(panels.columns);
  recipe.order(all);
  recipe.fuseOuter(outerLoops);
  if (isParallel())
    recipe.parallel(!cachedRows.empty() ? ArrayRef(outer).drop_back()
                    : dividesPanels()   ? ArrayRef(outerLoops)
                                        : ArrayRef(outer));
  if (!loops.blocks.empty())
    recipe.computeAt(loops.blocks);
  recipe.registerTile(rowTile, panels.columns, lanes,
                      isStatic(kernel, loops.row) ? SmallVector<int64_t>()
                                                  : rowTail(tile.rows));
  if (pack)
    panels.pack(recipe, kernel, columnOperands());
}

/// The number of the contraction among the ops.
unsigned ContractionWriter::opNumber() {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  return llvm::find(ops, loops.op) - ops.begin();
}

/// The windows of adjacent results overlap: unrolled, they read each
/// vector once.
void ContractionWriter::unrollWindow(unsigned op) {
  int64_t instances = tile.rows * tile.vectors;
  for (const std::string &loop : llvm::reverse(panels.reduced)) {
    if (!isStatic(kernel, loop))
      return;
    instances = estimatedProduct(instances, extentOf(kernel, loop, 1));
    if (instances > maxWindowInstances)
      return;
    recipe.unroll(loop, extentOf(kernel, loop, 1), op);
  }
}

ArrayAttr ContractionWriter::write(RegisterTile chosen) {
  tile = chosen;
  depth = cost().depth;
  blockLoops();
  writeOrder();
  unsigned number = opNumber();
  if (loops.channelwise) {
    unrollWindow(number);
    return recipe.finish();
  }
  panels.unroll(recipe, kernel, number);
  if (widenedOperand >= 0)
    recipe.cacheWide(widenedOperand, rowBlocks, number);
  if (!panels.parts.empty() || !panels.blocks.empty())
    return recipe.finish();
  // A small tile leaves room to hide the loop's own cost.
  // Names of loops over groups are new; there are as many as the loop has.
  const std::string &inner = panels.reduced.back();
  bool isOld = llvm::is_contained(loopNames(kernel), inner);
  int64_t steps = !isOld
                      ? byteGroupsOf(kernel, panels.grouped, panels.groupBytes)
                  : isStatic(kernel, inner) ? extentOf(kernel, inner, 0)
                                            : 0;
  bool isSmall = sumLanes > 1 && tile.rows * tile.vectors < hidingTile;
  if (panels.shortGroups > 0)
    recipe.unroll(panels.groups, panels.shortGroups, number);
  else if (isSmall && steps >= reductionUnroll)
    recipe.unroll(inner, reductionUnroll, number);
  else if (widenedOperand >= 0 && steps > 0 && steps % pairUnroll == 0)
    recipe.unroll(inner, pairUnroll, number);
  return recipe.finish();
}

std::string ContractionWriter::describe(RegisterTile tile) const {
  std::string how = pack ? ", packed" : "";
  if (widenedOperand >= 0)
    how += ", rows of 16 bits";
  if (panels.shortGroups > 0)
    how += ", sums of " + std::to_string(panels.shortGroups) + " in 16 bits";
  return llvm::formatv("{0} x {1} vectors of {2} along {3}{4}", tile.rows,
                       tile.vectors, sumLanes, loops.column, how);
}

/// The recipes of one way to divide the loops.
static void addContraction(KernelOp kernel, const Contraction &way,
                           ProductWay how, const Processor &target,
                           const RecipeOptions &options,
                           RecipeCandidates &candidates) {
  auto writer = std::make_shared<ContractionWriter>(kernel, way, target);
  if (!writer->isPossible(how))
    return;
  ContractionCost cost = writer->cost();
  SmallVector<RegisterTile> tiles = writer->tiles(cost);
  SmallVector<double> cycles = llvm::map_to_vector(
      tiles, [&](RegisterTile tile) { return cost.cycles(tile); });
  RegisterTile best = tiles[findCheapest(cycles)];
  double scale =
      kernelScale(kernel, target, options,
                  ContractionWriter(*writer).write(best), cost.cycles(best));
  for (auto [tile, ofTile] : llvm::zip_equal(tiles, cycles))
    candidates.push_back({"contraction", writer->describe(tile),
                          scale * (ofTile + cost.packingCycles()),
                          [writer, tile = tile] {
                            return ContractionWriter(*writer).write(tile);
                          }});
}

void addContractionRecipes(KernelOp kernel, const Processor &target,
                           const RecipeOptions &options,
                           RecipeCandidates &candidates) {
  for (const Contraction &way : findContractions(kernel)) {
    auto factor = way.columnOperand->get().getDefiningOp<ComputeOp>();
    if (!factor && !way.hasWindowAcross())
      for (ProductWay how : productWays)
        addContraction(kernel, way, how, target, options, candidates);
    addPanelSliceRecipes(kernel, way, factor, target, options, candidates);
  }
}

} // namespace onnxc
