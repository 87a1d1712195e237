//===- DeviceCost.cpp - The time of a kernel on a device --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel takes as long as what it needs most of: instructions, arithmetic,
// accesses to the first cache, bytes of the second one and of memory, or
// waiting. A core that runs many warps waits less: while one waits, the others
// go on. All that a tile reads comes from the second cache once, or once for
// all tiles of a cluster, and each operand from memory once: tiles that run at
// the same time share it there.
//
//===----------------------------------------------------------------------===//

#include "Cost/DeviceCost.h"

#include "Cost/CacheTraffic.h"
#include "Cost/ComputedSliceCost.h"
#include "Cost/OpCost.h"
#include "Cost/SharedCopyCost.h"
#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/EarlyReads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/OpPlan.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Recipe/KernelWork.h"
#include "onnxc/Recipe/Occupancy.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// How much longer the longest tile takes than the mean of all: a mask may
/// leave out iterations of the loop that most ops are in.
static double longestTile(const LoopNest &nest) {
  std::optional<unsigned> loop = nest.computeAtLoop();
  double share =
      loop ? visibleShare(nest, nest.computeAtOps().back(), *loop) : 1;
  return share > 0 ? 1 / share : 1;
}

namespace {
/// What a tile of a kernel needs of its core.
struct TileWork {
  TileWork(KernelOp kernel, const LoopNest &nest, const Processor &target);
  void add(unsigned number);
  void addTraffic(unsigned number, const ThreadWork &work, double direct);
  void addCopies(const SharedCopies &copies, double &waited);
  void addComputed(unsigned number, double &waited);
  double carriedRegisters(unsigned number) const;
  void addRegisters(unsigned number, const ThreadWork &work,
                    ArrayRef<SharedCopies> copies, double steps);
  void addPrefetches(unsigned number);
  void addExchange(unsigned number);
  double latencyOfMemory(unsigned number) const;
  /// A sector is stored as often as requests have a part of it.
  double secondCacheBytes() const {
    return traffic + std::max(stored - results, 0.0);
  }

  /// Cycles of the resource that it needs most of, where nothing waits and the
  /// core has so many warps at once: fewer than it can issue instructions of
  /// leave parts of it idle.
  double busyCycles(double warpsAtOnce) const;
  /// The cycles of the instructions of the warps.
  double issueCycles(double warpsAtOnce) const;
  /// Cycles of the tile alone: a warp computes nothing while it waits, and all
  /// do where the copies ahead of them come too late. Products in flight, which
  /// read slices themselves, and copies ahead go on while warps wait.
  double aloneCycles() const {
    double inFlight = waitingInFlight / warps + issueCycles(warps);
    return starting +
           std::max(waiting / warps + std::max(inFlight, busyCycles(warps)),
                    waitingForCopies);
  }

  KernelOp kernel;
  const LoopNest &nest;
  const Processor &target;
  SmallVector<unsigned> loopsOfThreads;
  TileResources resources;
  /// The loop of which each block of a cluster has an iteration: a tile for
  /// each.
  std::optional<unsigned> parts;
  double tiles, warps;
  /// The blocks of a launch, and the tiles that each of them has in turn.
  double blocks, tilesOfBlock;
  /// Tiles that copy slices to each other, and so run at the same time.
  int64_t cluster = 1;
  /// Instructions of warps, operations, cycles of the first cache and of units
  /// for matrices and for functions, and bytes of the second cache, and of
  /// those that the core takes from it.
  double instructions = 0, operations = 0, cacheCycles = 0, matrixCycles = 0,
         functionCycles = 0, traffic = 0, received = 0;
  /// The bytes of the results of a tile, which are in `traffic`, and those of
  /// the sectors that its requests have a part of.
  double results = 0, stored = 0;
  /// Registers for elements of slices that threads compute.
  int64_t computedRegisters = 0;
  /// Cycles in which parts of sums come from other blocks of the cluster.
  double exchanging = 0;
  /// Cycles in which a warp waits, of all warps together, in some of which its
  /// products are in flight; and those in which all wait at the same time: for
  /// the first copy and the parts of other blocks, and for others ahead.
  double waiting = 0, waitingInFlight = 0, starting = 0, waitingForCopies = 0;
};
} // namespace

