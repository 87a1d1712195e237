//===- BlockTransposes.cpp - Transposed tensors of blocks ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An elementwise kernel whose operand is contiguous along another loop than its
// result reads or writes across memory. Here a block of threads has a square of
// both loops: it copies that of the operand to its memory along one, and each
// thread stores vectors along the other.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
/// The loop along memory of the result, that of the operands that are
/// contiguous along another one, and the numbers of these.
struct Transposition {
  std::string column, row;
  SmallVector<unsigned> inputs;
};
} // namespace

/// The loop by which a step leads to the next element in memory.
static std::string contiguousLoop(ComputeOp op, OpOperand &operand) {
  Access access(operand);
  for (auto [dim, axis] : llvm::enumerate(op.getAxes()))
    if (access.hasUnitStride(dim))
      return axis.str();
  return {};
}

/// Finds the transposition of a kernel; nothing where ops have loops of their
/// own, or pass other elements than those of the thread to each other.
static std::optional<Transposition> findTransposition(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().getOps<ComputeOp>());
  if (ops.empty() || llvm::any_of(ops, [&](ComputeOp op) {
        return op.getNumReductionLoops() > 0 ||
               op.getNumLoops() != kernel.getLoops().size();
      }))
    return std::nullopt;
  Transposition found;
  ComputeOp last = ops.back();
  found.column = contiguousLoop(last, *last.getDpsInitsMutable().begin());
  if (found.column.empty())
    return std::nullopt;
  for (ComputeOp op : ops)
    for (OpOperand *input : readInputs(op)) {
      int number = inputNumber(kernel, input->get());
      std::string row = contiguousLoop(op, *input);
      if (number < 0 || row.empty() || row == found.column ||
          !Access(*input).dependsOn(dimOf(op, found.column)))
        continue;
      if (!found.row.empty() && found.row != row)
        return std::nullopt;
      found.row = row;
      if (!llvm::is_contained(found.inputs, unsigned(number)))
        found.inputs.push_back(number);
    }
  return found.inputs.empty() ? std::nullopt : std::optional(found);
}

/// `rows` by `columns` vectors of a square, one for each thread, and so many
/// squares one after the other; null where the extents are no multiples.
static ArrayAttr writeRecipe(KernelOp kernel, const Transposition &found,
                             int64_t lanes, const SquareTile &tile) {
  int64_t width = tile.columns * lanes;
  if (extentOf(kernel, found.row, 0) % tile.rows != 0 ||
      extentOf(kernel, found.column, 0) % (width * tile.squares) != 0 ||
      !isStatic(kernel, found.row) || !isStatic(kernel, found.column))
    return {};
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> tiles;
  for (const std::string &loop : loopNames(kernel))
    if (loop != found.row && loop != found.column)
      tiles.push_back(loop);
  auto [rowTiles, row] =
      recipe.block(found.row, tile.rows, suffix::blocks, suffix::threads);
  auto [columnTiles, line] = recipe.block(found.column, width * tile.squares,
                                          suffix::blocks, suffix::line);
  auto [squares, columns] =
      recipe.block(line, width, suffix::squares, suffix::inSquare);
  auto [column, vector] =
      recipe.block(columns, lanes, suffix::threads, suffix::registers);
  llvm::append_values(tiles, rowTiles, columnTiles);
  SmallVector<std::string> outer(tiles), order;
  llvm::append_values(outer, row, column);
  order = outer;
  llvm::append_values(order, squares, vector);
  recipe.order(order);
  recipe.fuseOuter(outer);
  recipe.parallel(tiles);
  recipe.map(row);
  recipe.map(column);
  for (unsigned input : found.inputs)
    recipe.cacheShared(input, squares);
  recipe.vectorize(vector, lanes);
  return recipe.finish();
}

void addBlockTransposes(KernelOp kernel, const Processor &target,
                        const RecipeOptions &options,
                        RecipeCandidates &candidates) {
  std::optional<Transposition> found = findTransposition(kernel);
  if (!found)
    return;
  Type element = getElementTypeOrSelf(kernel.getOuts().front());
  int64_t lanes = element.isIntOrFloat()
                      ? target.lanes(element.getIntOrFloatBitWidth())
                      : 1;
  if (lanes == 1)
    return;
  for (const SquareTile &tile : squareTiles)
    if (ArrayAttr recipe = writeRecipe(kernel, *found, lanes, tile))
      addScored(kernel, target, options, "blocks",
                llvm::formatv("squares of {0} x {1}, {2} of a block", tile.rows,
                              tile.columns * lanes, tile.squares),
                recipe, candidates);
}

} // namespace onnxc
