//===- BlockRecipe.cpp - Recipes for blocks of threads ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Of a target whose tiles are shared by threads, a GPU: the loops that all ops
// have and none reduces are one. Of long rows that are summed up along memory,
// each of its iterations is that of a warp, or of a block; of a few columns
// that are summed up across memory a block has those of a line. Of a
// contraction a block has a tile (BlockContraction.cpp). Else it is that of a
// thread, so that neighbours in memory are those of neighbouring threads; a
// thread has, as far as that is legal, the first of these:
//
// Tile:    of a kernel that reduces: rows and one vector of columns, which stay
//          in registers.
// Vector:  neighbours along memory as one access.
// Element: one.
//
// Of sums all three are compared, with several terms of each at once: what they
// read is independent of each other, so that a thread waits for all of them
// together.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

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
  /// The recipe by which so many threads have a row; null where rows are short,
  /// do not lie along memory, or have elements in common.
  ArrayAttr writeRows(int64_t threads);
  /// Threads that may have a row, those first that do usually.
  SmallVector<int64_t> threadsOfRow();
  /// The same of sums across memory: so many threads have the terms of the
  /// columns that are neighbours in a line of the caches.
  ArrayAttr writeColumns(int64_t threads);
  /// The recipe with so many rows and lanes of columns for each thread, and
  /// terms of a sum at once; null where the loops have no such.
  ArrayAttr write(int64_t rows, int64_t lanes, int64_t terms);
  /// Lanes of vectors of the result.
  int64_t lanes() const;
  bool reduces() const { return !own.empty() || hasParts(); }
  /// Is none of the recipes known to be the best?
  bool isCompared() const {
    return reduces() || (!common.empty() && isShort(common.back()));
  }
  /// Terms of a sum that a thread may read at once.
  SmallVector<int64_t> terms() const;

  /// Does one element of an operand stand for several terms of a row? Tiles
  /// have it in common for several rows.
  bool hasParts() const { return !parts.empty(); }
  int64_t elementsOfRow() const { return extentOfAll(kernel, own, guessedRow); }

private:
  void findParts();
  bool hasRows();
  bool hasColumns();
  bool hasTerms(ComputeOp op);
  int64_t rowLanes(StringRef loop) const;
  int64_t vectorLanes(int64_t threads) const;
  int64_t rowsOfTile(int64_t threads) const;
  /// Are all extents known?
  bool areStatic(ArrayRef<std::string> loops) const {
    return llvm::all_of(
        loops, [&](const std::string &loop) { return isStatic(kernel, loop); });
  }
  bool isShort(StringRef loop) const;

  KernelOp kernel;
  const Processor &target;
  SmallVector<ComputeOp> ops;
  /// Loops of threads, that along memory last; the others; and of these the
  /// last ones, which are parts of an element that holds several numbers.
  SmallVector<std::string> common, own, parts;
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
  findParts();
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

/// Has the operand less than an element for each iteration of the loop?
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
    SmallVector<std::string> most(own);
    while (!most.empty() && isMissing(sum, *input, most.back()) &&
           llvm::is_contained(reduced, most.back()) &&
           isStatic(kernel, most.back()))
      most.pop_back();
    ArrayRef<std::string> rest = ArrayRef(own).drop_front(most.size());
    if (rest.empty() || numMissing(input) > int64_t(rest.size()) ||
        extentOfAll(kernel, rest, 1) > maxParts ||
        extentOfAll(kernel, most, guessedRow) < target.warpThreads)
      continue;
    parts.assign(rest.begin(), rest.end());
    own = std::move(most);
    return;
  }
}

/// Has an operand of a sum an element for each of its terms, or for all parts
/// of one?
bool BlockWriter::hasTerms(ComputeOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return hasElementEach(op, *input, parts);
  });
}

/// Each sum has its terms in memory, and reads all of its operands along it. An
/// element for each thread of a warp at least.
bool BlockWriter::hasRows() {
  if (own.empty() || elementsOfRow() < target.warpThreads)
    return false;
  SmallVector<std::string> last{own.back()};
  llvm::append_range(last, parts);
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
    return hasTerms(op);
  });
}

