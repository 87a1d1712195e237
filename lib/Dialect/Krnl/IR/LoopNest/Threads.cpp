//===- Threads.cpp - Loops of threads ---------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// map: which iterations of which loops a thread of a tile has. Blocks of
// clusters are in Clusters.cpp.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"
#include "onnxc/Support/ElementBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace onnxc::krnl {

SmallVector<unsigned> mappedLoops(const LoopNest &nest) {
  return llvm::filter_to_vector(nest.order(), [&](unsigned number) {
    return nest.loop(number).mapped && nest.loop(number).threadsOf < 0;
  });
}

SmallVector<unsigned> loopsOfThreads(const LoopNest &nest) {
  return llvm::filter_to_vector(
      nest.order(), [&](unsigned number) { return nest.loop(number).mapped; });
}

int64_t numThreads(const LoopNest &nest) {
  int64_t threads = 1;
  for (unsigned number : mappedLoops(nest))
    threads *= nest.loop(number).extent;
  return threads;
}

ThreadLoop threadsOf(const LoopNest &nest, unsigned number) {
  const Loop &loop = nest.loop(number);
  ThreadLoop threads{1, loop.extent};
  unsigned leader = loop.threadsOf < 0 ? number : unsigned(loop.threadsOf);
  for (unsigned other : llvm::reverse(mappedLoops(nest))) {
    if (other == leader)
      break;
    threads.stride *= nest.loop(other).extent;
  }
  return threads;
}

SmallVector<ThreadLoop> sumsOfThreads(const LoopNest &nest, unsigned op) {
  SmallVector<ThreadLoop> sums;
  for (const LoopUse &use : nest.op(op).loops)
    if (use.reduced && nest.loop(use.loop).mapped)
      sums.push_back(threadsOf(nest, use.loop));
  llvm::sort(sums, [](const ThreadLoop &a, const ThreadLoop &b) {
    return a.stride < b.stride;
  });
  return sums;
}

SmallVector<int64_t> exchangedWords(ArrayRef<ThreadLoop> loops,
                                    int64_t tileThreads) {
  SmallVector<int64_t> words;
  // Threads that have combined their values have one word together.
  int64_t lanes = 1;
  for (const ThreadLoop &loop : loops) {
    if (loop.stride == 1)
      lanes = std::min(loop.extent, warpThreads);
    words.push_back(crossesWarps(loop) ? tileThreads / lanes : 0);
  }
  return words;
}

int64_t sumsInRegisters(const LoopNest &nest, unsigned op) {
  int64_t sums = 1;
  for (const LoopUse &use : nest.op(op).loops)
    if (!use.reduced && nest.isInRegisters(use))
      sums *= std::max<int64_t>(use.unroll, 1);
  return sums;
}

int64_t sumsOfExchange(const LoopNest &nest, unsigned op) {
  // A core that has as many small blocks as it can has memory of this size for
  // each of them, so that exchanges leave it as many.
  constexpr int64_t maxBytes = 4096;
  int64_t words = 1, element = 1, sums = sumsInRegisters(nest, op);
  for (int64_t here : exchangedWords(sumsOfThreads(nest, op), numThreads(nest)))
    words = std::max(words, here);
  for (const LoopUse &use : nest.op(op).loops)
    if (!use.reduced)
      words *= use.width();
  for (Type type : nest.op(op).op->getResultTypes())
    element = std::max(element, elementBytes(getElementTypeOrSelf(type)));
  return std::clamp<int64_t>(maxBytes / (words * element), 1, sums);
}

/// Returns true if the bound of the loop, which ends early, differs between
/// threads.
static bool dependsOnThread(const LoopNest &nest, unsigned op,
                            unsigned number) {
  const Loop &loop = nest.loop(number);
  if (!nest.endsEarly(number))
    return false;
  auto isMapped = [&](unsigned other) { return nest.loop(other).mapped; };
  if (isMapped(number) ||
      (loop.kind == Loop::Kind::BlockInner &&
       llvm::any_of(nest.liveLoops(op, number - 1), isMapped)))
    return true;
  return llvm::any_of(loop.parents, [&](unsigned parent) {
    return dependsOnThread(nest, op, parent);
  });
}

std::string reasonAgainstWaiting(const LoopNest &nest) {
  for (auto [number, other] : llvm::enumerate(nest.ops()))
    for (const LoopUse &use : other.loops) {
      StringRef name = nest.loop(use.loop).name;
      if (dependsOnThread(nest, number, use.loop))
        return ("loop '" + name + "' ends early in some threads").str();
      if (use.earlyExit)
        return ("loop '" + name + "' ends depending on the data of a thread")
            .str();
    }
  return {};
}

/// Fails if the threads of a mapped loop cannot have the iterations of another
/// one.
LogicalResult NestBuilder::checkSameThreads(unsigned number, unsigned other,
                                            EmitErrorFn emitError) const {
  const Loop &loop = allLoops[number], &threads = allLoops[other];
  auto refuse = [&](const Twine &reason) {
    return emitError() << "loop '" << loop.name
                       << "' cannot have the threads of loop '" << threads.name
                       << "': " << reason;
  };
  if (!threads.mapped || threads.threadsOf >= 0)
    return refuse("that has none of its own");
  if (loop.extent != threads.extent)
    return refuse("that has another number of iterations");
  if (loop.fusedOuter)
    return refuse("it is around all ops");
  for (const BodyOp &op : bodyOps)
    if (op.find(number) && op.find(other))
      return refuse("op '" + op.name + "' has both");
  return success();
}

