//===- StepRenamingTest.cpp - Other names in the steps ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/StepRenaming.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Marks all names and moves all operands by ten; operand 3 is gone.
struct Marked : StepRenaming {
  std::string loop(StringRef name) const override { return (name + "_").str(); }
  std::optional<unsigned> operand(unsigned number) const override {
    return number == 3 ? std::nullopt : std::optional(number + 10);
  }
  std::string op(StringRef name) const override { return (name + "x").str(); }
};

class StepRenamingTest : public ::testing::Test {
protected:
  StepRenamingTest() { context.loadDialect<KrnlDialect>(); }

  std::string renamed(StringRef text, const StepRenaming &renaming) {
    auto error = [&] { return emitError(UnknownLoc::get(&context)); };
    FailureOr<ArrayAttr> recipe = parseRecipeText(text, &context, error);
    return succeeded(recipe) ? recipeText(renameSteps(*recipe, renaming))
                             : "does not parse";
  }

  MLIRContext context;
};

// Each kind of parameter, alone, beside others, and limited to an op.
TEST_F(StepRenamingTest, AllReferences) {
  EXPECT_EQ(renamed("[block(n, 48, tail=peel) -> (n.o, n.r), order(a, b), "
                    "map(m.c, cluster, as=k.c), map(m.t, thread), "
                    "cache(1, at=k, in=shared, by=tma), pack(2, [a, b]), "
                    "prefetch(0, distance=1, line=64), shared(exp), "
                    "exp: unroll(k, 16, tail=[4]), grid(132)]",
                    Marked()),
            "[block(n_, 48, tail=peel) -> (n.o_, n.r_), order(a_, b_), "
            "map(m.c_, cluster, as=k.c_), map(m.t_, thread), "
            "cache(11, at=k_, in=shared, by=tma), pack(12, [a_, b_]), "
            "prefetch(10, distance=1, line=64), shared(expx), "
            "expx: unroll(k_, 16, tail=[4]), grid(132)]");
}

TEST_F(StepRenamingTest, OperandIsGone) {
  EXPECT_EQ(
      renamed("[pack(3, [a]), arena(sum), exp: cache(3, at=k)]", Marked()),
      "[arena(sumx)]");
}

TEST_F(StepRenamingTest, NothingIsRenamed) {
  StringRef text = "[fuse(i, j) -> ij, cache(5, at=ij), 0: vectorize(c, 16), "
                   "wgmma(a, b, c, d, e, f, g)]";
  EXPECT_EQ(renamed(text, StepRenaming()), text);
}

} // namespace
