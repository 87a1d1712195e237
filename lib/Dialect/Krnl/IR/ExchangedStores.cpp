//===- ExchangedStores.cpp - Stores after an exchange -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/ExchangedStores.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Target/IR/Processor.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace onnxc::krnl {

/// Bytes that threads exchange at once, and that each of them stores at most.
static constexpr int64_t wordBytes = 4,
                         accessBytes = target::Processor{}.vectorBytes;

/// The step of the last index along the loop; nothing if others depend on it.
static std::optional<int64_t> stepInRow(const Access &access, unsigned loop) {
  unsigned last = access.getRank() - 1;
  for (unsigned position : llvm::seq(last))
    if (access.dependsOnAt(position, loop))
      return std::nullopt;
  return access.stepAt(last, loop);
}

/// The loop of the op that stands still in all but the last dimension of the
/// result, in which it goes on by `step`; null without one.
static const LoopUse *findStep(const LoopNest &nest, unsigned op,
                               const Access &access, int64_t step) {
  for (const LoopUse &use : nest.op(op).loops)
    if (nest.loop(use.loop).extent > 1 && stepInRow(access, use.loop) == step)
      return &use;
  return nullptr;
}

/// Returns true if all threads of each warp get to the stores of the op, and
/// those that exchange columns store the same rows.
static bool areAllThere(const LoopNest &nest, unsigned op, const Access &access,
                        ArrayRef<unsigned> columns) {
  auto isPadded = [&](unsigned column) {
    return llvm::any_of(paddedLoops(nest, op), [&](unsigned padded) {
      return nest.stemsFrom(column, padded);
    });
  };
  return numThreads(nest) % warpThreads == 0 &&
         reasonAgainstWaiting(nest).empty() && !access.hasRanges() &&
         llvm::none_of(columns, isPadded) &&
         llvm::none_of(nest.op(op).loops, [&](const LoopUse &use) {
           return nest.endsEarly(use.loop) || use.reduced;
         });
}

std::optional<ExchangedStore> exchangedStore(const LoopNest &nest, unsigned op,
                                             OpOperand &result) {
  auto type = dyn_cast<RankedTensorType>(result.get().getType());
  if (!type || type.getRank() == 0 || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  Access access(nest, op, result);
  const LoopUse *lanes = findStep(nest, op, access, 1);
  if (!lanes || lanes->width() != nest.loop(lanes->loop).extent)
    return std::nullopt;
  int64_t bytes = lanes->width() * type.getElementTypeBitWidth() / 8;
  const LoopUse *threads = findStep(nest, op, access, lanes->width());
  if (!threads || !nest.loop(threads->loop).mapped)
    return std::nullopt;
  ThreadLoop adjacent = threadsOf(nest, threads->loop);
  int64_t tile = adjacent.extent * lanes->width();
  const LoopUse *tiles = findStep(nest, op, access, tile);
  if (adjacent.stride != 1 || adjacent.extent > warpThreads || !tiles ||
      nest.isAround(tiles->loop, op) ||
      tiles->unroll != nest.loop(tiles->loop).extent)
    return std::nullopt;
  int64_t count = std::gcd(adjacent.extent, tiles->unroll);
  unsigned columns[] = {lanes->loop, threads->loop, tiles->loop};
  if (count == 1 || !llvm::isPowerOf2_64(count) || bytes > wordBytes ||
      count * bytes > accessBytes || !areAllThere(nest, op, access, columns) ||
      access.alignment(columns, tile) != tile)
    return std::nullopt;
  return ExchangedStore{threads->loop, tiles->loop, tile, count};
}

} // namespace onnxc::krnl
