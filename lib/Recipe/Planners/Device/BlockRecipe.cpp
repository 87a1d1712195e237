//===- BlockRecipe.cpp - Recipes for blocks of threads ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Of a target whose tiles are shared by threads, a GPU: the loops that all ops
// have and none reduces are one. Of long rows that are summed up along memory,
// each of its iterations is that of a warp, or of a block; of a few columns
// that are summed up across memory a block has those of a line. Of a
// contraction a block has a tile (BlockContraction.cpp). Else it is that of a
// thread, so that adjacent elements in memory are those of adjacent threads; a
// thread has, as far as that is legal, the first of these:
//
// Tile:    of a kernel that reduces: rows and one vector of columns, which stay
//          in registers.
// Vector:  adjacent elements along memory as one access.
// Element: one.
//
// Of sums all three are compared, with several terms of each at once: what they
// read is independent of each other, so that a thread waits for all of them
// together.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Planners/Device/BlockWriter.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

void BlockWriter::findLoops() {
  for (std::string &loop : loopNames(kernel)) {
    bool isCommon = llvm::all_of(ops, [&](ComputeOp op) {
      return llvm::is_contained(op.getAxes(), loop) &&
             !llvm::is_contained(reducedLoops(op), loop);
    });
    (isCommon ? common : own).push_back(std::move(loop));
  }
  if (!ops.empty() && !common.empty()) {
    orderCommon();
    findParts();
  }
  findRow();
}

