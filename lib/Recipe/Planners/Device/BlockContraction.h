//===- BlockContraction.h - Contractions by blocks of threads ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKCONTRACTION_H
#define ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKCONTRACTION_H

#include "Kernels/ContractionLoops.h"
#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/ADT/StringSet.h"

#include <map>

namespace onnxc {

/// Parts of sums, of the blocks of a cluster, that planners compare.
constexpr int64_t clusterPartsTried[] = {1, 2, 4, 8};

/// What recipes of blocks have in common: the operands of a contraction are
/// copied to memory that the threads of a block share.
class BlockContractionWriter {
public:
  BlockContractionWriter(krnl::KernelOp kernel, const Contraction &way,
                         const target::Processor &target)
      : kernel(kernel), loops(way), target(target) {}

  /// Each kernel loop is one of the four kinds, and sums are long enough.
  bool isPossible();

  krnl::KernelOp kernel;
  Contraction loops;
  const target::Processor &target;
  /// Each sum keeps the order of its terms.
  bool keepOrder = false;
  /// Each block of a cluster has one of so many parts of the sums.
  int64_t parts = 1;

protected:
  /// Orders the loops and makes one of all rows, and one of all sums.
  std::pair<std::string, std::string> flattenLoops(RecipeBuilder &recipe);
  /// The loops of blocks, those of rows and columns among them, and inside of
  /// them the threads, last the one whose iterations are adjacent: parallel
  /// and mapped. The others run in each thread, in this order.
  void distribute(RecipeBuilder &recipe, llvm::ArrayRef<std::string> blocks,
                  llvm::ArrayRef<std::string> threads,
                  llvm::ArrayRef<std::string> inside);
  /// Lets the threads compute slices of the factor that another op computes, if
  /// there is one, at the beginning of each iteration of a loop. Comes before
  /// distribute(): that op has none of the loops of all ops then.
  void computeFactor(RecipeBuilder &recipe, llvm::StringRef loop);
  /// The operands of rows and of columns.
  llvm::SmallVector<mlir::OpOperand *> operands() const {
    llvm::SmallVector<mlir::OpOperand *> all{loops.rowOperand,
                                             loops.columnOperand};
    llvm::append_range(all, loops.siblingOperands);
    return all;
  }
  /// The number of sums of the op, each of which a tile has for its rows and
  /// columns.
  int64_t numSums() const { return 1 + int64_t(loops.siblingOperands.size()); }
  /// The op that computes the operand; null for an input of the kernel.
  static krnl::ComputeOp makerOf(mlir::OpOperand *operand) {
    return operand->get().getDefiningOp<krnl::ComputeOp>();
  }
  /// The op that computes a factor; null if none does.
  krnl::ComputeOp factorMaker() const {
    krnl::ComputeOp maker = makerOf(loops.columnOperand);
    return maker ? maker : makerOf(loops.rowOperand);
  }
  /// Copies the operands that are inputs once an iteration of a loop, `stages`
  /// - 1 iterations ahead.
  void cacheOperands(RecipeBuilder &recipe, llvm::StringRef loop,
                     int64_t stages);
  /// Tiles of so many rows and columns.
  double countTiles(int64_t rows, int64_t columns);
  /// The terms of each part of the sums, which are slices of so many.
  int64_t termsOfPart(int64_t slice) {
    return int64_t(llvm::alignTo(
        llvm::divideCeil(extentOfAll(loops.reduced), parts), slice));
  }
  /// Returns true if the sums can have this number of parts: with slices of
  /// `slice` terms each part has enough of them, and tiles of `rows` x
  /// `columns` are fewer than the cores. Only blocks of clusters exchange
  /// parts.
  bool allowsParts(int64_t slice, int64_t rows, int64_t columns);
  /// The loop over the parts, "" where there is one, and that over the terms.
  std::pair<std::string, std::string>
  cutParts(RecipeBuilder &recipe, llvm::StringRef sum, int64_t slice);
  /// A loop of copies as that of the shares, "" where there is one part, and
  /// what is in each of them.
  std::pair<std::string, std::string>
  cutShares(RecipeBuilder &recipe, llvm::StringRef copies, int64_t extent) {
    return parts == 1 ? std::pair(std::string(), copies.str())
                      : recipe.block(copies, extent / parts,
                                     suffix::clusterBlocks, suffix::inShare);
  }
  /// The loops over the tiles, outermost first.
  llvm::SmallVector<std::string> tileLoops(llvm::StringRef rowBlocks,
                                           llvm::StringRef columnBlocks);
  /// Of sums by instructions for matrices: the loop over the parts, "" where
  /// there is one, and those over the slices of a part, the instructions of a
  /// slice and the products of one.
  struct SumLoops {
    std::string part, copies, step, products;
  };
  /// Slices have so many instructions.
  SumLoops cutProducts(RecipeBuilder &recipe, llvm::StringRef sum,
                       int64_t steps);
  /// Lets a thread store the two adjacent elements of a row at once that it has
  /// of such an instruction, where they are adjacent in the result.
  void storePairs(RecipeBuilder &recipe, llvm::StringRef columns);
  std::string describeParts() const {
    return parts == 1 ? "" : ", in " + std::to_string(parts) + " parts";
  }
  /// Gives the blocks of a cluster the parts, and the shares of the results.
  void mapParts(RecipeBuilder &recipe, llvm::StringRef part,
                llvm::StringRef shares);
  /// Dynamic extents are the assumed ones.
  int64_t extentOfAll(llvm::ArrayRef<std::string> loops) {
    return onnxc::extentOfAll(kernel, loops, outerExtent);
  }
  /// Returns true if all extents are known, and all blocks of `size` iterations
  /// are whole.
  bool divides(int64_t size, llvm::ArrayRef<std::string> loops) {
    return extentOfAll(loops) % size == 0 &&
           llvm::all_of(loops, [&](const std::string &loop) {
             return isStatic(kernel, loop);
           });
  }
  /// Blocks that are not whole are padded, so that no thread ends early.
  krnl::TailStrategy tailOf(int64_t size, llvm::ArrayRef<std::string> loops) {
    return divides(size, loops) ? krnl::TailStrategy::Mask
                                : krnl::TailStrategy::Pad;
  }
  /// Returns true if blocks of `size` iterations of the loops are whole, or
  /// padded and more than half full.
  bool isWorth(int64_t size, llvm::ArrayRef<std::string> loops) {
    return divides(size, loops) || 2 * extentOfAll(loops) > size;
  }
  /// The products per cycle of a core by instructions for matrices.
  double productsPerCycle() {
    return 16 * double(target.matrixProducts) /
           krnl::matrixProductOf(loops.op)->element.getIntOrFloatBitWidth();
  }
  /// The least that the cost model predicts for blocks of so many rows and
  /// columns, which are copied for a cluster of so many: products at the full
  /// rate, or the bytes of all slices.
  double minCycles(int64_t rows, int64_t columns, int64_t cluster,
                   double productsPerCycle);
};

/// Inputs of the kernel all of whose slices in pipelines consist of boxes that
/// the target copies, by a recipe without such copies.
llvm::SmallVector<unsigned> findBoxed(krnl::KernelOp kernel,
                                      mlir::ArrayAttr recipe);

/// How operands are copied to shared memory: steps of the sums at once, and
/// slices there, of which one is read while the others are copied; products in
/// flight still read so many. A producer copies over the tiles of a block. A
/// thread reads so many terms of a sum before it multiplies them.
struct Copying {
  int64_t steps, stages, inFlight = 0;
  bool producer = false;
  int64_t terms = 1;
};

/// The cycles of the candidate that is taken of those of a kind, by
/// findCheapest(); infinite without any.
double cheapestOf(llvm::ArrayRef<RecipeCandidate> candidates,
                  llvm::StringRef kind);

/// Adds the recipes of tiles of a kind to the candidates.
template <typename Tile, typename Writer>
class TileSearch {
public:
  TileSearch(Writer &writer, const RecipeOptions &options,
             RecipeCandidates &candidates)
      : writer(writer), options(options), candidates(candidates),
        cheapest(cheapestOf(candidates, "blocks")) {}

