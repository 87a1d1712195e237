//===- OptimizeTest.cpp - What long host programs get ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/CPU/Emit.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace onnxc::target;

/// A value that goes through a stack slot, and an argument of a region's frame.
static constexpr const char *text = R"(
declare void @region(ptr)
define i64 @host(i64 %n) {
  %slot = alloca i64
  %frame = alloca { i64, i64 }
  store i64 %n, ptr %slot
  %m = load i64, ptr %slot
  %field = getelementptr { i64, i64 }, ptr %frame, i32 0, i32 1
  store i64 %m, ptr %field
  call void @region(ptr %frame)
  %bytes = mul i64 %m, 8
  ret i64 %bytes
})";

static std::string optimize(bool quick) {
  constexpr unsigned level = 3;
  mlir::MLIRContext names;
  names.loadDialect<onnxc::krnl::KrnlDialect>();
  auto target = resolveTarget(&names, "", "generic", "");
  if (!target)
    return llvm::toString(target.takeError());
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  if (!module)
    return error.getMessage().str();
  optimizeModule(*module, *createTargetMachine(*target, level), level, quick);
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os, nullptr);
  return result;
}

static bool contains(const std::string &all, const char *part) {
  return all.find(part) != std::string::npos;
}

TEST(Optimize, CombinesInstructions) {
  std::string result = optimize(/*quick=*/false);
  EXPECT_FALSE(contains(result, "%slot")) << result;
  EXPECT_TRUE(contains(result, "shl i64")) << result;
}

/// Combining looks at all fields of a frame for each of them.
TEST(Optimize, IsLinearInLongFunctions) {
  std::string result = optimize(/*quick=*/true);
  EXPECT_FALSE(contains(result, "%slot")) << result;
  EXPECT_TRUE(contains(result, "mul i64")) << result;
}
