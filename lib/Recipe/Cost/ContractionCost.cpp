//===- ContractionCost.cpp - Cycles of a register tile ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cost/ContractionCost.h"

#include "Kernels/ByteGroups.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Support/ElementBytes.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

int64_t lanesAlong(KernelOp kernel, StringRef column, const Processor &target) {
  unsigned bits = 0;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    unsigned wide = LaneAnalysis(op, column).vectorBits();
    if (wide == 0)
      return 0;
    bits = std::max(bits, wide);
  }
  return target.lanes(bits);
}

ContractionCost::ContractionCost(KernelOp kernel, const Contraction &loops,
                                 const Processor &target, int64_t lanes,
                                 StringRef grouped, int64_t groupBytes,
                                 int packed, int64_t shortGroups)
    : rows(extentOf(kernel, loops.row, ShapedType::kDynamic)),
      columns(extentOf(kernel, loops.column, ShapedType::kDynamic)),
      kernel(kernel), loops(loops), target(target), lanes(lanes),
      isPacked(packed >= 0),
      packsInRun(isPacked && !isConstantView(kernel.getIns()[packed])),
      readsInPlace(packed < 0 && loops.hasColumnsInLine() &&
                   isa<BlockArgument>(loops.columnOperand->get())),
      widensRows(!grouped.empty() && groupBytes == bytesOfPair),
      shortGroups(shortGroups), grouped(grouped) {
  work = columnWork(loops,
                    extentOfAll(kernel,
                                partLoops(kernel, loops.op,
                                          *loops.columnOperand, loops.reduced),
                                1));
  groupBytes = countGroups(groupBytes);
  stepBytes = columnElementBytes() * (grouped.empty() ? 1 : groupBytes);
  for (const std::string &loop : loops.reduced)
    depth = estimatedProduct(
        depth, loop == grouped ? byteGroupsOf(kernel, loop, groupBytes)
                               : extentOf(kernel, loop, guessedExtent));
  if (!loops.blocks.empty())
    depth =
        estimatedProduct(depth, extentOf(kernel, loops.blocks, guessedExtent));
  sliceDepth = depth;
}

/// Counts the work of groups of so many bytes; returns the bytes of a step.
int64_t ContractionCost::countGroups(int64_t groupBytes) {
  if (!grouped.empty() && lanes == 1 && groupBytes == bytesOfDot) {
    // Four bytes of a factor are extended to two pairs, one instruction each,
    // and each pair of a product is added by one.
    work.ofFactor = 2;
    work.ofProduct = 2;
  } else if (widensRows) {
    // One instruction extends a pair of columns, or broadcasts one of rows.
    work.ofFactor = pairUnroll;
    work.ofProduct = pairUnroll;
    work.temporaries = 1;
    groupBytes = pairUnroll * bytesOfPair;
  } else if (shortGroups > 0 && !loops.blocks.empty()) {
    // All groups of a block are added up first, one instruction for each sum.
    work.temporaries = 2;
  } else if (shortGroups > 0) {
    // One instruction for each group and one for their sum, of which half as
    // many start in a cycle as of others; those add what these have. Beside
    // the products there is a vector of ones.
    work.ofProduct = shortGroups + 1;
    work.temporaries = 2;
    work.registers += shortGroups > 1 ? shortGroups : 0;
    work.loads = shortGroups;
    groupBytes = shortGroups * bytesOfDot;
  } else if (!grouped.empty() &&
             multipliesPairs(TargetAttr::of(kernel), lanes)) {
    // One instruction loads four bytes, and two extend them to pairs.
    work.ofFactor = 3;
    work.ofProduct = 2;
  }
  return groupBytes;
}

/// Vectors under a window are not packed: they straddle cache lines, and come
/// from as many positions as the reduction has steps, less those along memory.
double ContractionCost::windowFactor(RegisterTile tile) const {
  ComputeOp op = loops.op;
  Access columns(*loops.columnOperand);
  int64_t positions = depth;
  for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
    if (columns.dependsOnAt(columns.getRank() - 1, dim) &&
        llvm::is_contained(loops.reduced, axis))
      positions /= std::max<int64_t>(extentOf(kernel, axis, 1), 1);
  int64_t bytes = positions * (tile.vectors + 1) * target.vectorBytes;
  return bytes <= target.l1 ? target.unalignedFactor
                            : target.farUnalignedFactor;
}

