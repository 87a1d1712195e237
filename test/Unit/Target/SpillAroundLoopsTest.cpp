//===- SpillAroundLoopsTest.cpp - Registers of innermost loops --*- C++ -*-===//
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

namespace {
/// Two loops of `sums` sums each, one after the other, and their products.
struct Loops {
  unsigned sums;
  /// The second loop reads the sums of the first one.
  bool readsFirst = false;
  /// The number of branches after them, all within a loop around.
  unsigned branches = 0;
};
} // namespace

static std::string number(const char *prefix, unsigned i) {
  return prefix + std::to_string(i);
}

/// A loop that adds vectors of %x to its sums; it may have no iteration.
static std::string loop(char name, const Loops &loops, char next,
                        const char *factor) {
  std::string n(1, name), text = n + ".head:\n  %" + n + ".i = phi i64 [ 0, %" +
                                 n + " ], [ %" + n + ".next, %" + n +
                                 ".body ]\n";
  for (unsigned s = 0; s < loops.sums; ++s)
    text += "  %" + n + number(".s", s) + " = phi <8 x float> [ splat (float " +
            std::to_string(s) + ".0), %" + n + " ], [ %" + n + number(".t", s) +
            ", %" + n + ".body ]\n";
  text += "  %" + n + ".more = icmp slt i64 %" + n + ".i, %n\n  br i1 %" + n +
          ".more, label %" + n + ".body, label %" + next + "\n" + n +
          ".body:\n  %" + n + ".p = getelementptr <8 x float>, ptr %x, i64 %" +
          n + ".i\n  %" + n + ".v = load <8 x float>, ptr %" + n + ".p\n";
  for (unsigned s = 0; s < loops.sums; ++s) {
    std::string by = *factor ? factor + number(".s", s) : "%" + n + ".v";
    text += "  %" + n + number(".m", s) + " = fmul <8 x float> %" + n + ".v, " +
            by + "\n  %" + n + number(".t", s) + " = fadd <8 x float> %" + n +
            number(".s", s) + ", %" + n + number(".m", s) + "\n";
  }
  return text + "  %" + n + ".next = add i64 %" + n + ".i, 1\n  br label %" +
         n + ".head\n";
}

/// Branches to the next block, with or without a store before.
static std::string branches(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "  " + number("%q.c", i) + " = load volatile i1, ptr %y\n  br i1 " +
            number("%q.c", i) + ", label " + number("%q.then", i) + ", label " +
            number("%q", i) + "\n" + number("q.then", i) +
            ":\n  store volatile i1 0, ptr %y\n  br label " + number("%q", i) +
            "\n" + number("q", i) + ":\n";
  return text;
}

static std::string textOf(const Loops &loops) {
  std::string text = "define void @f(ptr noalias %x, ptr noalias %y, i64 %n) "
                     "{\n  br label %a\na:\n  br label %a.head\n";
  text += loop('a', loops, 'b', "") + "b:\n  br label %b.head\n" +
          loop('b', loops, 'c', loops.readsFirst ? "%a" : "") + "c:\n";
  for (unsigned s = 0; s < loops.sums; ++s)
    text += number("  %c.m", s) + " = fmul <8 x float> %a" + number(".s", s) +
            ", %b" + number(".s", s) + "\n" + number("  %c.p", s) +
            " = getelementptr <8 x float>, ptr %y, i64 " + std::to_string(s) +
            "\n  store <8 x float> " + number("%c.m", s) + ", ptr " +
            number("%c.p", s) + "\n";
  if (loops.branches > 0)
    text += branches(loops.branches) +
            "  %again = load volatile i1, ptr %y\n"
            "  br i1 %again, label %a, label %end\nend:\n";
  return text + "  ret void\n}\n";
}

/// A loop over tiles around the first of the loops. What follows it reads two
/// constants and a vector of the whole function, once for each sum.
static std::string textOfTiles(unsigned sums) {
  std::string text =
      "define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {\n"
      "  %scale = load <8 x float>, ptr %x\n  br label %a\na:\n"
      "  br label %a.head\n" +
      loop('a', {sums}, 'b', "") + "b:\n";
  for (unsigned s = 0; s < sums; ++s)
    text += number("  %b.l", s) + " = fadd <8 x float> %a" + number(".s", s) +
            ", splat (float 1.5)\n" + number("  %b.m", s) +
            " = fmul <8 x float> " + number("%b.l", s) + ", %scale\n" +
            number("  %b.n", s) + " = fadd <8 x float> " + number("%b.m", s) +
            ", splat (float 2.5)\n" + number("  %b.p", s) +
            " = getelementptr <8 x float>, ptr %y, i64 " + std::to_string(s) +
            "\n  store volatile <8 x float> " + number("%b.n", s) + ", ptr " +
            number("%b.p", s) + "\n";
  return text + "  %again = load volatile i1, ptr %y\n"
                "  br i1 %again, label %a, label %end\nend:\n  ret void\n}\n";
}

