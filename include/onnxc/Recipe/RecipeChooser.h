//===- RecipeChooser.h - Recipes for the kernels of a model ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPECHOOSER_H
#define ONNXC_RECIPE_RECIPECHOOSER_H

#include "onnxc/Recipe/ChooseRecipe.h"

#include "llvm/ADT/DenseMap.h"

namespace onnxc {

/// Chooses recipes by chooseRecipe(), once for kernels that planners cannot
/// tell apart: a network repeats its layers.
class RecipeChooser {
public:
  RecipeChooser(const target::Processor &target, const RecipeOptions &options)
      : target(target), options(options) {}

  /// The recipe of a kernel that has none. The kernels that were given before
  /// must still be there, changed in nothing but their recipes.
  mlir::ArrayAttr choose(krnl::KernelOp kernel);

  /// How many kernels had a choice of their own.
  unsigned getNumChoices() const { return numChoices; }

private:
  struct Choice {
    krnl::KernelOp kernel;
    mlir::ArrayAttr recipe;
  };

  const target::Processor &target;
  RecipeOptions options;
  llvm::DenseMap<unsigned, llvm::SmallVector<Choice, 1>> byHash;
  unsigned numChoices = 0;
};

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPECHOOSER_H
