//===- LoopNestTest.cpp - The simulated loops ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Nests without IR: what expressions, tails and packed layouts come out. The
// refusals are tested through the verifier, in test/Dialect/Krnl.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

class LoopNestTest : public ::testing::Test {
protected:
  LoopNestTest() : nest(&context) { context.loadDialect<KrnlDialect>(); }

  /// loops m, n, k; #0 fill [m, n], #1 matmul [m, n, k], operands A, B.
  void makeGemm(int64_t m, int64_t n, int64_t k) {
    nest.addAxis("m", m);
    nest.addAxis("n", n);
    nest.addAxis("k", k);
    nest.addOp("fill", {0, 1}, {false, false});
    nest.addOp("matmul", {0, 1, 2}, {false, false, true});
    nest.addReader(0, 1, {0, 2});
    nest.addReader(1, 1, {2, 1});
  }

  EmitErrorFn error() { return emit; }
  std::string text(AffineExpr expr) {
    std::string result;
    llvm::raw_string_ostream os(result);
    os << expr;
    return result;
  }
  std::string order() {
    std::string result;
    for (unsigned loop : nest.order())
      result += (result.empty() ? "" : " ") + nest.loop(loop).name;
    return result;
  }

  MLIRContext context;
  NestBuilder nest;
  std::function<InFlightDiagnostic()> function = [this] {
    return emitError(UnknownLoc::get(&context));
  };
  EmitErrorFn emit = function;
};

TEST_F(LoopNestTest, TheWorkedExampleOfTheHeader) {
  makeGemm(128, 3072, 768);
  ASSERT_TRUE(succeeded(
      nest.block("n", 384, TailStrategy::Mask, "n.o", "n.c", error())));
  ASSERT_TRUE(succeeded(
      nest.block("n.c", 48, TailStrategy::Mask, "n.p", "n.r", error())));
  ASSERT_TRUE(
      succeeded(nest.block("m", 8, TailStrategy::Mask, "m.o", "m.r", error())));
  ASSERT_TRUE(succeeded(
      nest.reorder({"n.o", "m.o", "n.p", "k", "m.r", "n.r"}, error())));
  ASSERT_TRUE(succeeded(nest.fuseOuter({"n.o", "m.o", "n.p"}, error())));
  ASSERT_TRUE(succeeded(nest.parallel({"n.o", "m.o"}, error())));
  ASSERT_TRUE(succeeded(
      nest.registerTile("m.r", "n.r", 16, {}, /*masked=*/false, error())));

  EXPECT_EQ(order(), "n.o m.o n.p k m.r n.r");
  // Loops 3 n.o, 4 n.c, 5 n.p, 6 n.r, 7 m.o, 8 m.r.
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d3 * 384 + d5 * 48 + d6");
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d7 * 8 + d8");
  for (unsigned loop : nest.order())
    EXPECT_FALSE(nest.endsEarly(loop)) << nest.loop(loop).name;
  EXPECT_EQ(nest.fusedOuterLoops().size(), 3u);
  EXPECT_EQ(nest.parallelLoops().size(), 2u);
  EXPECT_EQ(nest.op(0).loops.size(), 5u) << "the fill has no k";
  EXPECT_EQ(nest.op(1).loops.back().role, RegisterRole::Column);
}

// 100 = 12 * 8 + 4, and 48 does not divide a block of 100.
TEST_F(LoopNestTest, TailsWhereBlocksDoNotDivide) {
  makeGemm(100, 1000, 64);
  ASSERT_TRUE(
      succeeded(nest.block("m", 8, TailStrategy::Peel, "m.o", "m.r", error())));
  ASSERT_TRUE(succeeded(
      nest.block("n", 100, TailStrategy::Peel, "n.o", "n.c", error())));
  ASSERT_TRUE(succeeded(
      nest.block("n.c", 48, TailStrategy::Mask, "n.p", "n.r", error())));
  EXPECT_TRUE(nest.endsEarly(*nest.find("m.r")));
  EXPECT_TRUE(nest.peels(*nest.find("m.o")));
  // 100 divides 1000: nothing is left to peel.
  EXPECT_FALSE(nest.peels(*nest.find("n.o")));
  EXPECT_FALSE(nest.endsEarly(*nest.find("n.p")));
  EXPECT_TRUE(nest.endsEarly(*nest.find("n.r")));
  EXPECT_FALSE(nest.peels(*nest.find("n.p"))) << "masked";
}

// Blocks of m stand inside a fused loop: its value says which block it is.
TEST_F(LoopNestTest, LoopsThatAValueIsMadeFrom) {
  makeGemm(100, 1000, 64);
  ASSERT_TRUE(
      succeeded(nest.block("m", 8, TailStrategy::Mask, "m.o", "m.r", error())));
  ASSERT_TRUE(succeeded(
      nest.block("n", 48, TailStrategy::Mask, "n.o", "n.r", error())));
  ASSERT_TRUE(succeeded(nest.reorder({"m.o", "n.o", "m.r"}, error())));
  ASSERT_TRUE(succeeded(nest.fuse("m.o", "n.o", "blocks", error())));
  unsigned outer = nest.loop(*nest.find("blocks")).parents[0];
  EXPECT_EQ(nest.liveLoops(1, outer),
            SmallVector<unsigned>{*nest.find("blocks")});
  EXPECT_EQ(text(nest.valueExpr(1, outer)), "d7 floordiv 21");
  EXPECT_EQ(nest.liveLoops(1, 0).size(), 2u);
}

