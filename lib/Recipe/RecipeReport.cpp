//===- RecipeReport.cpp - Candidates of each kernel -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeReport.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "Planners/Planners.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/RecipeFile.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

/// Candidates beside the one that was taken. Each is written and replayed.
static constexpr size_t maxOthers = 3;

RecipeChoice explainRecipe(KernelOp kernel, std::string key,
                           const Processor &target,
                           const RecipeOptions &options) {
  RecipeChoice choice;
  choice.kernel = std::move(key);
  bool isFound = false;
  SmallVector<RecipeCandidate, 0> candidates =
      enumerateRecipes(kernel, target, options);
  choice.numCandidates = candidates.size();
  for (unsigned number : rankRecipes(candidates)) {
    const RecipeCandidate &candidate = candidates[number];
    ArrayAttr recipe = completedRecipe(kernel, target, options, candidate);
    if (!recipe)
      continue;
    ReportedRecipe reported{candidate.kind.str(), candidate.choices,
                            candidate.cycles};
    if (!isFound && recipe == kernel.getRecipeAttr()) {
      choice.taken = std::move(reported);
      isFound = true;
    } else if (choice.others.size() < maxOthers) {
      choice.others.push_back(std::move(reported));
    }
    if (choice.others.size() == maxOthers)
      break;
  }
  if (!isFound)
    choice.taken = {kernel.getRecipe().empty() ? "none" : "given", "",
                    nestCost(kernel, LoopNest::replay(kernel), target).cycles};
  return choice;
}

std::vector<RecipeChoice> explainRecipes(ModuleOp module,
                                         const RecipeOptions &options) {
  SmallVector<KernelOp> kernels = kernelsOf(module);
  Processor target = TargetAttr::processorOf(module);
  std::vector<RecipeChoice> choices;
  for (auto [key, kernel] : llvm::zip_equal(kernelKeys(kernels), kernels))
    choices.push_back(explainRecipe(kernel, std::move(key), target, options));
  return choices;
}

} // namespace onnxc
