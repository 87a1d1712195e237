//===- BlockContraction.h - Contractions by blocks of threads ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_BLOCKCONTRACTION_H
#define ONNXC_LIB_RECIPE_BLOCKCONTRACTION_H

#include "ContractionLoops.h"
#include "Planners.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include <optional>

namespace onnxc {

/// Blocks from which on all multiprocessors have work.
constexpr int64_t enoughBlocks = 128;

int64_t largestDivisor(int64_t number, int64_t most);

/// What recipes of blocks have in common: the operands of a contraction are
/// copied to memory that the threads of a block share.
class BlockContractionWriter {
public:
  BlockContractionWriter(krnl::KernelOp kernel, const Contraction &way,
                         const target::Processor &target)
      : kernel(kernel), loops(way), target(target) {}

  /// All loops have known extents, and each kernel loop is one of the four
  /// kinds.
  bool isPossible();
  int64_t blocks() const { return numBlocks; }

  krnl::KernelOp kernel;
  Contraction loops;
  const target::Processor &target;

protected:
  /// Orders the loops and makes one of all rows, and one of all sums.
  std::pair<std::string, std::string> flattenLoops(RecipeBuilder &recipe);
  /// The loops of blocks, those of rows and columns among them, and inside of
  /// them the threads, last the one whose neighbours are neighbours: parallel
  /// and mapped. The others run in each thread, in this order.
  void distribute(RecipeBuilder &recipe, llvm::ArrayRef<std::string> blocks,
                  llvm::ArrayRef<std::string> threads,
                  llvm::ArrayRef<std::string> inside);
  /// Copies both operands once an iteration of a loop.
  void cacheOperands(RecipeBuilder &recipe, llvm::StringRef loop);
  int64_t extentOfAll(llvm::ArrayRef<std::string> loops);

  int64_t numBlocks = 0;
};

/// Adds the recipe of the largest blocks that are enough, else of the most
/// blocks.
template <typename Shape, typename Writer>
void addLargestBlocks(Writer writer, std::initializer_list<Shape> shapes,
                      const RecipeOptions &options,
                      RecipeCandidates &candidates) {
  if (!writer.isPossible())
    return;
  std::optional<Writer> best;
  for (const Shape &shape : shapes) {
    if (best && best->blocks() >= enoughBlocks)
      break;
    if (writer.choose(shape) && (!best || writer.blocks() > best->blocks()))
      best.emplace(writer);
  }
  if (best)
    addScored(writer.kernel, writer.target, options, "blocks", best->describe(),
              best->write(), candidates);
}

/// By instructions for products of matrices, where the target has them for the
/// elements.
void addMatrixContractions(krnl::KernelOp kernel,
                           const target::Processor &target,
                           const RecipeOptions &options,
                           llvm::ArrayRef<Contraction> ways,
                           RecipeCandidates &candidates);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_BLOCKCONTRACTION_H
