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
                                 EmitErrorFn emitError) {
  FailureOr<unsigned> loop = resolve(name, emitError);
  if (failed(loop))
    return failure();
  if (stages < 2 || stages > maxStages)
    return emitError() << "expected 2 to " << maxStages << " stages, but got "
                       << stages;
  if (stagesAt(*loop) > 1)
    return emitError() << "loop '" << name << "' has stages already";
  allPipelines.push_back({*loop, stages});
  return success();
}

int64_t LoopNest::stagesAt(unsigned loop) const {
  for (const Pipeline &pipeline : allPipelines)
    if (pipeline.loop == loop)
      return pipeline.stages;
  return 1;
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
  return {};
}

} // namespace onnxc::krnl
