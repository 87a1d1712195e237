//===- CostModel.cpp - Costs of choices in recipes ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/CostModel.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using onnxc::target::Processor;

namespace onnxc {

/// Single sums are added up by one instruction after the other. Three of them
/// advance a pointer, compare it and jump; the other pointer is advanced by its
/// load. The emitted loops have three or four, and any number from one to three
/// chooses the same tiles for the networks of docs/HowTo/Firmware.md.
static double scalarCycles(const Processor &target, RegisterTile tile,
                           ColumnWork work) {
  constexpr int64_t ofLoop = 3;
  int64_t factors = tile.vectors + tile.rows;
  return double(factors) * double(work.ofFactor) +
         double(factors) / double(target.scalarLoadsPerCycle) +
         double(tile.vectors * work.operations) +
         double(tile.rows * tile.vectors * work.ofProduct) /
             double(target.fmaPerCycle) +
         double(ofLoop);
}

double tileCycles(const Processor &target, RegisterTile tile, int64_t lanes,
                  ColumnWork work) {
  if (lanes == 1)
    return scalarCycles(target, tile, work);
  // A multiply-add is two operations, of which twice as many start in a cycle.
  int64_t products = 2 * tile.rows * tile.vectors * work.ofProduct,
          factors = (tile.rows + tile.vectors) * work.ofFactor;
  double all = double(products + factors + tile.vectors * work.operations) /
               double(target.operationsPerCycle());
  double loads = double(tile.vectors) / target.loadsPerCycle +
                 double(tile.rows) / double(target.scalarLoadsPerCycle);
  double far = double(tile.vectors) * work.farCycles;
  return std::max({all, loads * double(work.loads), far, target.fmaLatency}) +
         target.tileCycles;
}

/// Cycles for `rows` rows and as many vectors as the tile has. Of a number that
/// is not known, the rest after whole tiles is done as rowTail() says.
static double rowCycles(const Processor &target, RegisterTile tile,
                        int64_t rows, bool isKnown, int64_t lanes,
                        ColumnWork work) {
  SmallVector<int64_t> sizes{tile.rows};
  if (isKnown)
    sizes.push_back(rows % tile.rows);
  else
    llvm::append_range(sizes, rowTail(tile.rows));
  sizes.push_back(1);
  double cycles = 0;
  for (int64_t size : sizes)
    if (rows > 0 && size > 0) {
      int64_t tiles = rows / size;
      cycles +=
          double(tiles) * tileCycles(target, {size, tile.vectors}, lanes, work);
      rows %= size;
    }
  return cycles;
}

/// The usual numbers of rows up to a limit; the limit itself, which the list
/// refers to, where it is less.
static ArrayRef<int64_t> usualRowsUpTo(const int64_t &limit) {
  ArrayRef<int64_t> usual = ArrayRef(usualRows).take_while(
      [&](int64_t rows) { return rows <= limit; });
  return usual.empty() ? ArrayRef(limit) : usual;
}

double resultCycles(const Processor &target, RegisterTile tile, int64_t rows,
                    int64_t columns, int64_t lanes, ColumnWork work,
                    int64_t assumedRows) {
  ArrayRef<int64_t> allUsual = usualRowsUpTo(assumedRows);
  int64_t vectors = countVectors(columns, lanes);
  auto rowTiles = [&](int64_t width) {
    RegisterTile part{tile.rows, width};
    if (!ShapedType::isDynamic(rows))
      return rowCycles(target, part, rows, /*isKnown=*/true, lanes, work);
    double perRow = 0;
    for (int64_t usual : allUsual)
      perRow += rowCycles(target, part, usual, /*isKnown=*/false, lanes, work) /
                double(usual * allUsual.size());
    return perRow * double(assumedRows);
  };
  int64_t whole = vectors / tile.vectors;
  double cycles = double(whole) * rowTiles(tile.vectors);
  if (int64_t rest = vectors % tile.vectors)
    cycles += rowTiles(rest);
  return cycles;
}

/// Rows of a line each, `pitch` bytes apart, that a cache of `ways` ways of
/// `waySize` bytes keeps.
static int64_t rowsKept(int64_t ways, int64_t waySize, int64_t pitch) {
  return pitch == 0 ? INT64_MAX
                    : std::max<int64_t>(ways, 1) *
                          (waySize / std::gcd(pitch, waySize));
}

int64_t maxRows(const Processor &target, int64_t pitch) {
  return rowsKept(target.l1 / target.wayBytes, target.wayBytes, pitch);
}

int64_t maxRowsInL2(const Processor &target, int64_t pitch) {
  int64_t ways = std::max<int64_t>(target.l1 / target.wayBytes, 1);
  return rowsKept(ways, target.l2 / ways, pitch);
}

double copyCycles(const Processor &target, int64_t elementBytes) {
  return 2 * double(elementBytes) / target.l2BytesPerCycle;
}

size_t findCheapest(ArrayRef<double> cycles, double gain) {
  size_t best = 0;
  for (size_t number : llvm::seq(cycles.size()))
    if (cycles[number] < cycles[best] * gain)
      best = number;
  return best;
}

int64_t chooseColumnBlock(const Processor &target, int64_t columns,
                          int64_t depth, int64_t tileColumns,
                          int64_t elementBytes) {
  if (ShapedType::isDynamic(depth) || ShapedType::isDynamic(columns))
    return 0;
  int64_t room = int64_t(double(target.l2) * target.columnsShare) /
                 std::max<int64_t>(depth * elementBytes, 1);
  if (columns <= room)
    return 0;
  return std::max<int64_t>(room / tileColumns, 1) * tileColumns;
}

} // namespace onnxc
