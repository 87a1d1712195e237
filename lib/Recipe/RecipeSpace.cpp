//===- RecipeSpace.cpp - The space that recipes are proposed from ---------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

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

int64_t countVectors(int64_t columns, int64_t lanes) {
  return ShapedType::isDynamic(columns) ? guessedExtent
                                        : llvm::divideCeil(columns, lanes);
}

/// On an AMD EPYC (Zen 4), 2026-11-24, one thread, floats: with 64 steps
/// packing is faster from 5 rows on where all stays in the second cache, from
/// 10 on in the third, and from more than 15 on after it; with 128 steps from
/// 10 on, with 768 not with 15, with 16 steps always.
int64_t fewRows(const target::Processor &target, int64_t depth, bool isKnown) {
  constexpr int64_t rows = 3, rowsOfKnown = 2, ofSteps = 16;
  return std::min(target.packRows * 3 / 4,
                  depth * (isKnown ? rowsOfKnown : rows) / ofSteps);
}

SmallVector<int64_t> rowTail(int64_t rows) {
  SmallVector<int64_t> tail;
  while (rows > 2)
    tail.push_back(rows = int64_t(llvm::bit_floor(uint64_t(rows - 1))));
  return tail;
}

SmallVector<RegisterTile> registerTiles(const Processor &target, int64_t rows,
                                        int64_t columns, int64_t lanes,
                                        int64_t maxRows, ColumnWork work) {
  int64_t limit = ShapedType::isDynamic(rows) ? guessedExtent : rows;
  int64_t vectors = countVectors(columns, lanes);
  ArrayRef<RegisterTile> tiles(tilesOf16);
  if (target.vectorRegs >= 32)
    tiles = tilesOf32;
  auto isLegal = [&](RegisterTile tile) {
    // A vector of each column and one of rows are read beside the sums.
    bool fits =
        tile.vectors * (tile.rows + 1) + work.temporaries < target.vectorRegs &&
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
  int64_t limit = ShapedType::isDynamic(rows) ? guessedExtent : rows;
  int64_t vectors = std::min(countVectors(columns, lanes), maxWindowVectors);
  SmallVector<RegisterTile> tiles;
  for (int64_t count = std::min(room / vectors, limit); count > 0; --count)
    tiles.push_back({count, vectors});
  return tiles;
}

SmallVector<RegisterTile> scalarTiles(const Processor &target, int64_t rows,
                                      int64_t columns, ScalarFactors factors) {
  int64_t room = factors.areIntegers
                     ? target.threadRegisters - target.addressRegisters
                     : target.vectorRegs;
  int64_t limit = ShapedType::isDynamic(rows) ? guessedExtent : rows;
  int64_t maxWidth = countVectors(columns, 1);
  SmallVector<RegisterTile> tiles, whole;
  for (int64_t height = 1; height <= std::min(target.scalarCopies, limit);
       ++height)
    for (int64_t width = factors.columns;
         width <= std::min(target.scalarCopies / height, maxWidth);
         width += factors.columns) {
      // The factors of the shorter side stay, those of the other one pass by.
      int64_t kept = std::min(height, width) + 1, results = height * width;
      if (results + kept * factors.registers > room ||
          (factors.registers == 0 && kept > target.vectorRegs))
        continue;
      tiles.push_back({height, width});
      if (results > 1 && limit % height == 0 && maxWidth % width == 0)
        whole.push_back({height, width});
    }
  if (tiles.empty())
    tiles.push_back({1, factors.columns});
  return whole.empty() ? tiles : whole;
}

} // namespace onnxc