/// How often all threads wait for each other: around results that they share,
/// and to combine sums of several warps.
static double countBarriers(const LoopNest &nest, unsigned number) {
  const BodyOp &body = nest.op(number);
  auto op = cast<ComputeOp>(body.op);
  double barriers = body.isShared;
  for (Value input : op.getDpsInputs())
    if (auto maker = input.getDefiningOp<ComputeOp>())
      barriers += nest.op(nest.indexOf(maker)).isShared;
  auto exchanges = double(op->getNumResults() *
                          llvm::divideCeil(sumsInRegisters(nest, number),
                                           sumsOfExchange(nest, number)));
  auto combined = llvm::count_if(sumsOfThreads(nest, number), crossesWarps);
  return barriers + 2 * exchanges * double(combined);
}

TileWork::TileWork(KernelOp kernel, const LoopNest &nest,
                   const Processor &target)
    : kernel(kernel), nest(nest), target(target),
      loopsOfThreads(krnl::loopsOfThreads(nest)),
      parts(partsOfBlocks(kernel, nest)),
      tiles(std::max(countIterations(nest, nest.parallelLoops()), 1.0) *
            (parts ? iterationsOf(nest, *parts) : 1)),
      blocks(nest.maxBlocks() > 0 ? std::min(double(nest.maxBlocks()), tiles)
                                  : tiles),
      tilesOfBlock(std::ceil(tiles / blocks)) {
  resources.threads = numThreads(nest);
  llvm::append_range(loopsOfThreads, nest.parallelLoops());
  if (parts) {
    loopsOfThreads.push_back(*parts);
    cluster = nest.loop(*parts).extent;
  }
  warps = std::ceil(double(resources.threads) / double(target.warpThreads));
  resources.sharedBytes =
      sharedSliceBytes(nest) + sharedResultBytes(kernel, nest);
  for (unsigned number : llvm::seq<unsigned>(nest.ops().size()))
    add(number);
}

/// Instructions for the address of a line and to prefetch it.
static constexpr double prefetchInstructions = 4;

/// Each thread prefetches its share of the lines before a sum.
void TileWork::addPrefetches(unsigned number) {
  for (unsigned input : llvm::seq(kernel.getNumOperands())) {
    const Prefetch *prefetch = prefetchOf(nest, input);
    std::string reason;
    std::optional<EarlyRead> read;
    if (prefetch && prefetch->distance == 0)
      read = earlyReadOf(nest, *prefetch, reason);
    if (!read || read->sum != number)
      continue;
    double accesses = warps * double(read->share);
    instructions += prefetchInstructions * accesses;
    cacheCycles += accesses * double(prefetch->lineBytes) / 4;
  }
}

/// For loads of the op: none where all have been prefetched, and there was so
/// much else to do since.
double TileWork::latencyOfMemory(unsigned number) const {
  auto op = cast<ComputeOp>(nest.op(number).op);
  bool isEarly = llvm::all_of(readInputs(op), [&](OpOperand *input) {
    return inputNumber(kernel, input->get()) < 0 ||
           sharedCacheOf(nest, *input, number) ||
           isKept(nest, number, *input) || isReadEarly(nest, number, *input);
  });
  return isEarly ? std::max(target.memoryLatency - busyCycles(warps), 0.0)
                 : target.memoryLatency;
}

