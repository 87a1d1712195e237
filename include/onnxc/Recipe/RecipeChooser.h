//===- RecipeChooser.h - Recipes for the kernels of a model ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPECHOOSER_H
#define ONNXC_RECIPE_RECIPECHOOSER_H

#include "onnxc/Recipe/ChooseRecipe.h"

#include "mlir/IR/Block.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/DenseMap.h"

#include <limits>

namespace onnxc {

/// Chooses recipes by chooseRecipe(), once for kernels that planners cannot
/// tell apart: a network repeats its layers, and passes that compare kernels
/// ask for those that are left again. It keeps copies of the kernels, so it is
/// an analysis of the module that no pass makes invalid.
class RecipeChooser {
public:
  explicit RecipeChooser(const target::Processor &target) : target(target) {}
  /// Chooses recipes for the target of the module.
  explicit RecipeChooser(mlir::Operation *module);

  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  /// The recipe of a kernel that has none.
  mlir::ArrayAttr choose(krnl::KernelOp kernel,
                         const RecipeOptions &options = {});

  /// The cost of the kernel with that recipe; nothing where that is not legal.
  std::optional<NestCost> costOf(krnl::KernelOp kernel,
                                 const RecipeOptions &options = {});

  /// The cost of the kernel with that recipe, such as one that is chosen for
  /// other extents; nothing where it is not legal.
  std::optional<NestCost> costWith(krnl::KernelOp kernel,
                                   mlir::ArrayAttr recipe);

  /// The cycles of kernels that run one after the other with those recipes;
  /// nothing where one is not legal, or they take `maxCycles` cycles or more.
  /// No recipe is chosen for kernels after those that take as many.
  std::optional<double>
  cyclesOf(llvm::ArrayRef<krnl::KernelOp> kernels,
           const RecipeOptions &options = {},
           double maxCycles = std::numeric_limits<double>::infinity());

  /// The number of kernels that had a choice of their own.
  unsigned getNumChoices() const { return numChoices; }

private:
  struct Choice {
    /// A copy, whose operands are arguments of `copies`.
    krnl::KernelOp kernel;
    llvm::SmallVector<bool> surroundings;
    bool keepOrder;
    mlir::ArrayAttr recipe;
    std::optional<NestCost> cost;
    bool hasCost = false;
  };

  Choice &choiceOf(krnl::KernelOp kernel, const RecipeOptions &options);

  target::Processor target;
  mlir::Block copies;
  llvm::DenseMap<unsigned, llvm::SmallVector<Choice, 1>> byHash;
  unsigned numChoices = 0;
};

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPECHOOSER_H