  /// Adds the recipe of a tile that is copied in this way, if there is one that
  /// may be the cheapest, and is not there already.
  void add(const Tile &tile, Copying way);

  /// False as long as no tile was possible.
  bool isPossible = false;
  /// The cheapest tile of each number of parts, with its cycles.
  std::map<int64_t, std::pair<Tile, double>> best;

private:
  /// Returns true if the writer has a new recipe, which is the last candidate.
  bool addCandidate();

  Writer &writer;
  const RecipeOptions &options;
  RecipeCandidates &candidates;
  double cheapest;
  llvm::StringSet<> known;
};

template <typename Tile, typename Writer>
bool TileSearch<Tile, Writer>::addCandidate() {
  size_t before = candidates.size();
  if (known.insert(writer.describe()).second)
    if (mlir::ArrayAttr recipe = writer.write())
      addScored(writer.kernel, writer.target, options, "blocks",
                writer.describe(), recipe, candidates);
  return candidates.size() > before;
}

template <typename Tile, typename Writer>
void TileSearch<Tile, Writer>::add(const Tile &tile, Copying way) {
  if (!writer.choose(tile, way))
    return;
  if (writer.minCycles() >= minGain * cheapest) {
    isPossible = true;
    return;
  }
  if (!addCandidate())
    return;
  double here = candidates.back().cycles;
  auto last = best.find(writer.parts);
  bool isCheapest = here < minGain * cheapest,
       isBest = last == best.end() || here < minGain * last->second.second;
  // No other tile may be left out for one whose recipe is refused.
  if ((isCheapest || isBest) &&
      !isLegalRecipe(writer.kernel, candidates.back().write(), options)) {
    candidates.pop_back();
    return;
  }
  isPossible = true;
  if (isCheapest)
    cheapest = here;
  if (isBest)
    best[writer.parts] = {tile, here};
}

/// Adds the recipes of all tiles that are possible, copied in the first ways,
/// and those of the cheapest tile of each number of parts that is copied in the
/// others; each once. A writer has no recipe for what is not possible, and none
/// is asked for where another one takes less time than it can. False where no
/// tile is possible.
template <typename Tile, typename Writer>
bool addTiles(Writer writer, llvm::ArrayRef<Tile> tiles,
              llvm::ArrayRef<Copying> ways, const RecipeOptions &options,
              RecipeCandidates &candidates, size_t waysOfAll = 3) {
  if (!writer.isPossible())
    return false;
  writer.keepOrder = options.keepOrder;
  TileSearch<Tile, Writer> search(writer, options, candidates);
  for (const Tile &tile : tiles)
    for (Copying way : ways.take_front(waysOfAll))
      search.add(tile, way);
  for (const auto &[parts, tile] : std::map(search.best))
    for (Copying way : ways.drop_front(waysOfAll))
      search.add(tile.first, way);
  return search.isPossible;
}

/// Adds candidates by instructions for products of matrices, where the target
/// has them for the elements.
void addMatrixContractions(krnl::KernelOp kernel,
                           const target::Processor &target,
                           const RecipeOptions &options,
                           llvm::ArrayRef<Contraction> ways,
                           RecipeCandidates &candidates);

/// Adds candidates by instructions of warpgroups, which read slices in shared
/// memory.
void addWarpgroupContractions(krnl::KernelOp kernel,
                              const target::Processor &target,
                              const RecipeOptions &options,
                              llvm::ArrayRef<Contraction> ways,
                              RecipeCandidates &candidates);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_DEVICE_BLOCKCONTRACTION_H
