//===- BlockRecipe.cpp - Recipes for blocks of threads ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Of a target whose tiles are shared by threads, a GPU: the loops that all ops
// have and none reduces are one. Of long rows that are summed up along memory,
// each of its iterations is that of a warp, or of a block. Of a contraction a
// block has a tile (BlockContraction.cpp). Else it is that of a thread, so that
// neighbours in memory are those of neighbouring threads; a thread has, as far
// as that is legal, the first of these:
//
// Tile:    of a kernel that reduces: rows and one vector of columns, which stay
//          in registers.
// Vector:  neighbours along memory as one access.
// Element: one.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

namespace {
class BlockWriter {
public:
  BlockWriter(KernelOp kernel, const Processor &target)
      : kernel(kernel), target(target),
        ops(llvm::to_vector(kernel.getBody().getOps<ComputeOp>())) {}

  void findLoops();
  /// The recipe by which several threads have a row; null where rows are short,
  /// do not lie along memory, or have elements in common.
  ArrayAttr writeRows();
  /// The recipe with so many rows and lanes of columns for each thread; null
  /// where the loops have no such.
  ArrayAttr write(int64_t rows, int64_t lanes);
  /// Lanes of vectors of the result.
  int64_t lanes() const;
  bool reduces() const { return !own.empty(); }

private:
  bool hasRows();

  KernelOp kernel;
  const Processor &target;
  SmallVector<ComputeOp> ops;
  /// Loops of threads, that along memory last; the others.
  SmallVector<std::string> common, own;
};
} // namespace

void BlockWriter::findLoops() {
  for (std::string &loop : loopNames(kernel)) {
    bool isCommon = llvm::all_of(ops, [&](ComputeOp op) {
      return llvm::is_contained(op.getAxes(), loop) &&
             !llvm::is_contained(reducedLoops(op), loop);
    });
    (isCommon ? common : own).push_back(std::move(loop));
  }
  if (ops.empty() || common.empty())
    return;
  ComputeOp last = ops.back();
  for (const std::string &along :
       loopsAlongMemory(last, *last.getDpsInitsMutable().begin())) {
    auto *found = llvm::find(common, along);
    if (found != common.end())
      std::rotate(found, found + 1, common.end());
  }
}

int64_t BlockWriter::lanes() const {
  Type element =
      getElementTypeOrSelf(ComputeOp(ops.back()).getDpsInits().front());
  return element.isIntOrFloat() ? target.lanes(element.getIntOrFloatBitWidth())
                                : 1;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Each sum has an operand with an element for each of its terms, and reads all
/// of its operands along memory. Two elements for each thread of a warp at
/// least.
bool BlockWriter::hasRows() {
  if (own.empty() ||
      extentOfAll(kernel, own, guessedRow) < 2 * target.warpThreads)
    return false;
  return llvm::all_of(ops, [&](ComputeOp op) {
    SmallVector<std::string> sums = reducedLoops(op);
    if (sums.empty())
      return true;
    bool hasTerms = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isa<ShapedType>(input->get().getType()))
        continue;
      SmallVector<std::string> loops = accessLoops(op, *input);
      SmallVector<std::string> along = loopsAlongMemory(op, *input);
      if (llvm::is_contained(loops, own.back()) &&
          (along.empty() || along.back() != own.back()))
        return false;
      hasTerms |= llvm::all_of(op.getAxes(), [&](StringRef axis) {
        return llvm::is_contained(loops, axis) ||
               extentOf(kernel, axis, 2) == 1;
      });
    }
    return hasTerms;
  });
}