/// Each sum has its terms in memory, of which neighbours are those of the
/// neighbouring columns.
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
  int64_t most = 1;
  for (ComputeOp op : ops)
    for (OpOperand *input : readInputs(op)) {
      SmallVector<std::string> loops = accessLoops(op, *input);
      Type element = getElementTypeOrSelf(input->get().getType());
      if (llvm::is_contained(loops, loop) &&
          !llvm::is_contained(loops, parts.back()) && element.isIntOrFloat())
        most = std::max(most, target.lanes(element.getIntOrFloatBitWidth()));
    }
  return isStatic(kernel, loop) ? std::gcd(most, extentOf(kernel, loop, 0)) : 1;
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
          most =
              std::min<int64_t>(llvm::bit_floor(vectors), target.tileThreads);
  SmallVector<int64_t> all{std::clamp<int64_t>(
      llvm::bit_floor(vectors / (rows >= manyRows ? vectorsOfThread : 1)),
      target.warpThreads, target.tileThreads)};
  for (int64_t threads = most; threads >= minRowThreads; threads /= 2)
    if (threads != all.front() && rowsOfTile(threads) > 0)
      all.push_back(threads);
  return all;
}

ArrayAttr BlockWriter::writeRows(int64_t threads) {
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> row = own, order = common;
  int64_t width = vectorLanes(threads), vectors = elementsOfRow() / width;
  std::string vector;
  if (width > 1)
    std::tie(row.back(), vector) = recipe.block(own.back(), width, "b", "r");
  llvm::append_range(order, row);
  llvm::append_range(order, parts);
  if (!vector.empty())
    order.push_back(vector);
  recipe.order(order);
  auto [steps, thread] = recipe.block(recipe.fuseAll(row, "row"), threads);
  if (!common.empty()) {
    std::string flat = recipe.fuseAll(common, "flat");
    if (int64_t rows = rowsOfTile(threads); rows > 1) {
      auto [tiles, inTile] = recipe.block(flat, rows, "o", "w");
      recipe.fuseOuter({tiles, inTile});
      recipe.parallel({tiles});
      recipe.map(inTile);
    } else {
      recipe.fuseOuter({flat});
      recipe.parallel({flat});
    }
  }
  recipe.map(thread);
  // A thread keeps what it has of a row in registers.
  if (!hasParts() && vectors > threads && vectors % threads == 0 &&
      vectors / threads <= maxVectorsOfThread && areStatic(own))
    recipe.unroll(steps, vectors / threads);
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
      recipe.block(common.back(), columns, "b", "r");
  SmallVector<std::string> order = outer;
  order.push_back(column);
  llvm::append_range(order, own);
  recipe.order(order);
  auto [steps, thread] = recipe.block(recipe.fuseAll(own, "row"), threads);
  std::string flat = recipe.fuseAll(outer, "flat");
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

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Is the loop written out beside vectors along the loop before it?
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
  for (int64_t most : termsAtOnce)
    if (int64_t part = isKnown ? largestDivisor(extent, most) : most;
        part > terms.back())
      terms.push_back(part);
  return terms;
}

ArrayAttr BlockWriter::write(int64_t rows, int64_t lanes, int64_t terms) {
  RecipeBuilder recipe(kernel.getContext());
  SmallVector<std::string> outer = common, inner;
  std::string copies;
  if (rows == 1 && lanes > 1 && !reduces() && outer.size() > 1 &&
      isShort(outer.back()))
    copies = outer.pop_back_val();
  // Elements that lanes gather are far apart for neighbouring threads.
  if (outer.empty() || (lanes > 1 && llvm::any_of(ops, [&](ComputeOp op) {
                          return LaneAnalysis(op, outer.back()).hasGathers();
                        })))
    return {};
  int64_t iterations = extentOfAll(kernel, outer, target.busyThreads);
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
  if ((rows > 1 && (outer.size() < 2 || !cut(outer.size() - 2, rows))) ||
      !cut(outer.size() - 1, lanes))
    return {};
  SmallVector<std::string> order = outer;
  llvm::append_range(order, own);
  llvm::append_range(order, parts);
  if (!copies.empty())
    order.push_back(copies);
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
  if (terms > 1)
    recipe.unroll(own.back(), terms);
  if (!copies.empty())
    recipe.unroll(copies, extentOf(kernel, copies, 1));
  return recipe.finish();
}

/// Where neighbouring threads have neighbouring columns, they read whole rows:
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
