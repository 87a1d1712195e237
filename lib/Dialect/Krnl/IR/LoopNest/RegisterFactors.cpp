//===- RegisterFactors.cpp - Factors in registers of threads ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Thread 4 * g + t of a warp has columns 2 * t and 2 * t + 1 of each eight
// columns of rows g and g + 8 of a result that matrix instructions sum up. As
// rows of a factor, of which two times eight columns are multiplied at once, it
// needs the same ones.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Bits of an element of which a factor lies as sums do, and the elements of a
/// row that an instruction multiplies.
static constexpr unsigned elementBits = 16;
static constexpr int64_t instructionTerms = 2 * MatrixSums::columns;

/// The dimension of the operand along which the products are adjacent.
static std::optional<unsigned> dimAlong(const Access &read, unsigned products) {
  for (unsigned position : llvm::seq(read.getRank()))
    if (read.stepAt(position, products) == 1)
      return position;
  return std::nullopt;
}

/// Finds the loops over instructions. False if some are not unrolled, as
/// registers have no index.
static bool findInstructions(const LoopNest &nest, const Mma &mma,
                             const Access &read, unsigned dim,
                             RegisterFactor &factor) {
  for (const LoopUse &use : nest.op(mma.op).loops) {
    std::optional<int64_t> step = read.stepAt(dim, use.loop);
    if (!step)
      return false;
    if (*step == 0 || use.loop == mma.products)
      continue;
    if (nest.isAround(use.loop, mma.op) || *step % instructionTerms != 0 ||
        !nest.isInRegisters(use) || nest.endsEarly(use.loop))
      return false;
    factor.instructions.push_back({use.loop, *step});
  }
  return true;
}

/// Finds the loops of the op that computes the rows. False if other threads
/// have some elements, or this thread has them in other iterations.
static bool findTiles(const LoopNest &nest, const Mma &mma, unsigned from,
                      const Access &written, unsigned dim,
                      RegisterFactor &factor) {
  bool hasTiles = false, hasThreads = false, hasCopies = false;
  for (const LoopUse &use : nest.op(from).loops) {
    std::optional<int64_t> step = written.stepAt(dim, use.loop);
    if (!step || use.reduced)
      return false;
    if (nest.isAround(use.loop, from)) {
      if (*step != 0)
        return false;
      continue;
    }
    const LoopUse *other = nest.op(mma.op).find(use.loop);
    ThreadLoop threads = threadsOf(nest, use.loop);
    if (*step == 0) {
      if (!other || other->reduced || use.width() != other->width() ||
          use.unroll != other->unroll)
        return false;
    } else if (*step == MatrixSums::columns && !hasTiles) {
      hasTiles =
          nest.isInRegisters(use) && !use.lanes && !nest.endsEarly(use.loop);
      factor.tiles = use.loop;
    } else if (*step == MatrixSums::copies && !hasThreads) {
      hasThreads = nest.loop(use.loop).mapped && threads.stride == 1 &&
                   threads.extent == MatrixSums::columnThreads;
    } else if (*step == 1 && !hasCopies) {
      hasCopies = nest.isInRegisters(use) &&
                  nest.loop(use.loop).extent == MatrixSums::copies;
      factor.copies = use.loop;
    } else {
      return false;
    }
  }
  return hasTiles && hasThreads && hasCopies;
}

std::optional<RegisterFactor> registerFactor(const LoopNest &nest,
                                             OpOperand &operand) {
  auto result = dyn_cast<OpResult>(operand.get());
  auto producer = result ? dyn_cast<ComputeOp>(result.getOwner()) : ComputeOp();
  auto consumer = dyn_cast<ComputeOp>(operand.getOwner());
  if (!producer || !consumer || consumer.isDpsInit(&operand) ||
      !getElementTypeOrSelf(operand.get()).isIntOrFloat() ||
      getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() !=
          elementBits)
    return std::nullopt;
  unsigned from = nest.indexOf(producer), to = nest.indexOf(consumer);
  const Mma *mma = mmaOf(nest, to);
  if (!mma || nest.op(from).isShared || nest.op(from).inArena ||
      isInSlices(nest, from) || clusterParts(nest))
    return std::nullopt;
  AffineMap written = producer.getIndexingMapMatchingResult(result),
            readMap = consumer.getMatchingIndexingMap(&operand);
  if (indicesOverAxes(written, nest.op(from)) !=
      indicesOverAxes(readMap, nest.op(to)))
    return std::nullopt;
  Access read(nest, to, operand);
  std::optional<unsigned> dim = dimAlong(read, mma->products);
  RegisterFactor factor{};
  // Of columns each thread has other elements.
  if (!dim || !read.dependsOn(mma->rowThreads) ||
      !findInstructions(nest, *mma, read, *dim, factor) ||
      !findTiles(nest, *mma, from,
                 Access(nest, from, *producer.getTiedOpOperand(result)), *dim,
                 factor))
    return std::nullopt;
  return factor;
}

} // namespace onnxc::krnl