/// Returns true if the second cache keeps what all steps of the reduction read
/// of an operand in place while other tiles pass by. The lines are far apart
/// and share few sets where the distance is a multiple of a large power of two.
bool ContractionCost::linesStay(OpOperand &operand) const {
  ComputeOp op = loops.op;
  int64_t pitch = Access(operand).pitch(dimOf(op, loops.reduced.back()));
  return pitch > 0 && depth <= maxRowsInL2(target, pitch);
}

/// Returns true if no processor foresees the lines that the steps of the
/// reduction read of an operand in place: each is in another page than most
/// before it. From the second cache they come when they are asked for then, if
/// the first one cannot keep them.
bool ContractionCost::isUnforeseen(OpOperand &operand) const {
  ComputeOp op = loops.op;
  int64_t pitch = Access(operand).pitch(dimOf(op, loops.reduced.back()));
  auto bytes =
      double(depth * assumedExtent(loops.column) * columnElementBytes());
  return 2 * pitch > target.wayBytes && bytes > double(target.l1);
}

/// The cycles in which tiles wait for lines that come from another cache each
/// time: those of the columns for all tiles of rows after the first one, and
/// those of the rows, where they hold other rows, for all tiles.
double ContractionCost::rereadCycles(RegisterTile tile) const {
  if (lanes == 1 || loops.window || loops.channelwise || loops.reduced.empty())
    return 0;
  ComputeOp op = loops.op;
  auto columns = double(assumedExtent(loops.column));
  double rowTiles =
      std::ceil(double(assumedExtent(loops.row)) / double(tile.rows));
  double panels = std::ceil(columns / double(tile.vectors * lanes));
  double farBytes = 0, nearBytes = 0;
  double panelBytes = double(depth * tile.vectors * target.vectorBytes);
  // A panel that is narrower than a line reads all of it.
  double linesOfPanel =
      std::max(double(target.lineBytes) /
                   double(tile.vectors * lanes * columnElementBytes()),
               1.0);
  double again =
      (rowTiles * linesOfPanel - 1) * columns * double(columnElementBytes());
  if (readsInPlace && (!linesStay(*loops.columnOperand) ||
                       panelBytes > target.columnsShare * double(target.l2)))
    farBytes += again;
  else if (readsInPlace && isUnforeseen(*loops.columnOperand))
    nearBytes += again;
  if (Access(*loops.rowOperand).hasUnitStride(dimOf(op, loops.row)) &&
      !linesStay(*loops.rowOperand))
    farBytes += rowTiles * panels * double(target.lineBytes);
  return (farBytes / target.l3BytesPerCycle +
          nearBytes / target.l2BytesPerCycle) *
         double(depth);
}

int64_t ContractionCost::columnElementBytes() const {
  return elementBytes(getElementTypeOrSelf(loops.columnOperand->get()));
}

int64_t ContractionCost::assumedExtent(StringRef axis) const {
  bool isInner = axis == loops.row || axis == loops.column ||
                 axis == loops.blocks ||
                 llvm::is_contained(loops.reduced, axis);
  return extentOf(kernel, axis, isInner ? guessedExtent : outerExtent);
}

/// The cycles to extend the bytes of rows, again for each block of columns that
/// stays in the second cache.
double ContractionCost::widenCycles() const {
  if (!widensRows)
    return 0;
  double steps = double(depth) * double(pairUnroll * bytesOfPair);
  double blocks = std::ceil(steps * double(assumedExtent(loops.column)) /
                            (target.columnsShare * double(target.l2)));
  return copyCycles(target, 1) * steps * double(assumedExtent(loops.row)) *
         blocks;
}

