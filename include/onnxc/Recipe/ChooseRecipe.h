//===- ChooseRecipe.h - A recipe for a kernel ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_CHOOSERECIPE_H
#define ONNXC_RECIPE_CHOOSERECIPE_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Target/IR/Processor.h"

#include <functional>
#include <string>

namespace onnxc {

/// Limits on recipes.
struct RecipeOptions {
  /// Every reduction must be added up in its source order.
  bool keepOrder = false;
};

/// A recipe from the space of a kernel.
struct RecipeCandidate {
  /// contraction, attention, row, inner products, loops or blocks: the planner
  /// that proposes it.
  llvm::StringRef kind;
  /// The choices that distinguish the candidate from others of its kind: "8 x 3
  /// vectors of 16".
  std::string choices;
  /// Cycles of one thread, or of the device, that the cost model predicts for
  /// the kernel.
  double cycles;
  /// Writes the recipe.
  std::function<mlir::ArrayAttr()> write;
  /// That recipe, which is legal, with the steps that its loops determine,
  /// where `cycles` are those of it; else null.
  mlir::ArrayAttr completed = {};
};

/// The recipes that the kernel may have on the target, in groups by kind, those
/// that the planner prefers at equal cost first: what a search goes through.
/// Each is legal as far as its planner can tell; isLegalRecipe() is sure. None
/// for a kernel with a loop that has no iteration.
llvm::SmallVector<RecipeCandidate, 0>
enumerateRecipes(krnl::KernelOp kernel, const target::Processor &target,
                 const RecipeOptions &options = {});

/// The numbers of candidates in the order in which they are tried: the cheapest
/// one, then those of the other kinds, then all others, the cheapest first. At
/// equal cost special kinds come before the loops that any kernel has.
llvm::SmallVector<unsigned>
rankRecipes(llvm::ArrayRef<RecipeCandidate> candidates);

/// The cheapest legal recipe whose nest suits and that takes no more than
/// `maxCycles` times the cycles of the cheapest of all; null where none does.
mlir::ArrayAttr
cheapestThatSuits(krnl::KernelOp kernel, const target::Processor &target,
                  const RecipeOptions &options, double maxCycles,
                  llvm::function_ref<bool(const krnl::LoopNest &)> suits);

/// Returns true if the kernel verifies with the recipe, and the recipe keeps
/// the order of additions that the options require.
bool isLegalRecipe(krnl::KernelOp kernel, mlir::ArrayAttr recipe,
                   const RecipeOptions &options = {});

/// The recipe of the candidate with the steps that its loops determine; null
/// where it is not legal.
mlir::ArrayAttr completedRecipe(krnl::KernelOp kernel,
                                const target::Processor &target,
                                const RecipeOptions &options,
                                const RecipeCandidate &candidate);

/// The first legal recipe by rank; the empty one where there is none.
mlir::ArrayAttr chooseRecipe(krnl::KernelOp kernel,
                             const target::Processor &target,
                             const RecipeOptions &options = {});

} // namespace onnxc

#endif // ONNXC_RECIPE_CHOOSERECIPE_H
