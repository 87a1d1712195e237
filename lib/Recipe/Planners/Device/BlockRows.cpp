//===- BlockRows.cpp - Rows and columns of blocks of threads ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The threads of a block, or some of them, share a row that is summed up along
// memory, and what other ops have of rows of other lengths; or the terms of a
// few columns.
//
//===----------------------------------------------------------------------===//

#include "Planners/Device/BlockWriter.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Loops that an op has both of are of the same row.
void BlockWriter::findRow() {
  llvm::EquivalenceClasses<StringRef> rows;
  for (ComputeOp op : ops) {
    StringRef first;
    for (const std::string &loop : own)
      if (llvm::is_contained(op.getAxes(), loop)) {
        first = first.empty() ? StringRef(loop) : first;
        rows.unionSets(first, loop);
      }
  }
  llvm::MapVector<StringRef, Loops> byLeader;
  for (const std::string &loop : own)
    byLeader[rows.getOrInsertLeaderValue(loop)].push_back(loop);
  for (auto &[leader, loops] : byLeader)
    if (llvm::is_contained(loops, own.back()))
      row = std::move(loops);
    else
      otherRows.push_back(std::move(loops));
}

/// Returns true if the operand lacks an element of its own for each iteration
/// of the loop.
static bool isMissing(ComputeOp op, OpOperand &operand, StringRef loop) {
  return !llvm::is_contained(accessLoops(op, operand), loop) &&
         extentOf(op->getParentOfType<KernelOp>(), loop, 2) > 1;
}

/// The last loops of the first sum, where an operand has all others: one of its
/// elements holds so many numbers. None if they leave less than a row, or an
/// operand has all terms one by one.
void BlockWriter::findParts() {
  const auto *found = llvm::find_if(
      ops, [](ComputeOp op) { return op.getNumReductionLoops() > 0; });
  if (found == ops.end())
    return;
  ComputeOp sum = *found;
  auto numMissing = [&](OpOperand *input) {
    return llvm::count_if(sum.getAxes(), [&](StringRef axis) {
      return isMissing(sum, *input, axis);
    });
  };
  SmallVector<OpOperand *> inputs = readInputs(sum);
  if (!llvm::all_of(inputs, numMissing))
    return;
  SmallVector<std::string> reduced = reducedLoops(sum);
  for (OpOperand *input : inputs) {
    SmallVector<std::string> kept(own);
    while (!kept.empty() && isMissing(sum, *input, kept.back()) &&
           llvm::is_contained(reduced, kept.back()) &&
           isStatic(kernel, kept.back()))
      kept.pop_back();
    ArrayRef<std::string> rest = ArrayRef(own).drop_front(kept.size());
    if (rest.empty() || numMissing(input) > int64_t(rest.size()) ||
        extentOfAll(kernel, rest, 1) > maxParts ||
        extentOfAll(kernel, kept, guessedRow) < target.warpThreads)
      continue;
    parts.assign(rest.begin(), rest.end());
    own = std::move(kept);
    return;
  }
}

/// Returns true if an operand of a sum has an element for each of its terms, or
/// for all parts of one.
bool BlockWriter::hasTerms(ComputeOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return hasElementEach(op, *input, parts);
  });
}

/// Each sum has its terms in memory, and reads all of its operands along it;
/// those along rows of other lengths may be the same in all rows. An element
/// for each thread of a warp at least.
bool BlockWriter::hasRows() {
  if (own.empty() || elementsOfRow() < target.warpThreads)
    return false;
  Loops last = parts;
  for (const Loops &loops : otherRows)
    last.push_back(loops.back());
  last.insert(last.begin(), own.back());
  return llvm::all_of(ops, [&](ComputeOp op) {
    SmallVector<std::string> sums = reducedLoops(op);
    if (sums.empty())
      return true;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isa<ShapedType>(input->get().getType()))
        continue;
      Access access(*input);
      unsigned rank = access.rankAlongMemory();
      for (const std::string &loop : llvm::reverse(last))
        if (unsigned dim = dimOf(op, loop);
            access.dependsOn(dim) &&
            (rank == 0 || access.stepAt(--rank, dim) != 1))
          return false;
    }
    return !llvm::is_contained(sums, row.back()) || hasTerms(op);
  });
}

