//===- RecipeBuilder.cpp - Writes the steps of a recipe -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeBuilder.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

void RecipeBuilder::add(Attribute step, int op) {
  if (op >= 0)
    step = OnlyStepAttr::get(context, std::to_string(op), step);
  steps.push_back(step);
}

SmallVector<StringAttr> RecipeBuilder::attributes(Names loops) const {
  return llvm::map_to_vector(
      loops, [&](const std::string &n) { return StringAttr::get(context, n); });
}

std::pair<std::string, std::string>
RecipeBuilder::block(StringRef loop, int64_t size, LoopSuffix outerSuffix,
                     LoopSuffix innerSuffix, TailStrategy tail, int op) {
  std::string outer = deriveName(loop, outerSuffix),
              inner = deriveName(loop, innerSuffix);
  add(BlockStepAttr::get(context, loop, size, tail, outer, inner), op);
  return {outer, inner};
}

void RecipeBuilder::order(Names loops, int op) {
  add(OrderStepAttr::get(context, attributes(loops)), op);
}

void RecipeBuilder::fuseOuter(Names loops) {
  if (!loops.empty())
    add(FuseOuterStepAttr::get(context, attributes(loops)), -1);
}

std::string RecipeBuilder::fuseAll(ArrayRef<std::string> loops,
                                   StringRef name) {
  std::string fused = loops.front();
  for (auto [number, loop] : llvm::enumerate(loops.drop_front()))
    fused = fuse(fused, loop, (name + "." + Twine(number)).str());
  return fused;
}

void RecipeBuilder::parallel(Names loops) {
  if (!loops.empty())
    add(ParallelStepAttr::get(context, attributes(loops)), -1);
}

std::string RecipeBuilder::fuse(StringRef outer, StringRef inner,
                                StringRef result) {
  add(FuseStepAttr::get(context, outer, inner, result), -1);
  return result.str();
}

void RecipeBuilder::map(StringRef loop, StringRef as) {
  add(MapStepAttr::get(context, loop, /*cluster=*/false, as), -1);
}

void RecipeBuilder::mapCluster(StringRef loop, StringRef as) {
  add(MapStepAttr::get(context, loop, /*cluster=*/true, as), -1);
}

void RecipeBuilder::shared(unsigned op) {
  add(SharedStepAttr::get(context, std::to_string(op)), -1);
}

void RecipeBuilder::computeAt(StringRef loop) {
  add(ComputeAtStepAttr::get(context, loop), -1);
}

void RecipeBuilder::unroll(StringRef loop, int64_t factor, int op,
                           ArrayRef<int64_t> tail) {
  if (factor > 1)
    add(UnrollStepAttr::get(context, loop, factor, tail), op);
}

void RecipeBuilder::hoist(StringRef loop, int op) {
  add(HoistStepAttr::get(context, loop), op);
}

void RecipeBuilder::dot(StringRef loop, int op, bool shortSums) {
  add(DotStepAttr::get(context, loop, shortSums), op);
}

void RecipeBuilder::mma(Names loops, int op) {
  add(MmaStepAttr::get(context, attributes(loops)), op);
}

void RecipeBuilder::wgmma(Names loops, int op) {
  add(WgmmaStepAttr::get(context, attributes(loops)), op);
}

void RecipeBuilder::grid(int64_t blocks) {
  add(GridStepAttr::get(context, blocks), -1);
}

void RecipeBuilder::vectorize(StringRef loop, int64_t lanes, int op) {
  if (lanes > 1)
    add(VectorizeStepAttr::get(context, loop, lanes), op);
}

std::pair<std::string, std::string>
RecipeBuilder::splitReduction(StringRef loop, int64_t parts, int op) {
  std::string outer = deriveName(loop, suffix::steps),
              inner = deriveName(loop, suffix::partials);
  add(SplitReductionStepAttr::get(context, loop, parts, outer, inner), op);
  return {outer, inner};
}

void RecipeBuilder::registerTile(StringRef rows, StringRef columns,
                                 int64_t lanes, ArrayRef<int64_t> tail) {
  add(RegisterTileStepAttr::get(context, rows, columns, lanes, tail,
                                /*masked=*/false),
      -1);
}

void RecipeBuilder::pack(unsigned operand, Names loops) {
  add(PackStepAttr::get(context, operand, attributes(loops),
                        /*shuffle=*/std::nullopt, /*lanes=*/0),
      -1);
}

void RecipeBuilder::cacheWide(unsigned operand, StringRef at, int op) {
  add(CacheStepAttr::get(context, operand, at, SliceCopy::Wide), op);
}

void RecipeBuilder::cacheShared(unsigned operand, StringRef at, bool byTma,
                                int op) {
  SliceCopy copy = byTma ? SliceCopy::SharedByTma : SliceCopy::Shared;
  add(CacheStepAttr::get(context, operand, at, copy), op);
}

void RecipeBuilder::pipeline(StringRef loop, int64_t stages, int64_t inFlight,
                             int op, bool producer) {
  if (stages > 1)
    add(PipelineStepAttr::get(context, loop, stages, inFlight, producer), op);
}

void RecipeBuilder::earlyExit(StringRef loop, int op) {
  add(EarlyExitStepAttr::get(context, loop), op);
}

void RecipeBuilder::skipMasked(StringRef loop, int op) {
  add(SkipMaskedStepAttr::get(context, loop), op);
}

void RecipeBuilder::prefetch(const Prefetch &prefetch) {
  add(PrefetchStepAttr::get(context, prefetch.operand, prefetch.distance,
                            prefetch.lineBytes),
      -1);
}

void RecipeBuilder::shuffle(StringRef loop, Shuffle shuffle, bool masked,
                            int op) {
  add(shuffle == Shuffle::Transpose
          ? Attribute(TransposeStepAttr::get(context, loop, masked))
          : InterleaveStepAttr::get(context, loop),
      op);
}

void RecipeBuilder::strided(StringRef loop, int64_t distance, int op) {
  add(StridedStepAttr::get(context, loop, distance), op);
}

} // namespace onnxc
