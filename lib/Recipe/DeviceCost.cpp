//===- DeviceCost.cpp - The time of a kernel on a device --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel takes as long as what it needs most of: instructions, arithmetic,
// accesses to the first cache, bytes of the second one and of memory, or
// waiting. A core that runs many warps waits less: while one waits, the others
// go on. All that a tile reads comes from the second cache once, and each
// operand from memory once: tiles that run at the same time share it there.
//
//===----------------------------------------------------------------------===//

#include "DeviceCost.h"

#include "CacheTraffic.h"
#include "KernelShape.h"
#include "OpCost.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Occupancy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Registers of addresses, counters and what the compiler keeps beside values.
static constexpr double otherRegisters = 20;

Occupancy occupancyOf(const Processor &target, const TileResources &tile) {
  int64_t warps = llvm::divideCeil(tile.threads, target.warpThreads);
  int64_t registers =
      warps * int64_t(llvm::alignTo(tile.registers * target.warpThreads,
                                    target.registerUnit));
  int64_t shared = llvm::alignTo(tile.sharedBytes + target.tileSharedBytes,
                                 target.sharedUnit);
  Occupancy occupancy;
  occupancy.tiles = std::min(
      {target.coreTiles, target.coreThreads / (warps * target.warpThreads),
       target.coreRegisters / std::max<int64_t>(registers, 1),
       target.coreSharedBytes / shared});
  occupancy.share = double(occupancy.tiles * warps * target.warpThreads) /
                    double(target.coreThreads);
  return occupancy;
}

/// Iterations of the loops together.
static double countIterations(const LoopNest &nest, ArrayRef<unsigned> loops) {
  double count = 1;
  for (unsigned loop : loops)
    count *= assumedExtent(nest.loop(loop));
  return count;
}

NestCost deviceCost(KernelOp kernel, const LoopNest &nest,
                    const Processor &target) {
  double tiles = std::max(countIterations(nest, nest.parallelLoops()), 1.0);
  TileResources tile;
  tile.threads = int64_t(countIterations(nest, nest.mappedLoops()));
  double instructions = 0, operations = 0, cacheCycles = 0, waiting = 0,
         registers = 0, matrices = 0;
  double read = tileTraffic(kernel, nest, target);
  SmallVector<unsigned> loopsOfThreads = nest.mappedLoops();
  llvm::append_range(loopsOfThreads, nest.parallelLoops());
  double lanes = std::min<double>(double(tile.threads), target.warpThreads);
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size())) {
    ThreadWork work =
        OpCost(kernel, nest, number, target, loopsOfThreads).threadWork();
    double steps = work.steps / lanes;
    double combining = work.combining / lanes;
    double loaded = std::max(work.loadedBytes * work.steps, 1.0);
    double missing = std::min(read / loaded, 1.0);
    double latency = work.loadedBytes > 0
                         ? target.cacheLatency + missing * target.memoryLatency
                         : 0;
    operations += steps * work.operations + combining;
    instructions += steps * (work.operations / 2 + work.accesses +
                             work.matrixProducts + target.tileCycles) +
                    combining;
    cacheCycles += steps * work.cacheCycles;
    matrices += steps * work.matrixCycles;
    waiting += steps * (latency + work.latency);
    registers = std::max(registers, work.registers);
  }
  tile.registers = std::min<int64_t>(int64_t(registers + otherRegisters), 255);
  // The busiest core has so much of all, and runs so many warps at once.
  double tilesOfCore = std::ceil(tiles / double(target.cores));
  double share = tilesOfCore / tiles;
  double warps = std::ceil(double(tile.threads) / double(target.warpThreads));
  double resident =
      warps *
      std::clamp(tilesOfCore, 1.0,
                 double(std::max<int64_t>(occupancyOf(target, tile).tiles, 1)));
  double memory =
      double(workOf(kernel, outerExtent).bytes) / double(target.cores);
  double cycles = std::max(
      {share * instructions / double(target.issuesPerCycle),
       share * operations / double(2 * target.fmaPerCycle),
       share * cacheCycles / double(target.loadsPerCycle), share * matrices,
       share * read / target.l3BytesPerCycle,
       memory / target.memoryBytesPerCycle, share * waiting / resident});
  NestCost cost;
  cost.cycles =
      cycles + double(target.launchNanoseconds * target.megahertz) / 1000;
  cost.tileCycles = cycles / tiles;
  cost.terms.push_back({cost.cycles, {}});
  cost.rooflineCycles = rooflineCycles(kernel, target);
  return cost;
}

double rooflineCycles(KernelOp kernel, const Processor &target) {
  KernelWork work = workOf(kernel, outerExtent);
  unsigned bits = 64;
  for (ComputeOp op : kernel.getBody().getOps<ComputeOp>())
    if (reductionKindOf(op) == ReductionKind::Contraction)
      for (OpOperand *input : readInputs(op))
        if (Type element = getElementTypeOrSelf(input->get().getType());
            element.isIntOrFloat())
          bits = std::min(bits, std::max(element.getIntOrFloatBitWidth(), 8u));
  double vectors = double(target.fmaPerCycle * target.warpThreads);
  double products =
      bits > 16 ? vectors : double(target.matrixProducts * 16) / bits;
  double others = work.operations - 2 * work.multiplyAdds;
  return std::max({work.multiplyAdds / products, others / (2 * vectors),
                   work.bytes / target.memoryBytesPerCycle}) /
         double(target.cores);
}

} // namespace onnxc