/// Each sum has its terms in memory, of which adjacent elements are those of
/// the adjacent columns.
bool BlockWriter::hasColumns() {
  if (own.empty() || hasParts() || common.empty() ||
      elementsOfRow() < target.warpThreads)
    return false;
  return llvm::all_of(ops, [&](ComputeOp op) {
    if (op.getNumReductionLoops() == 0)
      return true;
    return hasTerms(op) && llvm::all_of(readInputs(op), [&](OpOperand *input) {
             SmallVector<std::string> along = loopsAlongMemory(op, *input);
             return !llvm::is_contained(accessLoops(op, *input),
                                        common.back()) ||
                    (!along.empty() && along.back() == common.back());
           });
  });
}

/// Lanes along a row: vectors of the result, or of what holds the parts.
int64_t BlockWriter::rowLanes(StringRef loop) const {
  if (!hasParts())
    return lanes();
  int64_t maxLanes = 1;
  for (ComputeOp op : ops)
    for (OpOperand *input : readInputs(op)) {
      SmallVector<std::string> loops = accessLoops(op, *input);
      Type element = getElementTypeOrSelf(input->get().getType());
      if (llvm::is_contained(loops, loop) &&
          !llvm::is_contained(loops, parts.back()) && element.isIntOrFloat())
        maxLanes =
            std::max(maxLanes, target.lanes(element.getIntOrFloatBitWidth()));
    }
  return isStatic(kernel, loop) ? std::gcd(maxLanes, extentOf(kernel, loop, 0))
                                : 1;
}

/// Lanes of the vectors that a row of some threads, a warp at most, is cut
/// into; 1 where it has none. Vectors for less than half of these leave most of
/// them idle.
int64_t BlockWriter::vectorLanes(int64_t threads) const {
  int64_t width = hasRangesAlong(kernel, own.back()) ? 1 : rowLanes(own.back());
  return isStatic(kernel, own.back()) &&
                 extentOf(kernel, own.back(), 0) % width == 0 &&
                 2 * elementsOfRow() / width >=
                     std::min(threads, int64_t(target.warpThreads))
             ? width
             : 1;
}

/// How many rows a block has, each of so many threads; 0 where some threads of
/// a warp would have no row.
int64_t BlockWriter::rowsOfTile(int64_t threads) const {
  int64_t rows =
      threads < target.warpThreads ? target.warpThreads / threads : 1;
  if (rows > 1 && (!areStatic(common) || extentOfAll(kernel, common, 1) % rows))
    return 0;
  bool hasMany =
      threads <= target.warpThreads &&
      extentOfAll(kernel, common, target.busyThreads) >= manyRows * rows;
  if (hasMany &&
      (rows == 1 || extentOfAll(kernel, common, 1) % (rows * rowsOfBlock) == 0))
    rows *= rowsOfBlock;
  return rows;
}

SmallVector<int64_t> BlockWriter::threadsOfRow() {
  if (!hasRows())
    return {};
  uint64_t vectors = elementsOfRow() / vectorLanes(target.warpThreads);
  int64_t rows = extentOfAll(kernel, common, target.busyThreads),
          maxThreads =
              std::min<int64_t>(llvm::bit_floor(vectors), target.tileThreads);
  SmallVector<int64_t> all{std::clamp<int64_t>(
      llvm::bit_floor(vectors / (rows >= manyRows ? vectorsOfThread : 1)),
      target.warpThreads, target.tileThreads)};
  for (int64_t threads = maxThreads; threads >= minRowThreads; threads /= 2)
    if (threads != all.front() && rowsOfTile(threads) > 0)
      all.push_back(threads);
  return all;
}

/// A thread keeps what it has of a row of so many vectors in registers.
void BlockWriter::keepRow(RecipeBuilder &recipe, StringRef steps,
                          int64_t threads, int64_t vectors) {
  if (vectors > threads && mayKeep(threads, vectors))
    recipe.unroll(steps, vectors / threads);
}

