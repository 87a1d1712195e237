//===- RecipeChooser.cpp - Recipes for the kernels of a model -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeChooser.h"

#include "KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/RegionHash.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

static unsigned hashOf(KernelOp kernel) {
  auto types = kernel->getOperandTypes();
  return unsigned(size_t(llvm::hash_combine(
      kernel.getLoops(), llvm::hash_combine_range(types.begin(), types.end()),
      hashRegions(kernel))));
}

ArrayAttr RecipeChooser::choose(KernelOp kernel) {
  SmallVector<Choice, 1> &choices = byHash[hashOf(kernel)];
  for (const Choice &choice : choices)
    if (areAlike(choice.kernel, kernel))
      return choice.recipe;
  ArrayAttr recipe = chooseRecipe(kernel, target, options);
  choices.push_back({kernel, recipe});
  ++numChoices;
  return recipe;
}

} // namespace onnxc