TEST_F(LoopNestTest, DynamicExtentsAreSymbols) {
  makeGemm(ShapedType::kDynamic, 96, ShapedType::kDynamic);
  ASSERT_TRUE(
      succeeded(nest.block("m", 8, TailStrategy::Mask, "m.o", "m.r", error())));
  unsigned outer = *nest.find("m.o"), inner = *nest.find("m.r");
  EXPECT_TRUE(nest.loop(outer).isDynamic());
  EXPECT_EQ(text(nest.extentExpr(outer)), "s0 ceildiv 8");
  EXPECT_EQ(text(nest.extentExpr(inner)), "8");
  EXPECT_TRUE(nest.endsEarly(inner));
  EXPECT_FALSE(nest.endsEarly(outer));
}

TEST_F(LoopNestTest, FusedLoopsDivide) {
  makeGemm(10, ShapedType::kDynamic, 64);
  ASSERT_TRUE(succeeded(nest.fuse("m", "n", "mn", error())));
  unsigned fused = *nest.find("mn");
  EXPECT_EQ(text(nest.extentExpr(fused)), "s1 * 10");
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d3 floordiv s1");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d3 mod s1");
  EXPECT_EQ(nest.axesOf(fused).size(), 2u);
}

// Blocks of a fused loop that end where the inner one does leave no division,
// those that divide it one of the blocks.
TEST_F(LoopNestTest, BlocksOfFusedLoops) {
  makeGemm(10, 64, 5);
  ASSERT_TRUE(succeeded(nest.fuse("m", "n", "mn", error())));
  ASSERT_TRUE(succeeded(
      nest.block("mn", 64, TailStrategy::Mask, "b.o", "b.r", error())));
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d4");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d5");
  ASSERT_TRUE(succeeded(
      nest.block("b.r", 16, TailStrategy::Mask, "r.o", "r.r", error())));
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d4");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d6 * 16 + d7");
}

TEST_F(LoopNestTest, BlocksOfHalfAFusedLoop) {
  makeGemm(10, 64, 5);
  ASSERT_TRUE(succeeded(nest.fuse("m", "n", "mn", error())));
  ASSERT_TRUE(succeeded(
      nest.block("mn", 32, TailStrategy::Mask, "b.o", "b.r", error())));
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d4 floordiv 2");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "(d4 mod 2) * 32 + d5");
}

// Blocks of 48 go across the end of the inner loop: 16 is common to both.
TEST_F(LoopNestTest, BlocksAcrossTheEndOfAFusedLoop) {
  makeGemm(9, 64, 5);
  ASSERT_TRUE(succeeded(nest.fuse("m", "n", "mn", error())));
  ASSERT_TRUE(succeeded(
      nest.block("mn", 48, TailStrategy::Mask, "b.o", "b.r", error())));
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "(d4 * 48 + d5) mod 64");
  ASSERT_TRUE(succeeded(
      nest.block("b.r", 16, TailStrategy::Mask, "r.o", "r.r", error())));
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "(d4 * 3 + d6) floordiv 4");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "((d4 * 3 + d6) mod 4) * 16 + d7");
}

// The matmul alone blocks n; the fill keeps it, and both know their n.
TEST_F(LoopNestTest, LoopsOfOneOp) {
  makeGemm(8, 96, 64);
  nest.limitTo(1);
  ASSERT_TRUE(succeeded(
      nest.block("n", 48, TailStrategy::Mask, "n.o", "n.r", error())));
  nest.limitTo(-1);
  EXPECT_EQ(order(), "m n k");
  EXPECT_EQ(text(nest.axisExpr(0, 1)), "d1");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d3 * 48 + d4");
  EXPECT_FALSE(nest.find("n.o").has_value());
  EXPECT_TRUE(nest.find("n.o", 1).has_value());
}

TEST_F(LoopNestTest, PackedLayoutOfPanels) {
  makeGemm(8, 100, 64);
  ASSERT_TRUE(succeeded(
      nest.block("n", 48, TailStrategy::Mask, "n.o", "n.r", error())));
  ASSERT_TRUE(
      succeeded(nest.pack(1, {"k", "n.r"}, Shuffle::Transpose, 0, error())));
  const Pack *pack = nest.packOf(1);
  ASSERT_NE(pack, nullptr);
  EXPECT_EQ(nest.packOf(0), nullptr);
  // n.o is not listed and comes first: three panels, the last one padded.
  PackedLayoutAttr layout = packedLayout(nest, *pack);
  EXPECT_EQ(layout.getDims(), ArrayRef<int64_t>({1, 0, 1}));
  EXPECT_EQ(layout.getSizes(), ArrayRef<int64_t>({3, 64, 48}));
  EXPECT_EQ(layout.getStrides(), ArrayRef<int64_t>({48, 1, 1}));
}

TEST_F(LoopNestTest, StepTextsComeBack) {
  const char *text = "[block(n, 48, tail=peel) -> (n.o, n.r), "
                     "1: vectorize(n.r, 16), \"an op\": unroll(k, 2), "
                     "pack(1, [n.o, k, n.r]), cache(0, at=\"a loop\")]";
  FailureOr<ArrayAttr> recipe = parseRecipeText(text, &context, error());
  ASSERT_TRUE(succeeded(recipe));
  EXPECT_EQ(recipeText(*recipe), text);
  EXPECT_EQ(stepText((*recipe)[0]), "block(n, 48, tail=peel) -> (n.o, n.r)");
}

} // namespace
