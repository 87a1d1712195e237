//===- InnerProductRecipe.cpp - Products of rows with rows ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A product of few rows with a matrix whose columns lie in memory as rows, and
// which is no constant: to pack it takes longer than to read it. Lanes are
// along the sums, a few rows times a few columns of which stand side by side.
// What follows the sums has lanes along a line of them.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ContractionLoops.h"
#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Returns true if both operands are contiguous along the one loop that is
/// reduced.
static bool liesAlongSums(const Contraction &product) {
  if (product.reduced.size() != 1 || !isCombinable(product.op) ||
      isOrdered(product.op))
    return false;
  unsigned along = dimOf(product.op, product.reduced.front());
  return Access(*product.columnOperand).hasUnitStride(along) &&
         Access(*product.rowOperand).hasUnitStride(along);
}

/// Returns true if the op can have vectors along the columns.
static bool isInLine(ComputeOp op, StringRef column, const Processor &target) {
  LaneAnalysis payload(op, column);
  unsigned dim = dimOf(op, column);
  return payload.vectorBits() != 0 && payload.areGathersProfitable(target) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           Access access(operand);
           return !isAccessed(operand) || !access.dependsOn(dim) ||
                  access.hasUnitStride(dim);
         });
}

/// The lanes of all ops, those of the product along its sums; 0 if some op has
/// none, or not both the rows and the columns.
static int64_t lanesOf(KernelOp kernel, const Contraction &product,
                       const Processor &target) {
  unsigned bits =
      LaneAnalysis(product.op, product.reduced.front()).vectorBits();
  if (bits == 0)
    return 0;
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    if (!llvm::is_contained(op.getAxes(), product.row) ||
        !llvm::is_contained(op.getAxes(), product.column))
      return 0;
    if (op == product.op)
      continue;
    if (!isInLine(op, product.column, target))
      return 0;
    bits = std::max(bits, LaneAnalysis(op, product.column).vectorBits());
  }
  return target.lanes(bits);
}

static bool isPossible(KernelOp kernel, const Contraction &product,
                       const Processor &target) {
  int number = inputNumber(kernel, product.columnOperand->get());
  int64_t rows = extentOf(kernel, product.row, guessedExtent);
  if (!liesAlongSums(product))
    return false;
  int64_t depth = extentOf(kernel, product.reduced.front(), guessedExtent);
  bool isFew = isStatic(kernel, product.row) ? rows < fewRows(target, depth)
                                             : rows < guessedExtent;
  return product.columns.size() == 1 && product.storesInLine &&
         !product.window && !product.channelwise && product.blocks.empty() &&
         product.scaleOperands.empty() && number >= 0 &&
         !isConstantView(kernel.getIns()[number]) && rows > 1 && isFew;
}

static ArrayAttr writeRecipe(KernelOp kernel, const Contraction &product,
                             int64_t lanes, SumTile tile) {
  RecipeBuilder recipe(kernel.getContext());
  int64_t columns = extentOf(kernel, product.column, guessedExtent);
  int64_t line = lanes * std::min(columns / lanes, tile.columns);
  auto [columnBlocks, columnTile] =
      recipe.block(product.column, line, suffix::blocks, suffix::registers);
  auto [rowBlocks, rowTile] =
      recipe.block(product.row, tile.rows, suffix::blocks, suffix::registers);
  SmallVector<std::string> outer = product.batch;
  llvm::append_range(outer, ArrayRef(product.rows).drop_back());
  // All rows go by a line of columns, which stays in a cache.
  llvm::append_range(outer, ArrayRef{columnBlocks, rowBlocks});
  SmallVector<std::string> all = outer;
  llvm::append_range(all,
                     ArrayRef{rowTile, columnTile, product.reduced.front()});
  recipe.order(all);
  recipe.fuseOuter(outer);
  recipe.parallel(outer);
  for (auto [number, op] :
       llvm::enumerate(kernel.getBody().getOps<ComputeOp>())) {
    if (op != product.op) {
      recipe.vectorize(columnTile, lanes, number);
      recipe.unroll(columnTile, line / lanes, number);
      continue;
    }
    recipe.unroll(rowTile, tile.rows, number);
    recipe.unroll(columnTile, tile.columns, number);
    recipe.vectorize(product.reduced.front(), lanes, number);
  }
  return recipe.finish();
}

void addInnerProductRecipes(KernelOp kernel, const Processor &target,
                            const RecipeOptions &options,
                            RecipeCandidates &candidates) {
  if (options.keepOrder)
    return;
  for (const Contraction &product : findContractions(kernel)) {
    if (!isPossible(kernel, product, target))
      continue;
    int64_t lanes = lanesOf(kernel, product, target);
    if (lanes < 2 || extentOf(kernel, product.column, guessedExtent) < lanes)
      continue;
    SumTile tile = sumTile(target);
    tile.rows =
        std::min(extentOf(kernel, product.row, guessedExtent), tile.rows);
    addScored(kernel, target, options, "inner products",
              llvm::formatv("{0} rows, {1} columns, {2} lanes along {3}",
                            tile.rows, tile.columns, lanes,
                            product.reduced.front()),
              writeRecipe(kernel, product, lanes, tile), candidates);
  }
}

} // namespace onnxc
