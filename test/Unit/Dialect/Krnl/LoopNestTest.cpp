//===- LoopNestTest.cpp - The simulated loops ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Nests without IR: what expressions, guards and packed layouts come out. The
// refusals are tested through the verifier, in test/Dialect/Krnl.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

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
    nest.setOperandAxes(0, {0, 2});
    nest.setOperandAxes(1, {2, 1});
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
  LoopNest nest;
  std::function<InFlightDiagnostic()> function = [this] {
    return emitError(UnknownLoc::get(&context));
  };
  EmitErrorFn emit = function;
};

TEST_F(LoopNestTest, TheWorkedExampleOfTheHeader) {
  makeGemm(128, 3072, 768);
  ASSERT_TRUE(
      succeeded(nest.block("n", 384, Tail::Mask, "n.o", "n.c", error())));
  ASSERT_TRUE(
      succeeded(nest.block("n.c", 48, Tail::Mask, "n.p", "n.r", error())));
  ASSERT_TRUE(succeeded(nest.block("m", 8, Tail::Mask, "m.o", "m.r", error())));
  ASSERT_TRUE(succeeded(
      nest.reorder({"n.o", "m.o", "n.p", "k", "m.r", "n.r"}, error())));
  ASSERT_TRUE(succeeded(nest.share({"n.o", "m.o", "n.p"}, error())));
  ASSERT_TRUE(succeeded(nest.parallel({"n.o", "m.o"}, error())));
  ASSERT_TRUE(succeeded(nest.registerTile("m.r", "n.r", error())));

  EXPECT_EQ(order(), "n.o m.o n.p k m.r n.r");
  // Loops 3 n.o, 4 n.c, 5 n.p, 6 n.r, 7 m.o, 8 m.r.
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d3 * 384 + d5 * 48 + d6");
  EXPECT_EQ(text(nest.axisExpr(1, 0)), "d7 * 8 + d8");
  EXPECT_TRUE(nest.guards(1).empty());
  EXPECT_EQ(nest.sharedLoops().size(), 3u);
  EXPECT_EQ(nest.parallelLoops().size(), 2u);
  EXPECT_TRUE(nest.hasRegisterTile());
  EXPECT_EQ(nest.op(0).loops.size(), 5u) << "the fill has no k";
  EXPECT_EQ(nest.op(1).loops.back().role, RegisterRole::Column);
}

// 100 = 12 * 8 + 4, and 48 does not divide a block of 100.
TEST_F(LoopNestTest, GuardsWhereBlocksDoNotDivide) {
  makeGemm(100, 1000, 64);
  ASSERT_TRUE(succeeded(nest.block("m", 8, Tail::Peel, "m.o", "m.r", error())));
  ASSERT_TRUE(
      succeeded(nest.block("n", 100, Tail::Mask, "n.o", "n.c", error())));
  ASSERT_TRUE(
      succeeded(nest.block("n.c", 48, Tail::Mask, "n.p", "n.r", error())));
  SmallVector<Guard> guards = nest.guards(1);
  ASSERT_EQ(guards.size(), 2u);
  EXPECT_EQ(nest.loop(guards[0].loop).name, "m");
  EXPECT_EQ(guards[0].tail, Tail::Peel);
  EXPECT_EQ(text(guards[0].value), "d3 * 8 + d4");
  EXPECT_EQ(text(guards[0].bound), "100");
  EXPECT_EQ(nest.loop(guards[1].loop).name, "n.c");
  EXPECT_EQ(text(guards[1].value), "d7 * 48 + d8");
  EXPECT_EQ(text(guards[1].bound), "100");
}

TEST_F(LoopNestTest, DynamicExtentsAreSymbols) {
  makeGemm(ShapedType::kDynamic, 96, ShapedType::kDynamic);
  ASSERT_TRUE(succeeded(nest.block("m", 8, Tail::Mask, "m.o", "m.r", error())));
  unsigned outer = *nest.find("m.o"), inner = *nest.find("m.r");
  EXPECT_TRUE(nest.loop(outer).isDynamic());
  EXPECT_EQ(text(nest.extentExpr(outer)), "s0 ceildiv 8");
  EXPECT_EQ(text(nest.extentExpr(inner)), "8");
  ASSERT_EQ(nest.guards(0).size(), 1u);
  EXPECT_EQ(text(nest.guards(0)[0].bound), "s0");
  EXPECT_FALSE(nest.dividesEvenly(outer));
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

// The matmul alone blocks n; the fill keeps it, and both know their n.
TEST_F(LoopNestTest, LoopsOfOneOp) {
  makeGemm(8, 96, 64);
  nest.limitTo(1);
  ASSERT_TRUE(
      succeeded(nest.block("n", 48, Tail::Mask, "n.o", "n.r", error())));
  nest.limitTo(-1);
  EXPECT_EQ(order(), "m n k");
  EXPECT_EQ(text(nest.axisExpr(0, 1)), "d1");
  EXPECT_EQ(text(nest.axisExpr(1, 1)), "d3 * 48 + d4");
  EXPECT_FALSE(nest.find("n.o").has_value());
  EXPECT_TRUE(nest.find("n.o", 1).has_value());
}

TEST_F(LoopNestTest, PackedLayoutOfPanels) {
  makeGemm(8, 100, 64);
  ASSERT_TRUE(succeeded(nest.block("n", 48, Tail::Pad, "n.o", "n.r", error())));
  ASSERT_TRUE(succeeded(nest.pack(1, {"k", "n.r"}, error())));
  const Pack *pack = nest.packOf(1);
  ASSERT_NE(pack, nullptr);
  EXPECT_EQ(nest.packOf(0), nullptr);
  // n.o is not listed and comes first: three panels, the last one padded.
  FailureOr<PackedLayoutAttr> layout = nest.packedLayout(*pack);
  ASSERT_TRUE(succeeded(layout));
  EXPECT_EQ(layout->getDims(), ArrayRef<int64_t>({1, 0, 1}));
  EXPECT_EQ(layout->getSizes(), ArrayRef<int64_t>({3, 64, 48}));
  EXPECT_EQ(layout->getStrides(), ArrayRef<int64_t>({48, 1, 1}));
}

TEST_F(LoopNestTest, PackedLayoutNeedsExtents) {
  makeGemm(8, ShapedType::kDynamic, 64);
  ASSERT_TRUE(
      succeeded(nest.block("n", 48, Tail::Mask, "n.o", "n.r", error())));
  ASSERT_TRUE(succeeded(nest.pack(1, {"n.o", "k", "n.r"}, error())));
  EXPECT_TRUE(failed(nest.packedLayout(*nest.packOf(1))));
}

TEST_F(LoopNestTest, StepTextsComeBack) {
  const char *text = "[block(n, 48, tail=pad) -> (n.o, n.r), "
                     "1: vectorize(n.r, 16), \"an op\": unroll(k, 2), "
                     "pack(1, [n.o, k, n.r]), cache(0, at=\"a loop\")]";
  FailureOr<ArrayAttr> recipe = parseRecipeText(text, &context, error());
  ASSERT_TRUE(succeeded(recipe));
  EXPECT_EQ(recipeText(*recipe), text);
  EXPECT_EQ(stepText((*recipe)[0]), "block(n, 48, tail=pad) -> (n.o, n.r)");
}

} // namespace