/// Half of the last vector of a dynamic number of columns is empty, which
/// counts where a run has few. That of a product with a constant may be along
/// the other loop at no cost; products of two tensors have a version for few
/// rows (krnl-version-kernels).
double ContractionCost::emptyLanesFactor() const {
  KernelOp op = kernel;
  int number = inputNumber(op, loops.rowOperand->get());
  if (number < 0 || !isConstantView(op.getIns()[number]))
    return 1;
  return 1 + double(lanes - 1) / double(2 * outerExtent);
}

/// The cycles in which a vector of a packed panel comes from the cache that
/// keeps the panel, or a slice of it, from one tile of rows to the next.
double ContractionCost::farCycles(RegisterTile tile) const {
  if (!isPacked || !loops.blocks.empty() ||
      tile.rows >= assumedExtent(loops.row))
    return 0;
  auto bytes = double(stepBytes * lanes),
       panel = double(sliceDepth * tile.vectors) * bytes;
  if (panel <= double(target.l1))
    return 0;
  return bytes / (panel <= target.panelShare * double(target.l2)
                      ? target.l2BytesPerCycle
                      : target.l3BytesPerCycle);
}

/// The cycles to load and store the sums again for each slice after the first.
double ContractionCost::continuedSumCycles() const {
  if (sliceDepth >= depth)
    return 0;
  double slices = std::ceil(double(depth) / double(sliceDepth));
  double vectors =
      double(assumedExtent(loops.row)) *
      std::ceil(double(assumedExtent(loops.column)) / double(lanes));
  return (slices - 1) * vectors * (1 + 1 / double(target.loadsPerCycle));
}

/// Steps whose sums do not fit 16 bits take several times as long.
double ContractionCost::longSumsFactor(RegisterTile tile) const {
  if (shortGroups == 0)
    return 1;
  double share = shareOfLongSums(kernel, loops, grouped, tile.vectors * lanes,
                                 shortGroups);
  return 1 + share * (longSumsTimes - 1);
}

double ContractionCost::cycles(RegisterTile tile) const {
  ColumnWork work = this->work;
  work.farCycles = farCycles(tile);
  double perTile = resultCycles(target, tile, rows, columns, lanes, work,
                                assumedExtent(loops.row)) *
                   double(depth);
  perTile *= longSumsFactor(tile);
  // Vectors of a dynamic number are counted as if there were many.
  if (ShapedType::isDynamic(columns))
    perTile *= double(assumedExtent(loops.column)) /
               double(guessedExtent * lanes) * emptyLanesFactor();
  if (loops.window)
    perTile *= windowFactor(tile);
  ComputeOp op = loops.op;
  if (!loops.storesInLine && !isIntermediate(op))
    perTile +=
        (Access(*op.getDpsInitOperand(0)).hasUnitStride(dimOf(op, loops.row))
             ? target.transposeCycles
             : target.scatterCycles) *
        double(assumedExtent(loops.row)) * double(assumedExtent(loops.column));
  return (perTile + continuedSumCycles() + rereadCycles(tile) + widenCycles()) *
         outerIterations([](StringRef) { return true; });
}

double ContractionCost::packingCycles() const {
  if (!packsInRun)
    return 0;
  double each = loops.hasColumnsInLine()
                    ? copyCycles(target, columnElementBytes())
                    : target.packCycles;
  // Outer loops that do not index the operand share its packed form.
  Access columns(*loops.columnOperand);
  return each * double(assumedExtent(loops.column)) * double(depth) *
         outerIterations([&](StringRef loop) {
           return columns.dependsOn(dimOf(loops.op, loop));
         });
}

double
ContractionCost::outerIterations(function_ref<bool(StringRef)> counts) const {
  double others = 1;
  for (ArrayRef<std::string> outer :
       {ArrayRef(loops.rows).drop_back(), ArrayRef(loops.columns).drop_back(),
        ArrayRef(loops.batch)})
    for (const std::string &loop : outer)
      if (counts(loop))
        others *= double(assumedExtent(loop));
  return others;
}

} // namespace onnxc
