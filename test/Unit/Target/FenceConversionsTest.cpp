//===- FenceConversionsTest.cpp - Conversions without a factor --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Code/FenceConversions.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/Code/EmitModule.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace onnxc::target;

/// Each function stores the number that fraction bits would have.
static constexpr const char *text = R"(
define <4 x float> @halves(<4 x i32> %x, ptr %p) {
  store i32 1, ptr %p
  %c = sitofp <4 x i32> %x to <4 x float>
  %y = fmul <4 x float> %c, splat (float 0.5)
  ret <4 x float> %y
}
define <8 x float> @quarters(<8 x i32> %x, ptr %p) {
  store i32 2, ptr %p
  %c = uitofp <8 x i32> %x to <8 x float>
  %y = fdiv <8 x float> %c, splat (float 4.0)
  ret <8 x float> %y
}
define <8 x half> @small(<8 x i16> %x, ptr %p) {
  store i32 3, ptr %p
  %c = sitofp <8 x i16> %x to <8 x half>
  %y = fmul <8 x half> %c, splat (half 0.125)
  ret <8 x half> %y
}
define <4 x i32> @fourfold(<4 x float> %x, ptr %p) {
  store i32 2, ptr %p
  %m = fmul <4 x float> %x, splat (float 4.0)
  %y = fptosi <4 x float> %m to <4 x i32>
  ret <4 x i32> %y
}
define <4 x i32> @saturated(<4 x float> %x, ptr %p) {
  store i32 3, ptr %p
  %m = fmul <4 x float> %x, splat (float 8.0)
  %y = call <4 x i32> @llvm.fptoui.sat(<4 x float> %m)
  ret <4 x i32> %y
}
define <4 x i32> @sum(<4 x float> %x, ptr %p) {
  store i32 1, ptr %p
  %m = fadd <4 x float> %x, %x
  %y = fptoui <4 x float> %m to <4 x i32>
  ret <4 x i32> %y
}
define <8 x i16> @smallSum(<8 x half> %x, ptr %p) {
  store i32 1, ptr %p
  %m = fadd <8 x half> %x, %x
  %y = fptosi <8 x half> %m to <8 x i16>
  ret <8 x i16> %y
}
define <4 x i32> @both(<4 x i32> %x) {
  %c = sitofp <4 x i32> %x to <4 x float>
  %m = fmul <4 x float> %c, splat (float 8.0)
  %y = fptosi <4 x float> %m to <4 x i32>
  ret <4 x i32> %y
}
)";

namespace {
struct Emitted {
  std::string assembly, ir;
};
} // namespace

static Emitted emit(llvm::StringRef triple, llvm::StringRef cpu,
                    unsigned level) {
  mlir::MLIRContext names;
  names.loadDialect<onnxc::krnl::KrnlDialect>();
  auto target = resolveTarget(&names, triple, cpu, "");
  if (!target)
    return {llvm::toString(target.takeError()), ""};
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  if (!module)
    return {error.getMessage().str(), ""};
  CodeFile file = emitModule(*module, *target, level, CodeKind::Assembly);
  Emitted result{{file.bytes.begin(), file.bytes.end()}, ""};
  llvm::raw_string_ostream os(result.ir);
  module->print(os, nullptr);
  return result;
}

static size_t countLines(llvm::StringRef all, llvm::StringRef pattern) {
  llvm::Regex regex(pattern);
  llvm::SmallVector<llvm::StringRef> lines;
  all.split(lines, '\n');
  return llvm::count_if(
      lines, [&](llvm::StringRef line) { return regex.match(line); });
}

// Eight functions, of which one converts two registers and one both ways.
TEST(FenceConversions, LeaveProductsAndSums) {
  for (unsigned level : {0, 2}) {
    std::string code =
        emit("thumbv8.1m.main-none-eabi", "cortex-m55", level).assembly;
    EXPECT_EQ(countLines(code, "vcvt.*q[0-7], q[0-7]$"), 10u) << code;
    EXPECT_EQ(countLines(code, "vcvt.*q[0-7], q[0-7],"), 0u) << code;
    EXPECT_EQ(countLines(code, "(vmul|vadd)[.]f"), 9u) << code;
  }
}

TEST(FenceConversions, AreOfVectorExtensionAlone) {
  static constexpr const char *fence = "call .*@llvm.arithmetic.fence";
  EXPECT_EQ(
      countLines(emit("thumbv8.1m.main-none-eabi", "cortex-m55", 2).ir, fence),
      9u);
  for (const char *triple : {"thumbv7em-none-eabi", "x86_64-unknown-linux-gnu"})
    EXPECT_EQ(countLines(emit(triple, "generic", 2).ir, fence), 0u) << triple;
}
