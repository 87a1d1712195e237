//===- CostModel.cpp - Costs of choices in recipes ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/CostModel.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using onnxc::target::Processor;

namespace onnxc {

/// Registers of masks and elements of rows, where vectors of columns are
/// computed. With fewer to spare sums have been seen to go to memory.
static constexpr int64_t otherRegs = 4;

/// Tiles to try, the better of equals first: the measured ones, then smaller
/// ones for results with few rows or columns.
static constexpr RegisterTile tilesOf32[] = {
    {8, 3},  {6, 4}, {12, 2}, {14, 2}, {7, 3}, {5, 4}, {4, 6},  {4, 4},
    {3, 6},  {2, 8}, {1, 12}, {1, 8},  {2, 4}, {4, 3}, {3, 4},  {10, 2},
    {9, 2},  {8, 2}, {7, 2},  {6, 2},  {5, 2}, {4, 2}, {14, 1}, {12, 1},
    {10, 1}, {8, 1}, {7, 1},  {6, 1},  {5, 1}, {4, 1}, {3, 1},  {2, 3},
    {2, 2},  {2, 1}, {1, 4},  {1, 2},  {1, 1}};
static constexpr RegisterTile tilesOf16[] = {
    {6, 2}, {4, 3}, {5, 2},  {3, 3},  {2, 4}, {1, 6}, {4, 2}, {3, 2},
    {2, 3}, {1, 4}, {12, 1}, {10, 1}, {8, 1}, {7, 1}, {6, 1}, {5, 1},
    {4, 1}, {3, 1}, {2, 2},  {2, 1},  {1, 2}, {1, 1}};

/// A candidate replaces one that is preferred if it takes at most this part of
/// its cycles: the model is no more precise.
static constexpr double minGain = 0.99;

/// The assumed value of an unknown extent.
static constexpr int64_t manyIterations = 512;

double tileCycles(const Processor &target, RegisterTile tile, ColumnWork work) {
  // Half of the vector operations of a processor are multiply-adds.
  double all = double(tile.vectors * (tile.rows + work.operations)) /
               (2.0 * target.fmaPerCycle);
  double fma = double(tile.rows * tile.vectors) / target.fmaPerCycle;
  double loads =
      double(tile.vectors) / target.loadsPerCycle + double(tile.rows) / 2;
  return std::max({fma, all, loads, target.fmaLatency}) + target.tileCycles;
}

/// Rows of results whose number is dynamic: widths of images and their halves,
/// sentences, and many.
static constexpr int64_t usualRows[] = {4,  7,  10, 14, 20,
                                        28, 40, 56, 80, manyIterations};

/// Cycles for `rows` rows and as many vectors as the tile has. The rest after
/// whole tiles is one smaller tile, or, for a dynamic size, tiles of half as
/// many rows each time.
static double rowCycles(const Processor &target, RegisterTile tile,
                        int64_t rows, bool isKnown, ColumnWork work) {
  double cycles = 0;
  int64_t step = tile.rows;
  for (int64_t rest = rows; rest > 0;) {
    cycles +=
        double(rest / step) * tileCycles(target, {step, tile.vectors}, work);
    rest %= step;
    step = isKnown ? rest : int64_t(llvm::bit_floor(uint64_t(step - 1)));
  }
  return cycles;
}

double resultCycles(const Processor &target, RegisterTile tile, int64_t rows,
                    int64_t columns, int64_t lanes, ColumnWork work) {
  if (ShapedType::isDynamic(columns))
    columns = manyIterations * lanes;
  int64_t vectors = llvm::divideCeil(columns, lanes);
  auto rowTiles = [&](int64_t width) {
    RegisterTile part{tile.rows, width};
    if (!ShapedType::isDynamic(rows))
      return rowCycles(target, part, rows, /*isKnown=*/true, work);
    double perRow = 0;
    for (int64_t usual : usualRows)
      perRow += rowCycles(target, part, usual, /*isKnown=*/false, work) /
                double(usual * std::size(usualRows));
    return perRow * manyIterations;
  };
  double cycles = double(vectors / tile.vectors) * rowTiles(tile.vectors);
  if (int64_t rest = vectors % tile.vectors)
    cycles += rowTiles(rest);
  return cycles;
}

int64_t maxRows(const Processor &target, int64_t pitch) {
  int64_t waySize = target.wayBytes;
  int64_t rowsInSet = std::clamp<int64_t>(target.l1 / waySize, 1, 12);
  return pitch == 0 ? INT64_MAX
                    : rowsInSet * (waySize / std::gcd(pitch, waySize));
}

SmallVector<RegisterTile> registerTiles(const Processor &target, int64_t rows,
                                        int64_t columns, int64_t lanes,
                                        int64_t maxRows, ColumnWork work) {
  int64_t limit = ShapedType::isDynamic(rows) ? manyIterations : rows;
  if (ShapedType::isDynamic(columns))
    columns = manyIterations * lanes;
  int64_t vectors = llvm::divideCeil(columns, lanes);
  ArrayRef<RegisterTile> tiles(tilesOf16);
  if (target.vectorRegs >= 32)
    tiles = tilesOf32;
  auto isLegal = [&](RegisterTile tile) {
    // A vector of each column and one of rows are read beside the sums.
    bool fits =
        tile.vectors * (tile.rows + 1) < target.vectorRegs &&
        (work.registers == 0 ||
         tile.vectors * (tile.rows * work.accumulators + work.registers) +
                 otherRegs <
             target.vectorRegs);
    return fits && tile.rows <= std::min(limit, maxRows) &&
           tile.vectors <= vectors;
  };
  SmallVector<RegisterTile> legal = llvm::filter_to_vector(tiles, isLegal);
  // One sum at a time is always possible.
  if (legal.empty())
    legal.push_back({1, 1});
  return legal;
}

SmallVector<RegisterTile> windowTiles(const Processor &target, int64_t rows,
                                      int64_t columns, int64_t lanes) {
  // Half of the registers hold results, the rest elements of the window.
  int64_t room = target.vectorRegs / 2;
  int64_t limit = ShapedType::isDynamic(rows) ? manyIterations : rows;
  if (ShapedType::isDynamic(columns))
    columns = manyIterations * lanes;
  int64_t vectors = std::min<int64_t>(llvm::divideCeil(columns, lanes), 2);
  SmallVector<RegisterTile> tiles;
  for (int64_t count = std::min(room / vectors, limit); count > 0; --count)
    tiles.push_back({count, vectors});
  return tiles;
}

size_t findCheapest(ArrayRef<double> cycles) {
  size_t best = 0;
  for (size_t number : llvm::seq(cycles.size()))
    if (cycles[number] < cycles[best] * minGain)
      best = number;
  return best;
}

int64_t chooseColumnBlock(const Processor &target, int64_t columns,
                          int64_t depth, int64_t tileColumns,
                          int64_t elementBytes) {
  if (ShapedType::isDynamic(depth) || ShapedType::isDynamic(columns))
    return 0;
  int64_t room = target.l2 * 3 / 4 / std::max<int64_t>(depth * elementBytes, 1);
  if (columns <= room)
    return 0;
  return std::max<int64_t>(room / tileColumns, 1) * tileColumns;
}

} // namespace onnxc
