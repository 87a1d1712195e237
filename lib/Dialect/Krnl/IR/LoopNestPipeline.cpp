//===- LoopNestPipeline.cpp - Copies some iterations ahead --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// pipeline: while one iteration of a loop reads its slices of shared memory,
// those of the next ones are copied.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Copies that are under way at once, and the one that is read.
static constexpr int64_t maxStages = 8;

LogicalResult LoopNest::pipeline(StringRef name, int64_t stages,
                                 int64_t inFlight, EmitErrorFn emitError) {
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
  if (pipelineAt(*loop).stages > 1)
    return emitError() << "loop '" << name << "' has stages already";
  allPipelines.push_back({*loop, stages, inFlight});
  return success();
}

Pipeline LoopNest::pipelineAt(unsigned loop) const {
  for (const Pipeline &pipeline : allPipelines)
    if (pipeline.loop == loop)
      return pipeline;
  return {loop};
}

/// Why products along the loop cannot be left to the next iteration: all that
/// they read has to be in slices of this one, and their sums go from iteration
/// to iteration.
std::string LoopNest::reasonAgainstFlight(unsigned loop) const {
  for (auto [number, op] : llvm::enumerate(bodyOps)) {
    const LoopUse *use = op.find(loop);
    if (!use)
      continue;
    const Mma *mma = mmaOf(number);
    if (!use->reduced || !mma || !mma->isOfWarpgroup())
      return "op '" + op.name + "' does not sum up products by wgmma along it";
    for (const Cache &cache : allCaches)
      if (cache.at != loop && llvm::is_contained(cachingOps(cache), number))
        return "op '" + op.name + "' has slices of another loop";
  }
  return {};
}

std::string LoopNest::reasonAgainst(const Pipeline &pipeline) const {
  if (llvm::none_of(allCaches, [&](const Cache &cache) {
        return cache.shared && cache.at == pipeline.loop;
      }))
    return "no operand is copied to shared memory there";
  if (allLoops[pipeline.loop].fusedOuter)
    return "it is around all ops";
  if (allLoops[pipeline.loop].computeAt)
    return "other ops are computed at it";
  if (peels(pipeline.loop))
    return "its last block is code of its own";
  if (pipeline.inFlight > 0)
    return reasonAgainstFlight(pipeline.loop);
  return {};
}

} // namespace onnxc::krnl
