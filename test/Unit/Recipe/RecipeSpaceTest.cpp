//===- RecipeSpaceTest.cpp - Candidates and their costs ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Recipe/ChooseRecipe.h"
#include "onnxc/Recipe/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace {

/// y = x * w, of so many rows; "?" rows are the operand %m.
std::string product(StringRef rows) {
  StringRef m = rows == "?" ? "%m" : rows,
            extent = rows == "?" ? ", %i: index" : "";
  return llvm::formatv(R"(
func.func @f(%x: tensor<{0}x256xf32>, %w: tensor<256x512xf32>,
             %o: tensor<{0}x512xf32>, %m: index) -> tensor<{0}x512xf32> {{
  %y = krnl.kernel "product" loops [m = {1}, n = 512, k = 256]
      ins(%x, %w : tensor<{0}x256xf32>, tensor<256x512xf32>)
      outs(%o : tensor<{0}x512xf32>) {{
  ^bb0(%a: tensor<{0}x256xf32>, %b: tensor<256x512xf32>, %c: tensor<{0}x512xf32>{2}):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<{0}x512xf32> {{
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<{0}x256xf32>, tensor<256x512xf32>) -> tensor<{0}x512xf32> {{
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<{0}x512xf32>
  } -> tensor<{0}x512xf32>
  return %y : tensor<{0}x512xf32>
})",
                       rows, m, extent);
}

/// The elements of a matrix of `rows` x 512, transposed or not.
std::string copy(int rows, bool transposes) {
  return llvm::formatv(R"(
func.func @f(%x: tensor<{1}xf32>, %o: tensor<{0}x512xf32>) -> tensor<{0}x512xf32> {{
  %y = krnl.kernel "copy" loops [m = {0}, n = 512] ins(%x : tensor<{1}xf32>)
      outs(%o : tensor<{0}x512xf32>) {{
  ^bb0(%a: tensor<{1}xf32>, %c: tensor<{0}x512xf32>):
    %r = krnl.compute [m, n] (%in = %a[{2}]) -> (%_ = %c[m, n])
        : (tensor<{1}xf32>) -> tensor<{0}x512xf32> {{
      linalg.yield %in : f32
    }
    krnl.yield %r : tensor<{0}x512xf32>
  } -> tensor<{0}x512xf32>
  return %y : tensor<{0}x512xf32>
})",
                       rows,
                       transposes ? llvm::formatv("512x{0}", rows).str()
                                  : llvm::formatv("{0}x512", rows).str(),
                       transposes ? "n, m" : "m, n");
}

/// y = x * transpose(w), of a constant w with few inputs and outputs: a
/// convolution of one by one.
std::string projection() {
  return R"(
func.func @f(%x: tensor<9216x16xf32>, %o: tensor<9216x16xf32>)
    -> tensor<9216x16xf32> {
  %w = krnl.constant dense<1.0> : tensor<16x16xf32>
  %y = krnl.kernel "projection" loops [m = 9216, n = 16, k = 16]
      ins(%x, %w : tensor<9216x16xf32>, tensor<16x16xf32>)
      outs(%o : tensor<9216x16xf32>) {
  ^bb0(%a: tensor<9216x16xf32>, %b: tensor<16x16xf32>, %c: tensor<9216x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<9216x16xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[n, k]) -> (%sum = %f[m, n])
        : (tensor<9216x16xf32>, tensor<16x16xf32>) -> tensor<9216x16xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<9216x16xf32>
  } -> tensor<9216x16xf32>
  return %y : tensor<9216x16xf32>
})";
}

class RecipeSpaceTest : public testing::Test {
protected:
  RecipeSpaceTest() {
    context.loadDialect<KrnlDialect, func::FuncDialect, arith::ArithDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
    target.vectorBytes = 64;
    target.vectorRegs = 32;
    target.fmaPerCycle = target.loadsPerCycle = 1;
  }

  KernelOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    KernelOp kernel;
    if (module)
      module->walk([&](KernelOp found) { kernel = found; });
    EXPECT_TRUE(kernel);
    return kernel;
  }
  NestCost costOf(KernelOp kernel, ArrayAttr recipe) {
    kernel.setRecipeAttr(recipe);
    return nestCost(kernel, LoopNest::replay(kernel), target);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Processor target;
};

TEST_F(RecipeSpaceTest, EveryCandidateIsLegalAndDiffers) {
  KernelOp kernel = parse(product("128"));
  SmallVector<RecipeCandidate, 0> candidates = enumerateRecipes(kernel, target);
  std::set<const void *> recipes;
  unsigned contractions = 0;
  for (const RecipeCandidate &candidate : candidates) {
    ArrayAttr recipe = candidate.write();
    EXPECT_TRUE(isLegalRecipe(kernel, recipe)) << candidate.choices;
    recipes.insert(recipe.getAsOpaquePointer());
    EXPECT_GT(candidate.cycles, 0);
    contractions += candidate.kind == "contraction";
  }
  EXPECT_EQ(recipes.size(), candidates.size());
  EXPECT_GE(contractions, 30u);
  EXPECT_LT(contractions, candidates.size());
  EXPECT_EQ(kernel.getRecipe().size(), 0u);
}

// The model is no more precise than one percent.
TEST_F(RecipeSpaceTest, TheCheapestOfAKindIsTaken) {
  KernelOp kernel = parse(product("128"));
  auto candidates = enumerateRecipes(kernel, target);
  const RecipeCandidate &taken = candidates[rankRecipes(candidates).front()];
  EXPECT_EQ(taken.kind, "contraction");
  for (const RecipeCandidate &candidate : candidates)
    if (candidate.kind == taken.kind)
      EXPECT_GE(candidate.cycles, 0.99 * taken.cycles) << candidate.choices;
  ArrayAttr chosen = chooseRecipe(kernel, target);
  EXPECT_EQ(costOf(kernel, chosen).cycles,
            costOf(kernel, taken.write()).cycles);
}

TEST_F(RecipeSpaceTest, RanksHaveAllCandidatesOnce) {
  auto candidates = enumerateRecipes(parse(product("128")), target);
  SmallVector<unsigned> ranks = rankRecipes(candidates);
  std::set<unsigned> numbers(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks.size(), candidates.size());
  EXPECT_EQ(numbers.size(), candidates.size());
  // The best of each kind comes before the others.
  EXPECT_NE(candidates[ranks[0]].kind, candidates[ranks[1]].kind);
}

// Rows that become columns are transposed in registers, as this is cheaper than
// to read the elements of a vector one by one.
TEST_F(RecipeSpaceTest, TranspositionIsChosenByItsCost) {
  KernelOp kernel = parse(copy(256, /*transposes=*/true));
  auto candidates = enumerateRecipes(kernel, target);
  ASSERT_GE(candidates.size(), 2u);
  EXPECT_LT(candidates[0].cycles, candidates.back().cycles);
  target.transposeCycles = 4 * target.scatterCycles;
  candidates = enumerateRecipes(kernel, target);
  EXPECT_EQ(rankRecipes(candidates).front(), candidates.size() - 1);
}

// The operands of a step, which are four columns and a row, have registers too.
TEST_F(RecipeSpaceTest, SumsSideBySideHaveRegisters) {
  for (auto [registers, rows] : {std::pair(32, 4), {16, 2}, {8, 1}}) {
    target.vectorRegs = registers;
    EXPECT_EQ(sumTile(target).rows, rows) << registers;
    EXPECT_EQ(sumTile(target).columns, 4) << registers;
  }
}

TEST_F(RecipeSpaceTest, NoCandidatesWithoutIterations) {
  EXPECT_TRUE(enumerateRecipes(parse(product("0")), target).empty());
}

TEST_F(RecipeSpaceTest, OrderIsKeptWhereItMust) {
  KernelOp kernel = parse(product("128"));
  ArrayAttr recipe = chooseRecipe(kernel, target, {/*keepOrder=*/true});
  EXPECT_TRUE(isLegalRecipe(kernel, recipe, {/*keepOrder=*/true}));
}

// The candidate's cost, with packing in a run, is about that of the nest.
TEST_F(RecipeSpaceTest, TheNestOfATileCostsWhatItsCandidateDoes) {
  KernelOp kernel = parse(product("128"));
  for (const RecipeCandidate &candidate : enumerateRecipes(kernel, target))
    if (candidate.kind == "contraction") {
      double cycles = costOf(kernel, candidate.write()).cycles;
      EXPECT_GE(cycles, 0.9 * candidate.cycles) << candidate.choices;
      EXPECT_LE(cycles, 1.2 * candidate.cycles) << candidate.choices;
    }
}

// A special kind is preferred, unless another one is clearly cheaper.
TEST_F(RecipeSpaceTest, KindsAreComparedByTheirCost) {
  auto nothing = [] { return ArrayAttr(); };
  auto taken = [&](double loops) {
    SmallVector<RecipeCandidate, 0> candidates{
        {"contraction", "", 120, nothing},
        {"contraction", "", 100, nothing},
        {"loops", "", loops, nothing}};
    return rankRecipes(candidates).front();
  };
  EXPECT_EQ(taken(85), 1u);
  EXPECT_EQ(taken(75), 2u);
}

// All candidates assume the same rows where they are dynamic: what tiles
// are compared for does not make loops look cheaper.
TEST_F(RecipeSpaceTest, KindsAssumeTheSameDynamicExtents) {
  for (StringRef rows : {"64", "?"}) {
    KernelOp kernel = parse(product(rows));
    auto candidates = enumerateRecipes(kernel, target);
    const RecipeCandidate &taken = candidates[rankRecipes(candidates).front()];
    EXPECT_EQ(taken.kind, "contraction") << rows.str();
    EXPECT_NEAR(taken.cycles, 64.0 * 512 * 256 / 16, 0.2 * taken.cycles);
    EXPECT_NEAR(costOf(kernel, taken.write()).cycles, taken.cycles,
                0.01 * taken.cycles);
  }
}

// Each vector of weights across memory takes as many loads as lanes, in each
// step; packed by the compiler it is one.
TEST_F(RecipeSpaceTest, GatheredOperandsAreReadInEachStep) {
  KernelOp kernel = parse(projection());
  auto candidates = enumerateRecipes(kernel, target);
  double gathered = 0, packed = 0;
  for (const RecipeCandidate &candidate : candidates) {
    if (candidate.kind == "loops" &&
        StringRef(candidate.choices).contains("along n"))
      gathered = candidate.cycles;
    if (candidate.kind == "contraction" &&
        StringRef(candidate.choices).contains("along n, packed"))
      packed = packed == 0 ? candidate.cycles : packed;
  }
  ASSERT_GT(packed, 0);
  EXPECT_GT(gathered, 5 * packed);
}

TEST_F(RecipeSpaceTest, DynamicExtentsAreFactors) {
  KernelOp kernel = parse(product("?"));
  NestCost cost = costOf(kernel, chooseRecipe(kernel, target));
  ASSERT_EQ(cost.terms.size(), 1u);
  EXPECT_EQ(cost.terms[0].axes, SmallVector<unsigned>{0});
  // A row of 512 columns, 256 products each, 16 in a cycle, and some more.
  EXPECT_GT(cost.terms[0].cycles, 512 * 256 / 16);
  EXPECT_LT(cost.terms[0].cycles, 2 * 512 * 256 / 16);
}

// Where the operands do not fit a cache, its bandwidth is the cost.
TEST_F(RecipeSpaceTest, MemoryBoundsCopies) {
  KernelOp kernel = parse(copy(1 << 16, /*transposes=*/false));
  NestCost cost = costOf(kernel, chooseRecipe(kernel, target));
  double bytes = 2.0 * 4 * 512 * (1 << 16);
  EXPECT_DOUBLE_EQ(cost.cycles, bytes / target.memoryBytesPerCycle);
  EXPECT_LT(cost.tileCycles, cost.cycles);
  kernel = parse(copy(1, /*transposes=*/false));
  cost = costOf(kernel, chooseRecipe(kernel, target));
  EXPECT_LT(cost.cycles, 200);
}

} // namespace