/// How many loops of the row, of which one is dynamic, are around those
/// that a thread keeps in registers: none or the first.
size_t BlockWriter::numTurns(int64_t threads, int64_t width) const {
  ArrayRef<std::string> inner = ArrayRef(row).drop_front();
  int64_t vectors = extentOfAll(kernel, inner, 0) / width;
  return !inner.empty() && !isStatic(kernel, row.front()) && areStatic(inner) &&
         vectors >= threads && mayKeep(threads, vectors);
}

/// The rows of a tile, each of so many threads, are those of a block.
void BlockWriter::mapTiles(RecipeBuilder &recipe, int64_t threads) {
  if (common.empty())
    return;
  std::string flat = recipe.fuseAll(common, fused::flat);
  int64_t rows = rowsOfTile(threads);
  if (rows <= 1) {
    recipe.fuseOuter({flat});
    recipe.parallel({flat});
    return;
  }
  auto [tiles, inTile] =
      recipe.block(flat, rows, suffix::blocks, suffix::inBlock);
  recipe.fuseOuter({tiles, inTile});
  recipe.parallel({tiles});
  recipe.map(inTile);
}

ArrayAttr BlockWriter::writeRows(int64_t threads) {
  RecipeBuilder recipe(kernel.getContext());
  Loops blocks = row, order = common;
  int64_t width = vectorLanes(threads);
  size_t turns = numTurns(threads, width);
  std::string vector;
  if (width > 1)
    std::tie(blocks.back(), vector) =
        recipe.block(row.back(), width, suffix::vectors, suffix::registers);
  for (const Loops &loops : otherRows)
    llvm::append_range(order, loops);
  llvm::append_range(order, blocks);
  llvm::append_range(order, parts);
  if (!vector.empty())
    order.push_back(vector);
  recipe.order(order);
  ArrayRef<std::string> known = ArrayRef(row).drop_front(turns);
  auto [steps, thread] = recipe.block(
      recipe.fuseAll(ArrayRef(blocks).drop_front(turns), fused::row), threads);
  SmallVector<std::pair<std::string, std::string>> others;
  for (const Loops &loops : otherRows)
    others.push_back(
        recipe.block(recipe.fuseAll(loops, loops.front()), threads));
  mapTiles(recipe, threads);
  recipe.map(thread);
  for (const auto &[otherSteps, other] : others)
    recipe.map(other, thread);
  if (areStatic(known))
    keepRow(recipe, steps, threads, extentOfAll(kernel, known, 0) / width);
  for (auto [loops, other] : llvm::zip_equal(otherRows, others))
    if (areStatic(loops))
      keepRow(recipe, other.first, threads, extentOfAll(kernel, loops, 0));
  for (const std::string &part : parts)
    recipe.unroll(part, extentOf(kernel, part, 1));
  if (!vector.empty())
    recipe.vectorize(vector, width);
  return recipe.finish();
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// A block reads whole lines, with several terms of a thread on the way.
ArrayAttr BlockWriter::writeColumns(int64_t threads) {
  if (!hasColumns() || elementsOfRow() < threads)
    return {};
  int64_t width = lanes(), vectors = target.lineBytes / target.vectorBytes,
          columns = vectors * width;
  if (width == 1 || !isStatic(kernel, common.back()) ||
      extentOf(kernel, common.back(), 0) % columns != 0)
    return {};
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> outer = common;
  std::string column;
  std::tie(outer.back(), column) =
      recipe.block(common.back(), columns, suffix::vectors, suffix::registers);
  SmallVector<std::string> order = outer;
  order.push_back(column);
  llvm::append_range(order, own);
  recipe.order(order);
  auto [steps, thread] = recipe.block(recipe.fuseAll(own, fused::row), threads);
  std::string flat = recipe.fuseAll(outer, fused::flat);
  recipe.fuseOuter({flat});
  recipe.parallel({flat});
  recipe.map(thread);
  recipe.vectorize(column, width);
  recipe.unroll(column, vectors);
  int64_t rows = elementsOfRow();
  if (rows % threads == 0 && areStatic(own))
    recipe.unroll(steps,
                  largestDivisor(rows / threads, maxVectorsOfThread / vectors));
  return recipe.finish();
}

} // namespace onnxc
