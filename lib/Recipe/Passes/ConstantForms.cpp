//===- ConstantForms.cpp - Constants of several kernels ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/ConstantForms.h"

#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"
#include "onnxc/Recipe/RecipeSpace.h"
#include "onnxc/Target/IR/Target.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

/// The constant that an operand is, which recipes store as they say; null where
/// it is none.
static Attribute constantOf(KernelOp kernel, unsigned operand) {
  auto constant = kernel.getIns()[operand].getDefiningOp<ConstantOp>();
  return constant && !constant.getLayout() ? constant.getValue() : Attribute();
}

/// The layout that the operand is packed in; null if it is not.
static Attribute formOf(const LoopNest &nest, unsigned operand) {
  const Pack *pack = nest.packOf(operand);
  return pack ? mergedLayout(packedLayout(nest, *pack)) : PackedLayoutAttr();
}

ConstantForms::ConstantForms(ArrayRef<KernelOp> kernels) {
  DenseMap<Attribute, KernelOp> readers;
  for (KernelOp kernel : kernels)
    for (unsigned operand : llvm::seq<unsigned>(kernel.getIns().size()))
      if (Attribute constant = constantOf(kernel, operand))
        if (readers.try_emplace(constant, kernel).first->second != kernel)
          forms.try_emplace(constant);
}

/// The operands of the kernel that another one reads, too.
SmallVector<unsigned> ConstantForms::sharedOperands(KernelOp kernel) const {
  return llvm::filter_to_vector(
      llvm::seq<unsigned>(kernel.getIns().size()), [&](unsigned operand) {
        Attribute constant = constantOf(kernel, operand);
        return constant && forms.contains(constant);
      });
}

ArrayAttr ConstantForms::share(KernelOp kernel, ArrayAttr recipe,
                               const RecipeOptions &options) const {
  SmallVector<unsigned> operands = sharedOperands(kernel);
  if (operands.empty())
    return recipe;
  auto suits = [&](const LoopNest &nest) {
    return llvm::all_of(operands, [&](unsigned operand) {
      ArrayRef<Attribute> known =
          forms.find(constantOf(kernel, operand))->second;
      return known.empty() || llvm::is_contained(known, formOf(nest, operand));
    });
  };
  FailureOr<LoopNest> nest = replayWith(kernel, recipe, options);
  if (failed(nest) || suits(*nest))
    return recipe;
  ArrayAttr shared = cheapestThatSuits(kernel, TargetAttr::processorOf(kernel),
                                       options, maxCyclesOfSharedForms, suits);
  return shared ? shared : recipe;
}

void ConstantForms::add(KernelOp kernel) {
  SmallVector<unsigned> operands = sharedOperands(kernel);
  if (operands.empty())
    return;
  std::string reason;
  FailureOr<LoopNest> nest = LoopNest::tryReplay(kernel, reason);
  if (failed(nest))
    return;
  for (unsigned operand : operands) {
    SmallVector<Attribute, 1> &known = forms[constantOf(kernel, operand)];
    Attribute form = formOf(*nest, operand);
    if (!llvm::is_contained(known, form))
      known.push_back(form);
  }
}

} // namespace onnxc