ArrayAttr BlockWriter::writeRows() {
  if (!hasRows())
    return {};
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> row = own, order = common;
  int64_t vectors = extentOfAll(kernel, own, guessedRow), width = lanes();
  std::string vector;
  if (width > 1 && isStatic(kernel, own.back()) &&
      extentOf(kernel, own.back(), 0) % width == 0) {
    std::tie(row.back(), vector) = recipe.block(own.back(), width, "b", "r");
    vectors /= width;
  }
  llvm::append_range(order, row);
  if (!vector.empty())
    order.push_back(vector);
  recipe.order(order);
  int64_t rows = extentOfAll(kernel, common, target.busyThreads);
  bool hasManyRows = rows >= manyRows;
  int64_t threads = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(vectors) / (hasManyRows ? vectorsOfThread : 1)),
      target.warpThreads, target.tileThreads);
  auto [steps, thread] = recipe.block(recipe.fuseAll(row, "row"), threads);
  if (!common.empty()) {
    std::string flat = recipe.fuseAll(common, "flat");
    if (threads == target.warpThreads && hasManyRows) {
      auto [tiles, warp] = recipe.block(flat, rowsOfBlock, "o", "w");
      recipe.fuseOuter({tiles, warp});
      recipe.parallel({tiles});
      recipe.map(warp);
    } else {
      recipe.fuseOuter({flat});
      recipe.parallel({flat});
    }
  }
  recipe.map(thread);
  if (!vector.empty())
    recipe.vectorize(vector, width);
  return recipe.finish();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

ArrayAttr BlockWriter::write(int64_t rows, int64_t lanes) {
  if (common.empty())
    return {};
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> outer = common, inner;
  int64_t iterations = extentOfAll(kernel, common, target.busyThreads);
  auto cut = [&](unsigned position, int64_t size) {
    if (size == 1)
      return true;
    std::string &loop = outer[position];
    int64_t extent = extentOf(kernel, loop, 0);
    // The rest of vectors would be done under masks, each lane by a branch.
    if (extent % size != 0 || extent == 0)
      return false;
    auto [blocks, inside] = recipe.block(loop, size, "b", "r");
    loop = blocks;
    inner.push_back(inside);
    iterations /= size;
    return true;
  };
  if ((rows > 1 && (common.size() < 2 || !cut(common.size() - 2, rows))) ||
      !cut(common.size() - 1, lanes))
    return {};
  SmallVector<std::string> order = outer;
  llvm::append_range(order, own);
  llvm::append_range(order, inner);
  recipe.order(order);
  std::string flat = recipe.fuseAll(outer, "flat");
  int64_t threads = iterations >= target.busyThreads ? target.blockThreads
                                                     : target.smallBlockThreads;
  auto [tiles, thread] =
      recipe.block(flat, std::min(threads, target.tileThreads), "o", "t");
  recipe.fuseOuter({tiles, thread});
  recipe.parallel({tiles});
  recipe.map(thread);
  if (rows > 1)
    recipe.registerTile(inner.front(), inner.back(), lanes);
  else if (lanes > 1)
    recipe.vectorize(inner.back(), lanes);
  return recipe.finish();
}

void addBlockRecipes(KernelOp kernel, const Processor &target,
                     const RecipeOptions &options,
                     RecipeCandidates &candidates) {
  BlockWriter writer(kernel, target);
  writer.findLoops();
  if (ArrayAttr recipe = writer.writeRows();
      recipe && isLegalRecipe(kernel, recipe, options))
    return addScored(kernel, target, options, "blocks", "row", recipe,
                     candidates);
  addBlockContractions(kernel, target, options, candidates);
  if (!candidates.empty())
    return;
  int64_t lanes = writer.lanes();
  struct Shape {
    StringRef name;
    int64_t rows, lanes;
  };
  for (Shape shape : {Shape{"tile", tileRows, lanes}, Shape{"vector", 1, lanes},
                      Shape{"element", 1, 1}}) {
    if ((shape.rows > 1 && !writer.reduces()) ||
        (shape.lanes == 1 && shape.rows > 1))
      continue;
    ArrayAttr recipe = writer.write(shape.rows, shape.lanes);
    if (recipe && isLegalRecipe(kernel, recipe, options)) {
      addScored(kernel, target, options, "blocks", shape.name.str(), recipe,
                candidates);
      return;
    }
  }
}

} // namespace onnxc
