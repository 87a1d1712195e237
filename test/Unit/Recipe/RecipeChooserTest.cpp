//===- RecipeChooserTest.cpp - One choice for kernels alike -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

namespace {

/// A function that multiplies %x by each of the matrices, which are names of
/// values: %w is an argument, %c and %d are constants.
std::string products(ArrayRef<StringRef> matrices) {
  std::string text = R"(
func.func @f(%x: tensor<64x256xf32>, %w: tensor<256x512xf32>,
             %m: index, %o: tensor<64x512xf32>) {
  %c = krnl.constant dense<1.0> : tensor<256x512xf32>
  %d = krnl.constant dense<2.0> : tensor<256x512xf32>
)";
  for (StringRef matrix : matrices)
    text += llvm::formatv(R"(
  %of_{1} = krnl.kernel "{1}" loops [m = 64, n = 512, k = 256]
      ins(%x, %{0} : tensor<64x256xf32>, tensor<256x512xf32>)
      outs(%o : tensor<64x512xf32>) {{
  ^bb0(%a: tensor<64x256xf32>, %b: tensor<256x512xf32>, %s: tensor<64x512xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<64x512xf32> {{
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32> {{
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<64x512xf32>
  } -> tensor<64x512xf32>
)",
                          matrix, matrix + std::to_string(text.size()));
  return text + "  return\n}\n";
}

class RecipeChooserTest : public testing::Test {
protected:
  RecipeChooserTest() {
    context.loadDialect<KrnlDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect>();
    target.vectorBytes = 64;
    target.vectorRegs = 32;
  }

  SmallVector<KernelOp> parse(const std::string &text, bool verifies = true) {
    module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context, verifies));
    SmallVector<KernelOp> kernels;
    module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    return kernels;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  target::Processor target;
};

// Layers differ in the numbers of their weights, and in names.
TEST_F(RecipeChooserTest, KernelsAlikeAreOneChoice) {
  SmallVector<KernelOp> kernels = parse(products({"c", "d", "c"}));
  ASSERT_EQ(kernels.size(), 3u);
  RecipeChooser chooser(target);
  for (KernelOp kernel : kernels)
    EXPECT_EQ(chooser.choose(kernel), chooseRecipe(kernel, target));
  EXPECT_EQ(chooser.getNumChoices(), 1u);
}

// A matrix that is not a constant is packed in each run or not at all.
TEST_F(RecipeChooserTest, OperandsFromElsewhereAreAnotherChoice) {
  SmallVector<KernelOp> kernels = parse(products({"c", "w", "d", "w"}));
  ASSERT_EQ(kernels.size(), 4u);
  RecipeChooser chooser(target);
  for (KernelOp kernel : kernels)
    EXPECT_EQ(chooser.choose(kernel), chooseRecipe(kernel, target));
  EXPECT_EQ(chooser.getNumChoices(), 2u);
  EXPECT_NE(chooser.choose(kernels[0]), chooser.choose(kernels[1]));
}

// Kernels that have got their recipes are compared with later ones.
TEST_F(RecipeChooserTest, RecipesOfEarlierKernelsDoNotCount) {
  SmallVector<KernelOp> kernels = parse(products({"c", "d"}));
  ASSERT_EQ(kernels.size(), 2u);
  RecipeChooser chooser(target);
  for (KernelOp kernel : kernels)
    kernel.setRecipeAttr(chooser.choose(kernel));
  EXPECT_FALSE(kernels[1].getRecipe().empty());
  EXPECT_EQ(kernels[0].getRecipeAttr(), kernels[1].getRecipeAttr());
  EXPECT_EQ(chooser.getNumChoices(), 1u);
}

// Passes change kernels, and ask for those that are like earlier ones. An order
// to be kept is another choice.
TEST_F(RecipeChooserTest, KernelsThatAreGoneAreKnown) {
  SmallVector<KernelOp> kernels = parse(products({"c", "d"}));
  ASSERT_EQ(kernels.size(), 2u);
  RecipeChooser chooser(target);
  std::optional<NestCost> cost = chooser.costOf(kernels[0]);
  ASSERT_TRUE(cost);
  kernels[0].erase();
  EXPECT_EQ(chooser.costOf(kernels[1])->cycles, cost->cycles);
  EXPECT_EQ(chooser.cyclesOf({kernels[1], kernels[1]}), 2 * cost->cycles);
  EXPECT_EQ(chooser.getNumChoices(), 1u);
  EXPECT_EQ(chooser.choose(kernels[1], {/*keepOrder=*/true}),
            chooseRecipe(kernels[1], target, {/*keepOrder=*/true}));
  EXPECT_EQ(chooser.getNumChoices(), 2u);
}

// The cost with the recipe of another kernel is no choice of its own. An
// illegal recipe has none.
TEST_F(RecipeChooserTest, RecipesOfOthersHaveCosts) {
  SmallVector<KernelOp> kernels = parse(products({"c", "w"}));
  ASSERT_EQ(kernels.size(), 2u);
  RecipeChooser chooser(target);
  std::optional<NestCost> own = chooser.costOf(kernels[0]);
  std::optional<NestCost> same =
      chooser.costWith(kernels[0], chooser.choose(kernels[0]));
  std::optional<NestCost> other =
      chooser.costWith(kernels[0], ArrayAttr::get(&context, {}));
  ASSERT_TRUE(own && same && other);
  EXPECT_EQ(same->cycles, own->cycles);
  EXPECT_GT(other->cycles, own->cycles);
  ArrayAttr twice = ArrayAttr::get(
      &context, llvm::to_vector(llvm::concat<const Attribute>(
                    chooser.choose(kernels[0]), chooser.choose(kernels[0]))));
  EXPECT_FALSE(chooser.costWith(kernels[0], twice));
  EXPECT_EQ(chooser.getNumChoices(), 1u);
}

// No recipe is chosen for what follows kernels that take too long.
TEST_F(RecipeChooserTest, KernelsBehindTheLimitAreNotAsked) {
  SmallVector<KernelOp> kernels = parse(products({"c", "w"}));
  ASSERT_EQ(kernels.size(), 2u);
  RecipeChooser chooser(target);
  std::optional<NestCost> first = chooser.costOf(kernels[0]);
  ASSERT_TRUE(first);
  EXPECT_EQ(chooser.cyclesOf(kernels, {}, first->cycles), std::nullopt);
  EXPECT_EQ(chooser.getNumChoices(), 1u);
  std::optional<double> both = chooser.cyclesOf(kernels);
  ASSERT_TRUE(both);
  EXPECT_GT(*both, first->cycles);
  EXPECT_EQ(chooser.cyclesOf(kernels, {}, *both), std::nullopt);
  EXPECT_EQ(chooser.cyclesOf(kernels, {}, 2 * *both), both);
  EXPECT_EQ(chooser.getNumChoices(), 2u);
}

// Planners look at what all steps make; the recipe that is taken has to be
// legal after each.
TEST_F(RecipeChooserTest, ChecksAfterTheLastStepSeeTheWholeRecipe) {
  auto reasonFor = [&](StringRef last, NestChecks checks) {
    std::string text = products({"c"}), outs = "outs(%o : tensor<64x512xf32>)";
    text.insert(text.find(outs) + outs.size(),
                llvm::formatv(" recipe [block(m, 7) -> (m.o, m.i), order(m.i, "
                              "m.o, n, k), {0}]",
                              last));
    std::string reason;
    (void)LoopNest::tryReplay(parse(text, /*verifies=*/false).front(), reason,
                              checks);
    return reason;
  };
  for (StringRef last : {"order(m.o, m.i, n, k)", "order(m.i, n, m.o, k)"})
    EXPECT_THAT(
        reasonFor(last, NestChecks::AfterEachStep),
        testing::HasSubstr("step 2 'order(m.i, m.o, n, k)': loop 'm.i' ends"));
  EXPECT_EQ(reasonFor("order(m.o, m.i, n, k)", NestChecks::AfterLastStep), "");
  EXPECT_THAT(
      reasonFor("order(m.i, n, m.o, k)", NestChecks::AfterLastStep),
      testing::HasSubstr("step 3 'order(m.i, n, m.o, k)': loop 'm.i' ends"));
}

} // namespace
