//===- InterleaveInstancesTest.cpp - Instances of one payload ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Target/Code/EmitModule.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace onnxc::target;

namespace {
/// Vectors of %x that become those of %y, one after the other.
struct Instances {
  unsigned count;
  /// The number of products of each, with constants or with itself.
  unsigned length = 16;
  /// The elements from the first of a vector to the first of the next one.
  unsigned step = 8;
  /// The parameters of the function.
  const char *parameters = "ptr noalias %x, ptr noalias %y";
  /// Each vector is added to the one before.
  bool isSum = false;
  bool hasConstants = true;
};
} // namespace

static std::string factorOf(const Instances &all, const std::string &instance,
                            unsigned i) {
  return all.hasConstants ? "splat (float " + std::to_string(i + 2) + ".0)"
                          : instance + std::to_string(i);
}

static std::string textOf(const Instances &all) {
  std::string text = std::string("define void @f(") + all.parameters + ") {\n";
  for (unsigned i = 0; i < all.count; ++i) {
    std::string n = "%i" + std::to_string(i) + ".",
                offset = std::to_string(i * all.step);
    text += "  " + n + "x = getelementptr float, ptr %x, i64 " + offset +
            "\n  " + n + "0 = load <8 x float>, ptr " + n + "x, align 4\n";
    for (unsigned j = 0; j < all.length; ++j)
      text += "  " + n + std::to_string(j + 1) + " = fmul <8 x float> " + n +
              std::to_string(j) + ", " + factorOf(all, n, j) + "\n";
    std::string last = n + std::to_string(all.length);
    if (all.isSum && i > 0) {
      text += "  " + n + "s = fadd <8 x float> " + last + ", %i" +
              std::to_string(i - 1) + "." + (i > 1 ? "s" : "16") + "\n";
      last = n + "s";
    }
    text += "  " + n + "y = getelementptr float, ptr %y, i64 " + offset +
            "\n  store <8 x float> " + last + ", ptr " + n + "y, align 4\n";
  }
  return text + "  ret void\n}\n";
}

/// The number of products after another one of the same instance; all but the
/// first of each are, as they are written.
static unsigned adjacentProducts(const Instances &all, const char *cpu) {
  constexpr unsigned level = 3;
  mlir::MLIRContext names;
  names.loadDialect<onnxc::krnl::KrnlDialect>();
  auto target = resolveTarget(&names, "x86_64-unknown-linux-gnu", cpu, "");
  EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(textOf(all), error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  optimizeModule(*module, *createTargetMachine(*target, level), level,
                 /*quick=*/false);
  unsigned count = 0;
  for (const llvm::Instruction &product :
       llvm::instructions(*module->getFunction("f")))
    count += product.getOpcode() == llvm::Instruction::FMul &&
             product.getOperand(0) == product.getPrevNode() &&
             llvm::isa<llvm::BinaryOperator>(product.getPrevNode());
  return count;
}

TEST(InterleaveInstances, ComputesFourAtOnce) {
  EXPECT_EQ(adjacentProducts({4}, "haswell"), 0U);
  // The fifth has none beside it.
  EXPECT_EQ(adjacentProducts({5}, "haswell"), 15U);
}

TEST(InterleaveInstances, LeavesShortOnes) {
  EXPECT_EQ(adjacentProducts({4, /*length=*/6}, "haswell"), 20U);
}

TEST(InterleaveInstances, LeavesOnesOfFewConstants) {
  Instances powers{4};
  powers.hasConstants = false;
  EXPECT_EQ(adjacentProducts(powers, "haswell"), 60U);
}

TEST(InterleaveInstances, LeavesOnesThatDependOnEachOther) {
  Instances sums{4};
  sums.isSum = true;
  EXPECT_EQ(adjacentProducts(sums, "haswell"), 60U);
}

TEST(InterleaveInstances, ReadsWhatIsWrittenInItsOrder) {
  // Results in place are written after the vector of their own alone is read.
  EXPECT_EQ(adjacentProducts({4, 16, 8, "ptr %x, ptr %y"}, "haswell"), 60U);
  EXPECT_EQ(adjacentProducts({4, 16, 8, "ptr noalias %x, ptr %y"}, "haswell"),
            0U);
}

TEST(InterleaveInstances, WritesOverlappingResultsInTheirOrder) {
  EXPECT_EQ(adjacentProducts({4, 16, /*step=*/4}, "haswell"), 60U);
}
