//===- Pipelines.cpp - Copies some iterations ahead -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// pipeline: while one iteration of a loop reads its slices of shared memory,
// those of the next ones are copied.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/TensorCopies.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/ThreadSums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace onnxc::krnl {

/// Copies that are under way at once, and the one that is read.
static constexpr int64_t maxStages = 8;
/// A producer counts those of all tiles in an index of 32 bits.
static constexpr int64_t maxSlices = std::numeric_limits<int32_t>::max();

LogicalResult NestBuilder::pipeline(StringRef name, int64_t stages,
                                    int64_t inFlight, bool producer,
                                    EmitErrorFn emitError) {
  FailureOr<unsigned> loop = resolve(name, emitError);
  if (failed(loop))
    return failure();
  if (stages < 2 || stages > maxStages)
    return emitError() << "expected 2 to " << maxStages << " stages, but got "
                       << stages;
  if (inFlight < 0 || inFlight > stages - 2)
    return emitError() << "expected 0 to " << stages - 2
                       << " groups in flight beside " << stages
                       << " stages, but got " << inFlight;
  if (pipelineAt(*this, *loop).stages > 1)
    return emitError() << "loop '" << name << "' has stages already";
  allPipelines.push_back({*loop, stages, inFlight, producer});
  return success();
}

/// Why products along the loop cannot be left to the next iteration: all that
/// they read has to be in slices of this one, and their sums go from iteration
/// to iteration.
static std::string reasonAgainstFlight(const LoopNest &nest, unsigned loop) {
  for (auto [number, op] : llvm::enumerate(nest.ops())) {
    const LoopUse *use = op.find(loop);
    if (!use)
      continue;
    const Mma *mma = mmaOf(nest, number);
    if (!use->reduced || !mma || !mma->isOfWarpgroup())
      return "op '" + op.name + "' does not sum up products by wgmma along it";
    for (const Cache &cache : nest.caches())
      if (cache.at != loop &&
          llvm::is_contained(cachingOps(nest, cache), number))
        return "op '" + op.name + "' has slices of another loop";
  }
  return {};
}

/// Why some threads of the tile would wait for those of the producer, or these
/// for a slice that does not come.
static std::string reasonAgainstRoles(const LoopNest &nest) {
  for (auto [number, op] : llvm::enumerate(nest.ops())) {
    if (op.isShared || llvm::any_of(sumsOfThreads(nest, number), crossesWarps))
      return "threads wait for each other in op '" + op.name + "'";
    for (const LoopUse &use : op.loops)
      if (nest.endsEarly(use.loop) || use.earlyExit || use.skipsMasked)
        return "loop '" + nest.loop(use.loop).name + "' ends early";
  }
  if (numThreads(nest) + producerThreads > maxTileThreads)
    return "its warp would be one of more than " +
           std::to_string(maxTileThreads) + " threads";
  return {};
}

/// All threads but those of the producer have the iterations of the loop once
/// in each tile, and the producer has no other part in the tile.
static std::string reasonAgainstProducer(const LoopNest &nest,
                                         const Pipeline &pipeline) {
  std::optional<unsigned> producing;
  for (const Cache &cache : nest.caches())
    for (unsigned op : cachingOps(nest, cache)) {
      std::string slice = "operand " + std::to_string(cache.operand) +
                          " of op '" + nest.op(op).name + "'";
      if (cache.at != pipeline.loop || producing.value_or(op) != op)
        return slice + " has slices of another loop or op";
      if (!copiesBoxes(nest, cache, op))
        return slice + " is not copied by boxes for wgmma";
      producing = op;
    }
  if (!producing)
    return "no op has slices there";
  for (const LoopUse &use : nest.op(*producing).loops) {
    const Loop &loop = nest.loop(use.loop);
    if (use.loop == pipeline.loop)
      break;
    if (!loop.parallel && !loop.mapped && !nest.isInRegisters(use))
      return "loop '" + loop.name +
             "' around it has several iterations in a tile";
  }
  SmallVector<unsigned> loops = nest.parallelLoops();
  loops.push_back(pipeline.loop);
  int64_t slices = 1;
  for (unsigned loop : loops)
    if (nest.loop(loop).isDynamic() ||
        llvm::MulOverflow(slices, nest.loop(loop).extent, slices) ||
        slices > maxSlices)
      return "the slices of all tiles are not known to be less than 2^31";
  return reasonAgainstRoles(nest);
}

std::string reasonAgainst(const LoopNest &nest, const Pipeline &pipeline) {
  if (llvm::none_of(nest.caches(), [&](const Cache &cache) {
        return cache.isShared() && cache.at == pipeline.loop;
      }))
    return "no operand is copied to shared memory there";
  if (nest.loop(pipeline.loop).fusedOuter)
    return "it is around all ops";
  if (nest.peels(pipeline.loop))
    return "its last block is code of its own";
  if (pipeline.inFlight > 0)
    if (std::string reason = reasonAgainstFlight(nest, pipeline.loop);
        !reason.empty())
      return reason;
  return pipeline.producer ? reasonAgainstProducer(nest, pipeline)
                           : std::string();
}

} // namespace onnxc::krnl
