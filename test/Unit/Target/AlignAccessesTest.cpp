//===- AlignAccessesTest.cpp - How accesses are aligned ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/AlignAccesses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

/// A row of 64 bytes and a vector of 16 in it, by an index of seven numbers;
/// the second access is 8 bytes further.
static constexpr const char *text = R"(
define void @f(ptr align 16 %x, ptr align 4 %y, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e) {
  %t0 = shl nuw nsw i64 %a, 5
  %t1 = shl nuw nsw i64 %b, 4
  %t2 = add nuw nsw i64 %t0, %t1
  %t3 = shl nuw nsw i64 %c, 3
  %t4 = add nuw nsw i64 %t2, %t3
  %t5 = mul nuw nsw i64 %d, 24
  %t6 = add nuw nsw i64 %t4, %t5
  %t7 = mul nuw nsw i64 %e, 40
  %t8 = add nuw nsw i64 %t6, %t7
  %global = addrspacecast ptr %x to ptr addrspace(1)
  %at = getelementptr half, ptr addrspace(1) %global, i64 %t8
  %v = load <8 x half>, ptr addrspace(1) %at, align 2
  %after = getelementptr i8, ptr addrspace(1) %at, i64 8
  store <8 x half> %v, ptr addrspace(1) %after, align 2
  %other = getelementptr half, ptr %y, i64 %t8
  store <8 x half> %v, ptr %other, align 2
  ret void
})";

TEST(AlignAccessesTest, SumsOfManyNumbersAreMultiples) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  FunctionAnalysisManager analyses;
  PassBuilder().registerFunctionAnalyses(analyses);
  Function &function = *module->getFunction("f");
  onnxc::target::AlignAccessesPass().run(function, analyses);
  SmallVector<uint64_t> alignments;
  for (Instruction &instruction : instructions(function))
    if (getLoadStorePointerOperand(&instruction))
      alignments.push_back(getLoadStoreAlignment(&instruction).value());
  EXPECT_EQ(alignments, (SmallVector<uint64_t>{16, 8, 4}));
}