/// The loop of threads along memory is the last one.
void BlockWriter::orderCommon() {
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
// Elements
//===----------------------------------------------------------------------===//

/// Returns true if the loop is unrolled beside vectors along the loop before
/// it.
bool BlockWriter::isShort(StringRef loop) const {
  int64_t extent = isStatic(kernel, loop) ? extentOf(kernel, loop, 0) : 0;
  return extent > 1 && extent <= target.shuffledStep && lanes() % extent == 0;
}

SmallVector<int64_t> BlockWriter::terms() const {
  SmallVector<int64_t> terms{1};
  if (own.empty() || llvm::any_of(ops, [&](ComputeOp op) {
        return llvm::is_contained(op.getAxes(), own.back()) &&
               !llvm::is_contained(reducedLoops(op), own.back());
      }))
    return terms;
  int64_t extent = extentOf(kernel, own.back(), 0);
  bool isKnown = isStatic(kernel, own.back());
  for (int64_t maxTerms : termsAtOnce)
    if (int64_t part = isKnown ? largestDivisor(extent, maxTerms) : maxTerms;
        part > terms.back())
      terms.push_back(part);
  return terms;
}

/// Cuts blocks of `size` iterations off the loop, which becomes that of the
/// blocks, and returns the one inside; nothing where some would not be whole.
static std::optional<std::string> cutVectors(RecipeBuilder &recipe,
                                             KernelOp kernel, std::string &loop,
                                             int64_t size) {
  // The rest of vectors would be done under masks, each lane by a branch.
  int64_t extent = extentOf(kernel, loop, 0);
  if (extent % size != 0 || extent == 0)
    return std::nullopt;
  auto [blocks, inside] =
      recipe.block(loop, size, suffix::vectors, suffix::registers);
  loop = blocks;
  return inside;
}

/// Of the outer loops, those that a thread has `rows` and `lanes` of become
/// loops of blocks. Returns the loops inside of these; nothing where it can not
/// have so many.
std::optional<BlockWriter::Loops> BlockWriter::cutTile(RecipeBuilder &recipe,
                                                       Loops &outer,
                                                       int64_t rows,
                                                       int64_t lanes) {
  // Elements that lanes gather are far apart for adjacent threads.
  auto gathers = [&](ComputeOp op) {
    return LaneAnalysis(op, outer.back()).hasGathers();
  };
  if (outer.size() < size_t(rows > 1 ? 2 : 1) ||
      (lanes > 1 && llvm::any_of(ops, gathers)))
    return std::nullopt;
  Loops inner;
  for (auto [position, size] : {std::pair(2, rows), {1, lanes}}) {
    if (size == 1)
      continue;
    auto inside =
        cutVectors(recipe, kernel, outer[outer.size() - position], size);
    if (!inside)
      return std::nullopt;
    inner.push_back(*inside);
  }
  return inner;
}

ArrayAttr BlockWriter::write(int64_t rows, int64_t lanes, int64_t terms) {
  RecipeBuilder recipe(kernel.getContext());
  Loops outer = common;
  std::string copies;
  if (rows == 1 && lanes > 1 && !reduces() && outer.size() > 1 &&
      isShort(outer.back()))
    copies = outer.pop_back_val();
  int64_t iterations =
      extentOfAll(kernel, outer, target.busyThreads) / (rows * lanes);
  std::optional<Loops> inner = cutTile(recipe, outer, rows, lanes);
  if (!inner)
    return {};
  Loops order = outer;
  llvm::append_range(order, own);
  llvm::append_range(order, parts);
  if (!copies.empty())
    order.push_back(copies);
  llvm::append_range(order, *inner);
  recipe.order(order);
  std::string flat = recipe.fuseAll(outer, fused::flat);
  int64_t threads = iterations >= target.busyThreads ? target.blockThreads
                                                     : target.smallBlockThreads;
  auto [tiles, thread] =
      recipe.block(flat, std::min(threads, target.tileThreads), suffix::blocks,
                   suffix::threads);
  recipe.fuseOuter({tiles, thread});
  recipe.parallel({tiles});
  recipe.map(thread);
  if (rows > 1)
    recipe.registerTile(inner->front(), inner->back(), lanes);
  else if (lanes > 1)
    recipe.vectorize(inner->back(), lanes);
  if (terms > 1)
    recipe.unroll(own.back(), terms);
  if (!copies.empty())
    recipe.unroll(copies, extentOf(kernel, copies, 1));
  return recipe.finish();
}

/// Where adjacent threads have adjacent columns, they read whole rows:
/// that is better if there are enough of them.
static void addColumns(KernelOp kernel, const Processor &target,
                       const RecipeOptions &options, BlockWriter &writer,
                       RecipeCandidates &candidates) {
  for (int64_t threads = target.tileThreads; threads >= target.warpThreads;
       threads /= 2)
    if (ArrayAttr recipe = writer.writeColumns(threads))
      addScored(kernel, target, options, "blocks",
                llvm::formatv("columns by {0} threads", threads), recipe,
                candidates);
}

void addBlockRecipes(KernelOp kernel, const Processor &target,
                     const RecipeOptions &options,
                     RecipeCandidates &candidates) {
  addBlockAttention(kernel, target, options, candidates);
  if (!candidates.empty())
    return;
  BlockWriter writer(kernel, target);
  writer.findLoops();
  for (int64_t threads : writer.threadsOfRow())
    addScored(kernel, target, options, "blocks",
              llvm::formatv("row by {0} threads", threads),
              writer.writeRows(threads), candidates);
  // Short rows may be better off with a thread each.
  bool hasRow = !candidates.empty(),
       isShortRow = hasRow && writer.elementsOfRow() < 2 * target.warpThreads;
  if (hasRow && !writer.hasParts() && !isShortRow)
    return;
  SmallVector<RecipeCandidate, 0> tiles;
  if (!hasRow || writer.hasParts())
    addBlockContractions(kernel, target, options, tiles);
  llvm::append_range(candidates, tiles);
  if (!tiles.empty())
    return;
  addBlockTransposes(kernel, target, options, candidates);
  size_t numOthers = candidates.size();
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
    for (int64_t terms : writer.terms())
      if (ArrayAttr recipe = writer.write(shape.rows, shape.lanes, terms))
        addScored(kernel, target, options, "blocks",
                  llvm::formatv("{0}, {1} terms at once", shape.name, terms),
                  recipe, candidates);
    if (candidates.size() > numOthers && !writer.isCompared())
      return;
  }
  addColumns(kernel, target, options, writer, candidates);
}

} // namespace onnxc