LogicalResult NestBuilder::grid(int64_t blocks, EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  constexpr int64_t maxBlocks = std::numeric_limits<int32_t>::max();
  if (blocks < 1 || blocks > maxBlocks)
    return emitError() << "expected 1 to " << maxBlocks << " blocks, but got "
                       << blocks;
  if (gridBlocks > 0)
    return emitError() << "the number of blocks is " << gridBlocks
                       << " already";
  gridBlocks = blocks;
  return success();
}

LogicalResult NestBuilder::map(StringRef name, bool cluster, StringRef as,
                               EmitErrorFn emitError) {
  if (failed(checkConcernsAll(emitError)))
    return failure();
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  Loop &loop = allLoops[*number];
  if (!llvm::is_contained(liveOrder, *number))
    return emitError() << "loop '" << name << "' exists only for op '"
                       << bodyOps[loop.onlyOp].name << "'";
  if (cluster)
    return mapCluster(*number, as, emitError);
  if (loop.mapped || loop.parallel)
    return emitError() << "loop '" << name << "' is "
                       << (loop.mapped ? "mapped" : "parallel") << " already";
  if (loop.isDynamic())
    return emitError() << "the extent of loop '" << name
                       << "' is not known; block it first";
  if (loop.extent < 1)
    return emitError() << "loop '" << name << "' has no iteration";
  unsigned around = llvm::count_if(mappedLoops(*this), [&](unsigned mapped) {
    return allLoops[mapped].fusedOuter;
  });
  unsigned next = liveOrder[parallelLoops().size() + around];
  if (loop.fusedOuter && next != *number)
    return emitError() << "loop '" << name
                       << "' is not the next loop inside the parallel and "
                          "mapped ones, '"
                       << allLoops[next].name << "' is";
  if (!as.empty()) {
    FailureOr<unsigned> other = resolve(as, emitError);
    if (failed(other) || failed(checkSameThreads(*number, *other, emitError)))
      return failure();
    loop.threadsOf = int(*other);
  }
  loop.mapped = true;
  for (const BodyOp &op : bodyOps)
    if (const LoopUse *use = op.find(*number))
      orderPreserved &= !use->reduced;
  return success();
}

/// Threads combine their parts of a sum by the adjacent ones in a warp, and
/// then by warps, which wait for each other. Threads of the innermost mapped
/// loop may be in several warps where it is the only one; those of another loop
/// have the same place in different warps.
static LogicalResult checkCombined(const LoopNest &nest, const BodyOp &op,
                                   const LoopUse &use, EmitErrorFn emitError) {
  const Loop &loop = nest.loop(use.loop);
  SmallVector<unsigned> mapped = mappedLoops(nest);
  auto refuse = [&](const Twine &reason) {
    return emitError() << "loop '" << loop.name << "' is reduced by op '"
                       << op.name << "'" << reason;
  };
  if (loop.fusedOuter)
    return refuse(", so it must be mapped without being in fuse_outer");
  if (loop.extent < 2 || !llvm::isPowerOf2_64(loop.extent))
    return refuse(", so its iterations must be a power of 2 from 2 on");
  ThreadLoop threads = threadsOf(nest, use.loop);
  if (threads.stride % warpThreads != 0 && threads.stride != 1)
    return refuse(", so it must be the innermost mapped loop, or one of warps");
  if (threads.stride == 1 && crossesWarps(threads) && mapped.size() > 1)
    return refuse(
        " in several warps, so it must be the only mapped loop, or have 32 "
        "iterations");
  // Parts of warps exchange values where all threads are, and so do warps.
  if (threads.stride > 1 || threads.extent < warpThreads) {
    if (numThreads(nest) % warpThreads != 0)
      return refuse(", so all warps must be whole");
    if (std::string reason = reasonAgainstWaiting(nest); !reason.empty())
      return refuse(", but " + reason);
  }
  return success();
}

/// Each iteration is a thread's: there are not too many, and no op does several
/// at once.
LogicalResult NestBuilder::checkMapped(EmitErrorFn emitError) const {
  int64_t threads = 1;
  for (unsigned number : loopsOfThreads(*this)) {
    const Loop &loop = allLoops[number];
    if (loop.threadsOf < 0 &&
        (llvm::MulOverflow(threads, loop.extent, threads) ||
         threads > maxTileThreads))
      return emitError() << "loop '" << loop.name << "' makes more than "
                         << maxTileThreads
                         << " threads of a tile; block it first";
    for (const BodyOp &op : bodyOps) {
      const LoopUse *use = op.find(number);
      if (!use)
        continue;
      if (use->reduced && (failed(checkCombined(*this, op, *use, emitError)) ||
                           failed(checkPartial(op, *use, emitError))))
        return failure();
      if (!isSharedOut(*this, number, op) &&
          (use->unroll != 1 || use->lanes || use->role != RegisterRole::None ||
           use->earlyExit || loop.computeAt || peels(number)))
        return emitError() << "each iteration of loop '" << loop.name
                           << "' is a thread's, so it stays a plain loop";
    }
  }
  return success();
}

} // namespace onnxc::krnl
