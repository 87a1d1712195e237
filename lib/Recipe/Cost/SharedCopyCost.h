//===- SharedCopyCost.h - Copies of slices to shared memory -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_SHAREDCOPYCOST_H
#define ONNXC_LIB_RECIPE_COST_SHAREDCOPYCOST_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc {

/// What the threads of a tile copy to memory that they share, at one loop for
/// one op.
struct SharedCopies {
  unsigned at;
  /// The op is computed at the loop after another one whose slices are copied
  /// in the same rounds, so that threads wait for both at once.
  bool follows = false;
  /// The rounds of copies of a tile; the bytes of one round, the accesses that
  /// have them, and the elements that are stored one by one.
  double rounds = 0, bytes = 0, parts = 0, scattered = 0;
  /// How often the first of these rounds comes, which nothing is ahead of.
  double starts = 1;
  /// What of the bytes comes from the second cache for this tile: one that has
  /// been copied for all tiles of a cluster counts as a part for each.
  double far = 0;
  /// Tiles of the cluster that copy to each other.
  int64_t sharers = 1;
  /// The bytes of `bytes` whose copies threads compute addresses for.
  double addressed = 0;
  /// Bytes that go through the first cache on their way.
  double cached = 0;
  /// Slices: while one is read, the others are copied so many rounds ahead.
  int64_t stages = 1, ahead = 0;
  /// Elements that go through registers: threads wait for them in each round.
  bool isWaiting = false;
  /// Products of a round are left to the next one.
  bool isInFlight = false;
  /// A warp of its own copies, over all tiles that its block has in turn.
  bool hasProducer = false;

  /// Loads and stores of a round by warps; one instruction copies ahead.
  double accesses(const target::Processor &target) const {
    double threads = double(target.warpThreads);
    double each = stages > 1 ? 1 : 2;
    return (each * parts + scattered) / threads;
  }
  /// Cycles of the first cache, which shared memory is part of.
  double cacheCycles(const target::Processor &target) const {
    double threads = double(target.warpThreads);
    return (bytes + cached) / (4 * threads) + scattered / threads;
  }
  /// Cycles in which the bytes come.
  double farCycles(const target::Processor &target) const {
    return std::max(far / target.l3BytesPerCycle,
                    bytes / target.coreBytesPerCycle);
  }
};

/// Iterations of the loops of a tile up to that of a copy, and of those around
/// it, which are no threads, not unrolled and not other blocks'.
struct Rounds {
  double all = 1, around = 1;
};

/// Counts the iterations for a copy at loop `at` of an op. Those of `ofBlocks`
/// are of other blocks.
Rounds countRounds(const krnl::LoopNest &nest, unsigned number, unsigned at,
                   std::optional<unsigned> ofBlocks);

/// The loop of the parts of a sum that blocks of a cluster have, where the
/// target has clusters.
std::optional<unsigned> partsOfBlocks(krnl::KernelOp kernel,
                                      const krnl::LoopNest &nest);

/// Iterations of the loops together.
double countIterations(const krnl::LoopNest &nest,
                       llvm::ArrayRef<unsigned> loops);

/// The copies of the slices that an op reads, those of each loop by themselves,
/// without those that threads compute.
llvm::SmallVector<SharedCopies> copiesOf(krnl::KernelOp kernel,
                                         const krnl::LoopNest &nest,
                                         unsigned number,
                                         const target::Processor &target);

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_SHAREDCOPYCOST_H
