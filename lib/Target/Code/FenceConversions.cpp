//===- FenceConversions.cpp - Conversions without a factor ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/FenceConversions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace onnxc::target {

/// Fixed-point conversions are of 16 and 32 bits.
static bool isVectorOfFloats(Type *type) {
  Type *element = type->getScalarType();
  return type->isVectorTy() && (element->isFloatTy() || element->isHalfTy());
}

static bool isToIntegers(const Instruction &instruction) {
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == Intrinsic::fptosi_sat ||
           call->getIntrinsicID() == Intrinsic::fptoui_sat;
  return isa<FPToSIInst, FPToUIInst>(instruction);
}

PreservedAnalyses
FenceConversionsPass::run(Function &function,
                          FunctionAnalysisManager & /*analyses*/) {
  bool isChanged = false;
  for (Instruction &conversion : make_early_inc_range(instructions(function))) {
    if (isToIntegers(conversion)) {
      Value *floats = conversion.getOperand(0);
      if (!isVectorOfFloats(floats->getType()))
        continue;
      IRBuilder<> b(&conversion);
      conversion.setOperand(0,
                            b.CreateArithmeticFence(floats, floats->getType()));
    } else if (isa<SIToFPInst, UIToFPInst>(conversion)) {
      if (!isVectorOfFloats(conversion.getType()))
        continue;
      IRBuilder<> b(conversion.getNextNode());
      Value *fence = b.CreateArithmeticFence(&conversion, conversion.getType());
      conversion.replaceUsesWithIf(
          fence, [&](const Use &use) { return use.getUser() != fence; });
    } else {
      continue;
    }
    isChanged = true;
  }
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace onnxc::target
