//===- PackBytes.cpp - Vectors of bytes in words ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/PackBytes.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace onnxc::target {

static constexpr unsigned bytesOfWord = 4;

/// The words of a vector of bytes; null for another type or number.
static Value *wordsOf(IRBuilder<> &b, Value *bytes) {
  auto *type = dyn_cast<FixedVectorType>(bytes->getType());
  if (!type || !type->getElementType()->isIntegerTy(8) ||
      type->getNumElements() % bytesOfWord != 0)
    return nullptr;
  return b.CreateBitCast(
      bytes, FixedVectorType::get(b.getInt32Ty(),
                                  type->getNumElements() / bytesOfWord));
}

/// The bits that come from the next byte of a word are masked.
static Value *shiftWords(IRBuilder<> &b, Instruction &shift) {
  Value *bytes = nullptr;
  const APInt *by = nullptr;
  if (!match(&shift, m_LShr(m_Value(bytes), m_APInt(by))) || by->uge(8))
    return nullptr;
  Value *words = wordsOf(b, bytes);
  if (!words)
    return nullptr;
  APInt mask = APInt::getSplat(
      32, APInt::getLowBitsSet(8, 8 - unsigned(by->getZExtValue())));
  words = b.CreateLShr(words,
                       ConstantInt::get(words->getType(), by->getZExtValue()));
  words = b.CreateAnd(words, ConstantInt::get(words->getType(), mask));
  return b.CreateBitCast(words, shift.getType());
}

/// Each pair of bytes of a word with zeros between is one permutation.
static Value *extendPairs(IRBuilder<> &b, Instruction &extension) {
  Value *bytes = nullptr;
  if (!match(&extension, m_ZExt(m_Value(bytes))) ||
      !extension.getType()->getScalarType()->isIntegerTy(16))
    return nullptr;
  Value *words = wordsOf(b, bytes);
  if (!words)
    return nullptr;
  auto *ofWord = FixedVectorType::get(b.getInt8Ty(), bytesOfWord);
  auto *pair = FixedVectorType::get(b.getInt16Ty(), 2);
  Value *zeros = Constant::getNullValue(ofWord);
  SmallVector<Value *> pairs;
  for (unsigned word :
       seq(cast<FixedVectorType>(words->getType())->getNumElements())) {
    Value *four = b.CreateBitCast(b.CreateExtractElement(words, word), ofWord);
    for (int first : {0, 2})
      pairs.push_back(b.CreateBitCast(
          b.CreateShuffleVector(four, zeros, {first, 4, first + 1, 4}), pair));
  }
  return concatenateVectors(b, pairs);
}

PreservedAnalyses PackBytesPass::run(Function &function,
                                     FunctionAnalysisManager & /*analyses*/) {
  bool isChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    IRBuilder<> b(&instruction);
    Value *packed = shiftWords(b, instruction);
    if (!packed)
      packed = extendPairs(b, instruction);
    if (!packed)
      continue;
    instruction.replaceAllUsesWith(packed);
    instruction.eraseFromParent();
    isChanged = true;
  }
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace onnxc::target
