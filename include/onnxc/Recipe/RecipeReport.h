//===- RecipeReport.h - Candidates of each kernel ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPEREPORT_H
#define ONNXC_RECIPE_RECIPEREPORT_H

#include "onnxc/Recipe/ChooseRecipe.h"

#include <vector>

namespace onnxc {

/// A recipe that a kernel has or could have.
struct ReportedRecipe {
  /// The kind and the choices, as in RecipeCandidate; "given" and "none" for
  /// recipes that no planner has proposed.
  std::string kind, choices;
  /// The cycles of the kernel with the recipe, as nestCost() predicts them.
  double cycles;
};

/// The choice for one kernel.
struct RecipeChoice {
  /// The key of the kernel in recipe files.
  std::string kernel;
  ReportedRecipe taken;
  /// Legal candidates that were not taken: the first few by rank.
  std::vector<ReportedRecipe> others;
  /// The number of all candidates.
  size_t numCandidates;
};

/// The choice for one kernel, whose key is `key`.
RecipeChoice explainRecipe(krnl::KernelOp kernel, std::string key,
                           const target::Processor &target,
                           const RecipeOptions &options = {});

/// The choices for the kernels of a module, which have their recipes, as
/// krnl-write-recipes makes them with these options.
std::vector<RecipeChoice> explainRecipes(mlir::ModuleOp module,
                                         const RecipeOptions &options = {});

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPEREPORT_H
