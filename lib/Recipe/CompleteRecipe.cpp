//===- CompleteRecipe.cpp - Steps that loops determine ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompleteRecipe.h"

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/RecipeBuilder.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// What many copies leave is still unrolled, by a quarter of the factor.
static SmallVector<int64_t> quartersOf(int64_t factor) {
  constexpr int64_t many = 8;
  SmallVector<int64_t> tail;
  while (factor >= many)
    tail.push_back(factor /= 4);
  return tail;
}

/// The step with a tail, if it unrolls scalar code that leaves a rest.
static Attribute withTail(Attribute step, const LoopNest &nest, int op = -1) {
  MLIRContext *context = step.getContext();
  if (auto only = dyn_cast<OnlyStepAttr>(step))
    return OnlyStepAttr::get(
        context, only.getOp(),
        withTail(only.getStep(), nest, int(*nest.findOp(only.getOp()))));
  auto unroll = dyn_cast<UnrollStepAttr>(step);
  if (!unroll)
    return step;
  std::optional<unsigned> loop = nest.find(unroll.getLoop(), op);
  auto hasLanes = [&](const BodyOp &body) {
    const LoopUse *use = body.find(*loop);
    return use && use->width() > 1;
  };
  ArrayRef<BodyOp> ops = op < 0 ? nest.ops() : nest.ops().slice(op, 1);
  if (!loop || !nest.leavesRest(*loop, unroll.getFactor()) ||
      llvm::any_of(ops, hasLanes))
    return step;
  return UnrollStepAttr::get(context, unroll.getLoop(), unroll.getFactor(),
                             quartersOf(unroll.getFactor()));
}

/// While all tiles of rows read a panel, the next one arrives.
static void addPrefetches(RecipeBuilder &recipe, const LoopNest &nest,
                          const Processor &target) {
  for (const Pack &pack : nest.packs()) {
    Prefetch next{pack.operand, /*distance=*/1, target.lineBytes};
    if (nest.reasonAgainst(next).empty())
      recipe.prefetch(next);
  }
}

/// The op that a step for the loop is limited to: none if all ops have it.
static int limitOf(const LoopNest &nest, unsigned loop, unsigned op) {
  bool isCommon =
      nest.loop(loop).onlyOp < 0 && llvm::is_contained(nest.order(), loop);
  return isCommon ? -1 : int(op);
}

/// Adds a shuffle of the copies of the loop, for all ops that have the loop or
/// for those alone that it was made for.
static void addShuffle(RecipeBuilder &recipe, const LoopNest &nest,
                       unsigned loop, Shuffle shuffle,
                       function_ref<bool(const LoopUse &)> pays) {
  for (auto [number, op] : llvm::enumerate(nest.ops())) {
    const LoopUse *use = op.find(loop);
    if (!use || !pays(*use) || !nest.canShuffle(number, *use, shuffle))
      continue;
    int limit = limitOf(nest, loop, number);
    recipe.shuffle(nest.loop(loop).name, shuffle, limit);
    if (limit < 0)
      return;
  }
}

static void addEarlyExits(RecipeBuilder &recipe, const LoopNest &nest) {
  llvm::DenseSet<unsigned> ended;
  for (auto [number, op] : llvm::enumerate(nest.ops()))
    for (const LoopUse &use : op.loops) {
      if (!nest.canExitEarly(number, use) || ended.contains(use.loop))
        continue;
      int limit = limitOf(nest, use.loop, number);
      recipe.earlyExit(nest.loop(use.loop).name, limit);
      if (limit < 0)
        ended.insert(use.loop);
    }
}

void completeRecipe(KernelOp kernel, const Processor &target) {
  LoopNest loops = LoopNest::replay(kernel);
  kernel.setRecipeAttr(ArrayAttr::get(
      kernel.getContext(),
      llvm::map_to_vector(kernel.getRecipe(), [&](Attribute step) {
        return withTail(step, loops);
      })));
  LoopNest nest = LoopNest::replay(kernel);
  RecipeBuilder recipe(kernel.getRecipeAttr());
  addPrefetches(recipe, nest, target);
  addEarlyExits(recipe, nest);
  auto isNear = [&](const LoopUse &use) {
    return llvm::any_of(nest.copiesOf(use), [&](int64_t copies) {
      return copies > 1 && copies <= target.shuffledStep;
    });
  };
  for (unsigned loop : llvm::seq<unsigned>(nest.loops().size())) {
    addShuffle(recipe, nest, loop, Shuffle::Transpose,
               [](const LoopUse &) { return true; });
    addShuffle(recipe, nest, loop, Shuffle::Interleave, isNear);
  }
  kernel.setRecipeAttr(recipe.finish());
}

} // namespace onnxc
