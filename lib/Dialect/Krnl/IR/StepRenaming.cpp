//===- StepRenaming.cpp - Recipes under other names -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"

using namespace mlir;

namespace onnxc::krnl {

ArrayAttr renameSteps(ArrayAttr recipe, const StepRenaming &renaming) {
  SmallVector<Attribute> steps;
  for (auto step : recipe.getAsRange<RecipeStep>())
    if (Attribute renamed = step.renamed(renaming))
      steps.push_back(renamed);
  return ArrayAttr::get(recipe.getContext(), steps);
}

namespace {
/// Renames nothing, and records whether it is asked for an op.
class OpFinder : public StepRenaming {
public:
  explicit OpFinder(unsigned numOperands) : numOperands(numOperands) {}

  std::optional<unsigned> operand(unsigned number) const override {
    found |= number >= numOperands;
    return number;
  }
  std::string op(StringRef nameOrNumber) const override {
    found = true;
    return nameOrNumber.str();
  }

  mutable bool found = false;

private:
  unsigned numOperands;
};
} // namespace

bool namesOps(KernelOp kernel) {
  OpFinder finder(kernel.getNumOperands());
  (void)renameSteps(kernel.getRecipe(), finder);
  return finder.found;
}

} // namespace onnxc::krnl