static std::string optimizeText(const std::string &text, const char *cpu) {
  constexpr unsigned level = 3;
  mlir::MLIRContext names;
  names.loadDialect<onnxc::krnl::KrnlDialect>();
  auto target = resolveTarget(&names, "x86_64-unknown-linux-gnu", cpu, "");
  if (!target)
    return llvm::toString(target.takeError());
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  if (!module)
    return error.getMessage().str();
  optimizeModule(*module, *createTargetMachine(*target, level), level,
                 /*quick=*/false);
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os, nullptr);
  return result;
}

static std::string optimize(const Loops &loops, const char *cpu) {
  return optimizeText(textOf(loops), cpu);
}

static unsigned occurrences(llvm::StringRef text, llvm::StringRef part) {
  return unsigned(text.count(part));
}

TEST(SpillAroundLoops, StoresSumsOfTheLoopBefore) {
  std::string result = optimize({12}, "haswell");
  size_t second = result.find("b.head:"), after = result.find("\nc:");
  ASSERT_NE(after, std::string::npos) << result;
  llvm::StringRef first = llvm::StringRef(result).take_front(second),
                  inner = llvm::StringRef(result).slice(second, after),
                  last = llvm::StringRef(result).substr(after);
  // 12 sums and a product in the loop, and 12 sums that wait.
  constexpr unsigned excess = 12 + 1 + 12 - 16;
  EXPECT_EQ(occurrences(first, "alloca <8 x float>"), excess) << result;
  EXPECT_EQ(occurrences(first, "store <8 x float> %a.s"), excess) << result;
  EXPECT_EQ(occurrences(inner, "alloca") + occurrences(inner, "store"), 0u)
      << result;
  EXPECT_EQ(occurrences(last, "load <8 x float>"), excess) << result;
  EXPECT_EQ(occurrences(last, "%a.s"), 12 - excess) << result;
}

// Stores of tails follow the loops of tiles, and make many blocks.
TEST(SpillAroundLoops, StoresSumsInLongLoops) {
  std::string result = optimize({12, /*readsFirst=*/false, 40}, "haswell");
  EXPECT_EQ(occurrences(result, "alloca <8 x float>"), 9u) << result;
}

TEST(SpillAroundLoops, LeavesSumsThatFit) {
  EXPECT_EQ(occurrences(optimize({4}, "haswell"), "alloca"), 0u);
  EXPECT_EQ(occurrences(optimize({12}, "skylake-avx512"), "alloca"), 0u);
}

TEST(SpillAroundLoops, LeavesSumsThatTheLoopReads) {
  std::string result = optimize({12, /*readsFirst=*/true}, "haswell");
  ASSERT_EQ(occurrences(result, "%a.s11 = phi"), 1u) << result;
  EXPECT_EQ(occurrences(result, "alloca"), 0u) << result;
}

TEST(SpillAroundLoops, StoresWhatIsTheSameForAllTiles) {
  std::string result = optimizeText(textOfTiles(14), "haswell");
  size_t tiles = result.find("a.head:"), after = result.find("\nb:");
  ASSERT_NE(after, std::string::npos) << result;
  llvm::StringRef first = llvm::StringRef(result).take_front(tiles),
                  inner = llvm::StringRef(result).slice(tiles, after),
                  last = llvm::StringRef(result).substr(after);
  // 14 sums and a product in the loop, and three vectors that wait.
  constexpr unsigned excess = 14 + 1 + 3 - 16;
  EXPECT_EQ(occurrences(first, "alloca <8 x float>"), excess) << result;
  EXPECT_EQ(occurrences(first, "store <8 x float>"), excess) << result;
  EXPECT_EQ(occurrences(inner, "alloca") + occurrences(inner, "store"), 0u)
      << result;
  EXPECT_EQ(occurrences(last, "load <8 x float>"), excess) << result;
}

TEST(SpillAroundLoops, LeavesWhatFits) {
  EXPECT_EQ(occurrences(optimizeText(textOfTiles(12), "haswell"), "alloca"),
            0u);
  EXPECT_EQ(
      occurrences(optimizeText(textOfTiles(14), "skylake-avx512"), "alloca"),
      0u);
}