void TileWork::add(unsigned number) {
  if (isInSlices(nest, number))
    return;
  ThreadWork work =
      OpCost(kernel, nest, number, target, loopsOfThreads).threadWork();
  double lanes =
      std::min(double(resources.threads), double(target.warpThreads));
  double steps = work.steps / lanes / tiles;
  double combining = work.combining / lanes / tiles;
  double direct = tileTraffic(nest, number, target, [&](OpOperand &operand) {
    return !sharedCacheOf(nest, operand, number) &&
           !isKept(nest, number, operand);
  });
  // Of the results of a tile each block of the cluster has its share.
  if (parts)
    direct /= double(cluster);
  direct += work.indexedBytes * work.steps / tiles;
  double loaded = std::max(work.loadedBytes * work.steps / tiles, 1.0);
  double latency = work.latency;
  if (work.loadedBytes > 0 || work.sharedBytes > 0)
    latency += target.cacheLatency;
  if (work.loadedBytes > 0)
    latency += std::min(direct / loaded, 1.0) * latencyOfMemory(number);
  operations += steps * work.operations + combining;
  instructions += steps * (work.operations / 2 + work.accesses +
                           work.matrixProducts + target.tileCycles) +
                  combining;
  cacheCycles += steps * work.cacheCycles;
  matrixCycles += steps * work.matrixCycles;
  functionCycles += steps * work.functionCycles;
  addPrefetches(number);
  SmallVector<SharedCopies> copies = copiesOf(kernel, nest, number, target);
  bool isInFlight = llvm::any_of(
      copies, [](const SharedCopies &each) { return each.isInFlight; });
  double &waited = isInFlight ? waitingInFlight : waiting;
  waited += steps * latency;
  addTraffic(number, work, direct);
  for (const SharedCopies &each : copies)
    addCopies(each, waited);
  addComputed(number, waited);
  addExchange(number);
  waited += warps * countBarriers(nest, number) * target.cacheLatency;
  addRegisters(number, work, copies, steps);
}

/// Adds the bytes that go to or come from the second cache without slices.
void TileWork::addTraffic(unsigned number, const ThreadWork &work,
                          double direct) {
  traffic += direct;
  received += direct;
  double written = tileTraffic(nest, number, target, [&](OpOperand &operand) {
    return cast<ComputeOp>(operand.getOwner()).isDpsInit(&operand);
  });
  results += written / (parts ? double(cluster) : 1);
  stored += work.storedBytes * work.steps / tiles;
}

void TileWork::addCopies(const SharedCopies &copies, double &waited) {
  traffic += copies.rounds * copies.far;
  received += copies.rounds * copies.bytes;
  instructions += copies.rounds * copies.accesses(target);
  cacheCycles += copies.rounds * copies.cacheCycles(target);
  // Before each slice all threads wait for each other, or each for a
  // producer; once for the slices of all ops that are computed at a loop.
  double together = copies.follows ? 0 : 1;
  waited += together * warps * copies.rounds * target.cacheLatency;
  // So do tiles of a cluster, and before the first slice; after the last one
  // they wait while they have other work. A producer waits for them by itself.
  cluster = std::max(cluster, copies.sharers);
  double arrival = copies.sharers > 1 ? target.clusterLatency : 0;
  if (!copies.hasProducer)
    waited += together * warps * copies.rounds * arrival;
  if (copies.stages == 1) {
    waited += together * warps * copies.rounds * target.memoryLatency;
    return;
  }
  // With a producer that of the first tile of a block alone.
  double first = together * (target.memoryLatency + arrival);
  starting +=
      copies.starts * (copies.hasProducer ? first / tilesOfBlock : first);
  // A slice comes as late as its last byte.
  waitingForCopies +=
      copies.rounds / double(copies.ahead) *
      (together * target.memoryLatency + copies.farCycles(target) +
       (copies.hasProducer ? arrival : 0));
  if (copies.hasProducer)
    resources.threads = numThreads(nest) + producerThreads;
}

/// Threads wait for what they compute elements from, while products in flight
/// go on.
void TileWork::addComputed(unsigned number, double &waited) {
  auto roundsAt = [&](unsigned loop) {
    return countRounds(nest, number, loop, partsOfBlocks(kernel, nest)).all;
  };
  SliceWork work = sliceWorkOf(nest, number, roundsAt, target);
  instructions += work.instructions;
  operations += work.operations;
  cacheCycles += work.cacheCycles;
  traffic += work.bytes;
  received += work.bytes;
  waited += warps * work.rounds * target.memoryLatency;
  computedRegisters += int64_t(work.registers);
}

