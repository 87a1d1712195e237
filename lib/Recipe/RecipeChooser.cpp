//===- RecipeChooser.cpp - Recipes for the kernels of a model -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Support/RegionHash.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/IRMapping.h"
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

/// A copy that nothing but the block knows of.
static KernelOp copyOf(KernelOp kernel, Block &copies) {
  IRMapping mapping;
  for (Value operand : kernel->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand,
                  copies.addArgument(operand.getType(), operand.getLoc()));
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(&copies);
  return cast<KernelOp>(b.clone(*kernel, mapping));
}

RecipeChooser::RecipeChooser(Operation *module)
    : target(TargetAttr::processorOf(module)) {}

RecipeChooser::Choice &RecipeChooser::choiceOf(KernelOp kernel,
                                               const RecipeOptions &options) {
  SmallVector<Choice, 1> &choices = byHash[hashOf(kernel)];
  SmallVector<bool> surroundings = surroundingsOf(kernel);
  for (Choice &choice : choices)
    if (choice.keepOrder == options.keepOrder &&
        choice.surroundings == surroundings && areAlike(choice.kernel, kernel))
      return choice;
  ++numChoices;
  choices.push_back({copyOf(kernel, copies), std::move(surroundings),
                     options.keepOrder, chooseRecipe(kernel, target, options),
                     std::nullopt});
  return choices.back();
}

ArrayAttr RecipeChooser::choose(KernelOp kernel, const RecipeOptions &options) {
  return choiceOf(kernel, options).recipe;
}

std::optional<NestCost> RecipeChooser::costOf(KernelOp kernel,
                                              const RecipeOptions &options) {
  Choice &choice = choiceOf(kernel, options);
  if (!std::exchange(choice.hasCost, true))
    choice.cost = costWith(kernel, choice.recipe);
  return choice.cost;
}

std::optional<NestCost> RecipeChooser::costWith(KernelOp kernel,
                                                ArrayAttr recipe) {
  FailureOr<LoopNest> nest = replayWith(kernel, recipe, /*options=*/{});
  return succeeded(nest) ? std::optional(nestCost(kernel, *nest, target))
                         : std::nullopt;
}

std::optional<double> RecipeChooser::cyclesOf(ArrayRef<KernelOp> kernels,
                                              const RecipeOptions &options,
                                              double maxCycles) {
  double cycles = 0;
  for (KernelOp kernel : kernels) {
    std::optional<NestCost> cost = costOf(kernel, options);
    if (!cost)
      return std::nullopt;
    cycles += cost->cycles;
    if (cycles >= maxCycles)
      return std::nullopt;
  }
  return cycles;
}

} // namespace onnxc
