//===- PackBytesTest.cpp - Vectors of bytes in words ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/PackBytes.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

/// Of constants, so that what replaces an operation folds to its value.
static constexpr const char *text = R"(
target datalayout = "e"
define <8 x i8> @shifted() {
  %s = lshr <8 x i8> <i8 0, i8 255, i8 16, i8 143, i8 1, i8 128, i8 35, i8 69>, splat (i8 4)
  ret <8 x i8> %s
}
define <8 x i16> @extended() {
  %s = zext <8 x i8> <i8 0, i8 255, i8 16, i8 143, i8 1, i8 128, i8 35, i8 69> to <8 x i16>
  ret <8 x i16> %s
}
define <6 x i8> @odd(<6 x i8> %x) {
  %s = lshr <6 x i8> %x, splat (i8 4)
  ret <6 x i8> %s
}
define <4 x i8> @several(<4 x i8> %x) {
  %s = lshr <4 x i8> %x, <i8 4, i8 4, i8 4, i8 3>
  ret <4 x i8> %s
}
define <4 x i32> @words(<4 x i8> %x) {
  %s = zext <4 x i8> %x to <4 x i32>
  ret <4 x i32> %s
})";

namespace {
class PackBytesTest : public testing::Test {
protected:
  void SetUp() override {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    FunctionAnalysisManager analyses;
    for (Function &function : *module) {
      const Instruction *first = &*inst_begin(function);
      unsigned opcode = first->getOpcode();
      Type *type = first->getType();
      onnxc::target::PackBytesPass().run(function, analyses);
      if (any_of(instructions(function), [&](const Instruction &instruction) {
            return instruction.getOpcode() == opcode &&
                   instruction.getType() == type;
          }))
        kept.push_back(function.getName());
      for (Instruction &instruction : instructions(function))
        if (Constant *value =
                ConstantFoldInstruction(&instruction, module->getDataLayout()))
          instruction.replaceAllUsesWith(value);
    }
  }

  /// The elements of the constant that the function returns.
  SmallVector<uint64_t> elementsOf(StringRef name) {
    auto *end = cast<ReturnInst>(
        module->getFunction(name)->getEntryBlock().getTerminator());
    Constant *value = ConstantFoldConstant(
        cast<Constant>(end->getReturnValue()), module->getDataLayout());
    SmallVector<uint64_t> elements;
    if (auto *data = dyn_cast<ConstantDataVector>(value))
      for (unsigned i = 0; i < data->getNumElements(); ++i)
        elements.push_back(data->getElementAsInteger(i));
    return elements;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
  /// Functions that have their operation still.
  SmallVector<StringRef> kept;
};
} // namespace

TEST_F(PackBytesTest, BitsOfTheNextByteAreMasked) {
  EXPECT_EQ(elementsOf("shifted"),
            (SmallVector<uint64_t>{0, 15, 1, 8, 0, 8, 2, 4}));
}

TEST_F(PackBytesTest, PairsKeepTheirOrder) {
  EXPECT_EQ(elementsOf("extended"),
            (SmallVector<uint64_t>{0, 255, 16, 143, 1, 128, 35, 69}));
}

TEST_F(PackBytesTest, OtherVectorsStay) {
  EXPECT_EQ(kept, (SmallVector<StringRef>{"odd", "several", "words"}));
}
