//===- OptimizeTest.cpp - What long host programs get ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/Code/EmitModule.h"

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

/// A row that is copied from where a table says, and one whose index is stored
/// in the loop; neither loop is known to have an iteration.
static constexpr const char *copies = R"(
define void @copy(ptr noalias %from, ptr noalias %table, ptr noalias %to, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %exit
body:
  %row = load i64, ptr %table
  %index = add i64 %row, %i
  %source = getelementptr float, ptr %from, i64 %index
  %value = load float, ptr %source
  %target = getelementptr float, ptr %to, i64 %i
  store float %value, ptr %target
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
}
define void @sum(ptr noalias %from, ptr noalias %to, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %exit
body:
  %source = getelementptr i64, ptr %from, i64 %i
  %value = load i64, ptr %source
  %old = load volatile i64, ptr %to
  %new = add i64 %old, %value
  store i64 %new, ptr %to
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
})";

/// An element that is checked and read, with an error that is noted.
static constexpr const char *checks = R"(
target triple = "x86_64-unknown-linux-gnu"
define void @read(ptr noalias %from, ptr noalias %to, ptr noalias %error, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %after ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %exit
body:
  %source = getelementptr i64, ptr %from, i64 %i
  %index = load i64, ptr %source
  %bad = icmp uge i64 %index, 8
  br i1 %bad, label %note, label %after
note:
  %before = atomicrmw umin ptr %error, i64 %index acq_rel
  br label %after
after:
  %target = getelementptr i64, ptr %to, i64 %i
  store i64 %index, ptr %target
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
})";

/// A function that writes so many elements, with a call after the first half.
static std::string writer(unsigned count, bool calls) {
  std::string text = "declare void @other()\ndefine void @write(ptr %to) {\n";
  for (unsigned i = 0; i < count; ++i) {
    if (calls && i == count / 2)
      text += "  call void @other()\n";
    text += "  store i64 " + std::to_string(i) + ", ptr %to\n";
  }
  return text + "  ret void\n}\n";
}

static bool isLong(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  return hasLongBlock(*module);
}

static std::string optimize(bool quick, const char *text = ::text) {
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

TEST(Optimize, CountsAccessesUpToCalls) {
  EXPECT_FALSE(isLong(writer(maxScheduledAccesses, /*calls=*/false)));
  EXPECT_TRUE(isLong(writer(maxScheduledAccesses + 1, /*calls=*/false)));
  EXPECT_FALSE(isLong(writer(maxScheduledAccesses + 1, /*calls=*/true)));
}

TEST(Optimize, HoistsLoadsOutOfLoopsThatMayNotRun) {
  std::string result = optimize(/*quick=*/false, copies);
  std::string copy = result.substr(0, result.find("@sum")),
              sum = result.substr(result.find("@sum"));
  // Once before the loop, after the test of its length.
  size_t load = copy.find("load i64, ptr %table"), loop = copy.find("phi i64");
  ASSERT_NE(loop, std::string::npos) << copy;
  EXPECT_LT(copy.find("icmp sgt i64 %n, 0"), load) << copy;
  EXPECT_LT(load, loop) << copy;
  // This loop has no load that can be hoisted, and stays as it is.
  EXPECT_LT(sum.find("icmp slt i64 %i, %n"), sum.find("%old")) << sum;
}

// On x86 a minimum is a loop: within another one it would keep that from being
// innermost.
TEST(Optimize, CallsAtomicOperationsOfLoops) {
  std::string result = optimize(/*quick=*/false, checks);
  size_t other = result.find("@note_error(ptr", result.find("define internal"));
  ASSERT_NE(other, std::string::npos) << result;
  std::string read = result.substr(0, other), note = result.substr(other);
  EXPECT_TRUE(contains(read, "call preserve_mostcc void @note_error")) << read;
  EXPECT_FALSE(contains(read, "atomicrmw")) << read;
  EXPECT_TRUE(contains(note, "atomicrmw umin ptr %0, i64 %1 monotonic"))
      << note;
}
