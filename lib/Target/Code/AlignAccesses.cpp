//===- AlignAccesses.cpp - How loads and stores are aligned -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/AlignAccesses.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace onnxc::target {

/// A power of two that divides all values of an address.
static Align alignmentOf(Value *pointer, ScalarEvolution &evolution,
                         const DataLayout &layout) {
  const SCEV *address = evolution.getSCEV(pointer);
  auto *buffer = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  if (!buffer)
    return Align(1);
  const SCEV *distance = evolution.removePointerBase(address);
  // Parameters are aligned in the memory that they are passed in.
  Align known =
      buffer->getValue()->stripPointerCasts()->getPointerAlignment(layout);
  constexpr uint32_t maxZeros = 16;
  uint32_t zeros = std::min(evolution.getMinTrailingZeros(distance), maxZeros);
  return std::min(known, Align(uint64_t(1) << zeros));
}

PreservedAnalyses AlignAccessesPass::run(Function &function,
                                         FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer)
      continue;
    Align alignment = alignmentOf(pointer, evolution, layout);
    if (alignment > getLoadStoreAlignment(&instruction))
      setLoadStoreAlignment(&instruction, alignment);
  }
  return PreservedAnalyses::all();
}

} // namespace onnxc::target
