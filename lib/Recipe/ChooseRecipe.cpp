//===- ChooseRecipe.cpp - The best of the proposed recipes ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "Planners/CompleteRecipe.h"
#include "Planners/Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeSpace.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Returns true if a loop is known to have no iteration. Such a kernel has a
/// fill at most, which no tile or vector is chosen for.
static bool hasEmptyLoop(KernelOp kernel) {
  return llvm::any_of(kernel.getLoops().getAsRange<LoopAttr>(),
                      [](LoopAttr loop) { return loop.getExtent() == 0; });
}

/// The candidates, the cheapest first; at equal cost as they stand.
static SmallVector<RecipeCandidate *>
sortedByCycles(RecipeCandidates &candidates) {
  SmallVector<RecipeCandidate *> sorted;
  for (RecipeCandidate &candidate : candidates)
    sorted.push_back(&candidate);
  llvm::sort(sorted, [](const RecipeCandidate *a, const RecipeCandidate *b) {
    return std::pair(a->cycles, a) < std::pair(b->cycles, b);
  });
  return sorted;
}

/// Steps that complete a recipe let the ops after its sums wait less. Tiles
/// differ in whether they allow these, so contenders count with them.
static void scoreCompleted(KernelOp kernel, const Processor &target,
                           const RecipeOptions &options,
                           RecipeCandidates &candidates) {
  SmallVector<RecipeCandidate *> contenders = sortedByCycles(candidates);
  contenders.resize(std::min(contenders.size(), completedContenders));
  double maxCycles =
      contenders.empty() ? 0 : contenderCycles * contenders[0]->cycles;
  for (RecipeCandidate *candidate : contenders) {
    if (candidate->cycles > maxCycles)
      return;
    ArrayAttr recipe = completedRecipe(kernel, target, options, *candidate);
    FailureOr<LoopNest> nest = failure();
    if (recipe)
      nest = replayWith(kernel, recipe, /*options=*/{});
    if (failed(nest))
      continue;
    candidate->completed = recipe;
    candidate->cycles = nestCost(kernel, *nest, target).cycles;
  }
}

SmallVector<RecipeCandidate, 0> enumerateRecipes(KernelOp kernel,
                                                 const Processor &target,
                                                 const RecipeOptions &options) {
  SmallVector<RecipeCandidate, 0> candidates;
  if (hasEmptyLoop(kernel))
    return candidates;
  if (target.isDevice()) {
    addBlockRecipes(kernel, target, options, candidates);
    scoreCompleted(kernel, target, options, candidates);
    return candidates;
  }
  for (auto add : {addContractionRecipes, addAttentionRecipes, addRowRecipes,
                   addInnerProductRecipes, addLoopRecipes})
    add(kernel, target, options, candidates);
  return candidates;
}

SmallVector<unsigned> rankRecipes(ArrayRef<RecipeCandidate> candidates) {
  SmallVector<unsigned> best, others;
  SmallVector<double> bestCycles;
  for (unsigned first = 0; first < candidates.size();) {
    unsigned end = first;
    SmallVector<double> cycles;
    for (; end < candidates.size() &&
           candidates[end].kind == candidates[first].kind;
         ++end)
      cycles.push_back(candidates[end].cycles);
    best.push_back(first + findCheapest(cycles));
    bestCycles.push_back(candidates[best.back()].cycles);
    for (unsigned number : llvm::seq(first, end))
      if (number != best.back())
        others.push_back(number);
    first = end;
  }
  llvm::sort(others, [&](unsigned a, unsigned b) {
    return std::pair(candidates[a].cycles, a) <
           std::pair(candidates[b].cycles, b);
  });
  if (!best.empty())
    std::swap(best.front(), best[findCheapest(bestCycles, minGainOfKind)]);
  llvm::append_range(best, others);
  return best;
}

static FailureOr<LoopNest> tryRecipe(KernelOp kernel, ArrayAttr recipe,
                                     const RecipeOptions &options,
                                     NestChecks checks) {
  ArrayAttr old = kernel.getRecipeAttr();
  kernel.setRecipeAttr(recipe);
  std::string reason;
  FailureOr<LoopNest> nest = LoopNest::tryReplay(kernel, reason, checks);
  kernel.setRecipeAttr(old);
  if (succeeded(nest) && options.keepOrder && !nest->preservesOrder())
    return failure();
  return nest;
}

FailureOr<LoopNest> replayWith(KernelOp kernel, ArrayAttr recipe,
                               const RecipeOptions &options) {
  return tryRecipe(kernel, recipe, options, NestChecks::AfterLastStep);
}

bool isLegalRecipe(KernelOp kernel, ArrayAttr recipe,
                   const RecipeOptions &options) {
  return succeeded(
      tryRecipe(kernel, recipe, options, NestChecks::AfterEachStep));
}

void addScored(KernelOp kernel, const Processor &target,
               const RecipeOptions &options, StringRef kind,
               std::string choices, ArrayAttr recipe,
               RecipeCandidates &candidates) {
  FailureOr<LoopNest> nest = replayWith(kernel, recipe, options);
  if (succeeded(nest))
    candidates.push_back({kind, std::move(choices),
                          nestCost(kernel, *nest, target).cycles,
                          [recipe] { return recipe; }});
}

double kernelScale(KernelOp kernel, const Processor &target,
                   const RecipeOptions &options, ArrayAttr recipe,
                   double cycles) {
  FailureOr<LoopNest> nest = replayWith(kernel, recipe, options);
  return succeeded(nest) && cycles > 0
             ? nestCost(kernel, *nest, target).cycles / cycles
             : 1;
}

ArrayAttr completed(KernelOp kernel, ArrayAttr recipe,
                    const Processor &target) {
  ArrayAttr old = kernel.getRecipeAttr();
  kernel.setRecipeAttr(recipe);
  completeRecipe(kernel, target);
  recipe = kernel.getRecipeAttr();
  kernel.setRecipeAttr(old);
  return recipe;
}

ArrayAttr completedRecipe(KernelOp kernel, const Processor &target,
                          const RecipeOptions &options,
                          const RecipeCandidate &candidate) {
  if (candidate.completed)
    return candidate.completed;
  ArrayAttr recipe = candidate.write();
  return isLegalRecipe(kernel, recipe, options)
             ? completed(kernel, recipe, target)
             : ArrayAttr();
}

ArrayAttr cheapestThatSuits(KernelOp kernel, const Processor &target,
                            const RecipeOptions &options, double maxCycles,
                            function_ref<bool(const LoopNest &)> suits) {
  SmallVector<RecipeCandidate, 0> candidates =
      enumerateRecipes(kernel, target, options);
  SmallVector<RecipeCandidate *> byCycles = sortedByCycles(candidates);
  for (RecipeCandidate *candidate : byCycles) {
    if (candidate->cycles > maxCycles * byCycles.front()->cycles)
      break;
    ArrayAttr recipe = completedRecipe(kernel, target, options, *candidate);
    if (!recipe)
      continue;
    FailureOr<LoopNest> nest = replayWith(kernel, recipe, options);
    if (succeeded(nest) && suits(*nest))
      return recipe;
  }
  return {};
}

ArrayAttr chooseRecipe(KernelOp kernel, const Processor &target,
                       const RecipeOptions &options) {
  SmallVector<RecipeCandidate, 0> candidates =
      enumerateRecipes(kernel, target, options);
  for (unsigned number : rankRecipes(candidates)) {
    if (ArrayAttr recipe =
            completedRecipe(kernel, target, options, candidates[number]))
      return recipe;
  }
  return ArrayAttr::get(kernel.getContext(), {});
}

} // namespace onnxc