/// Parts of the results go to shared memory, and those of the own share come
/// from there and from the other blocks, when all have arrived.
void TileWork::addExchange(unsigned number) {
  double results = parts ? double(exchangedResults(nest, number)) : 0;
  if (results == 0)
    return;
  auto op = cast<ComputeOp>(nest.op(number).op);
  double bytes = results * double(resources.threads) *
                 double(elementBytes(getElementTypeOrSelf(op->getResult(0))));
  double accesses = 2 * bytes / double(target.vectorBytes * target.warpThreads);
  instructions += accesses + results * warps;
  cacheCycles += 2 * bytes / double(4 * target.warpThreads);
  double far = bytes * double(cluster - 1) / double(cluster);
  exchanging += far / target.clusterBytesPerCycle;
  starting += 2 * target.clusterLatency + far / target.clusterBytesPerCycle;
}

/// The registers of sums that the op is computed inside of.
double TileWork::carriedRegisters(unsigned number) const {
  if (!isInside(nest, number))
    return 0;
  return OpCost(kernel, nest, nest.computeAtOps().back(), target,
                loopsOfThreads)
      .threadWork()
      .resultRegisters;
}

/// Results that a thread cannot keep from step to step are stored to local
/// memory and loaded again: accesses of a word by each thread of a warp.
/// Operands that do not fit are loaded later.
void TileWork::addRegisters(unsigned number, const ThreadWork &work,
                            ArrayRef<SharedCopies> copies, double steps) {
  double threads = double(numThreads(nest));
  // Each copy ahead has an address; elements of others are in registers.
  double addresses = 0, copied = 0;
  for (const SharedCopies &each : copies)
    if (each.stages > 1)
      addresses += each.addressed / double(target.vectorBytes) / threads;
    else
      copied = std::max(copied, each.bytes / 4 / threads);
  double kept = carriedRegisters(number) + work.resultRegisters +
                double(target.addressRegisters);
  auto registers = int64_t(
      kept + std::max(double(work.operandRegisters) + addresses, copied));
  double spilled = std::max(kept - double(target.threadRegisters), 0.0);
  instructions += 2 * steps * spilled;
  cacheCycles += 2 * steps * spilled;
  registers = std::min(registers + computedRegisters, target.threadRegisters);
  resources.registers = std::max(resources.registers, registers);
}

double TileWork::issueCycles(double warpsAtOnce) const {
  double idle = std::max(double(target.issuesPerCycle) / warpsAtOnce, 1.0);
  return idle * std::max(instructions / double(target.issuesPerCycle),
                         operations / double(target.operationsPerCycle()));
}

double TileWork::busyCycles(double warpsAtOnce) const {
  double idle = std::max(double(target.issuesPerCycle) / warpsAtOnce, 1.0);
  return std::max({issueCycles(warpsAtOnce), idle * matrixCycles,
                   idle * functionCycles,
                   cacheCycles / double(target.loadsPerCycle),
                   secondCacheBytes() / target.l3BytesPerCycle, exchanging,
                   received / target.coreBytesPerCycle});
}

NestCost deviceCost(KernelOp kernel, const LoopNest &nest,
                    const Processor &target) {
  TileWork tile(kernel, nest, target);
  // The busiest core has so many blocks, and runs so many of them at once.
  int64_t cores = target.coresOfClusters(tile.cluster);
  double blocksOfCore = std::ceil(tile.blocks / double(cores));
  double tilesOfCore = blocksOfCore * tile.tilesOfBlock;
  double resident = std::clamp(
      blocksOfCore, 1.0,
      double(std::max<int64_t>(occupancyOf(target, tile.resources).tiles, 1)));
  double memory = workOf(kernel, outerExtent).bytes / double(target.cores);
  double cycles =
      std::max({tilesOfCore * tile.busyCycles(resident * tile.warps),
                memory / target.memoryBytesPerCycle,
                tilesOfCore * tile.aloneCycles() / resident,
                longestTile(nest) * tile.aloneCycles()});
  NestCost cost;
  cost.cycles = cycles + target.launchCycles();
  cost.tileCycles = cycles / tile.tiles;
  cost.tiles = tile.tiles;
  cost.terms.push_back({cost.cycles, {}});
  cost.rooflineCycles = rooflineCycles(kernel, target);
  return cost;
}

} // namespace onnxc
