//===- DimSpaceTest.cpp - Tests of the algebra of dimensions ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/DimSpace.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

class DimSpaceTest : public ::testing::Test {
protected:
  AffineExpr number(int64_t value) { return space.constant(value); }

  MLIRContext context;
  DimSpace space{&context};
  AffineExpr h = space.input("h", Value(), 0);
  AffineExpr b = space.input("b", Value(), 1);
};

TEST_F(DimSpaceTest, EqualPolynomialsAreOneExpression) {
  AffineExpr left = space.mul(space.add(h, b), space.add(h, number(1)));
  AffineExpr right = space.mul(space.add(number(1), h), space.add(b, h));
  EXPECT_EQ(left, right);
  EXPECT_EQ(space.text(left), "h * h + h * b + h + b");
  EXPECT_EQ(space.sub(left, right), number(0));
}

TEST_F(DimSpaceTest, WholePartsLeaveADivision) {
  AffineExpr sum = space.add(space.mul(h, number(4)), number(7));
  EXPECT_EQ(space.text(space.floorDiv(sum, number(2))), "h * 2 + 3");
  EXPECT_EQ(space.text(space.floorDiv(sum, number(8))), "(h + 1) floordiv 2");
}

TEST_F(DimSpaceTest, DivisionsOfDivisionsAreOne) {
  AffineExpr once = space.ceilDiv(h, 2);
  EXPECT_EQ(space.ceilDiv(once, 2), space.ceilDiv(h, 4));
}

TEST_F(DimSpaceTest, EqualFactorsCancelExactly) {
  AffineExpr product = space.mul(space.ceilDiv(h, 2), b);
  EXPECT_EQ(space.exactDiv(product, b), space.ceilDiv(h, 2));
  EXPECT_EQ(space.text(space.exactDiv(h, b)), "floordiv(h, b)");
}

TEST_F(DimSpaceTest, MaximumOfWhatIsOrdered) {
  EXPECT_EQ(space.max(h, number(0)), h);
  EXPECT_EQ(space.max(space.add(h, number(1)), h), space.add(h, number(1)));
  EXPECT_EQ(space.text(space.max(space.sub(h, number(1)), number(0))),
            "max(h - 1, 0)");
}

TEST_F(DimSpaceTest, BroadcastOfUnknownSizesIsSymmetric) {
  EXPECT_EQ(space.broadcast(h, b), space.broadcast(b, h));
  EXPECT_EQ(space.broadcast(h, number(1)), h);
  EXPECT_EQ(space.broadcast(h, number(5)), number(5));
  // A size that was cut at 100 equals what it is combined with, or fails.
  EXPECT_EQ(space.broadcast(space.min(h, number(100)), h), h);
  EXPECT_NE(space.broadcast(space.min(h, number(1)), h), h);
}

TEST_F(DimSpaceTest, BroadcastsOfTheSameSizesAreOne) {
  AffineExpr both = space.broadcast(h, b);
  EXPECT_EQ(space.broadcast(both, h), both);
  EXPECT_EQ(space.broadcast(b, both), both);
  EXPECT_NE(space.broadcast(both, space.add(h, b)), both);
}

TEST_F(DimSpaceTest, UnknownAndOverflowAreNull) {
  EXPECT_FALSE(space.add(h, AffineExpr()));
  EXPECT_FALSE(space.mul(number(INT64_MAX), number(2)));
  EXPECT_FALSE(space.floorDiv(h, number(0)));
}

// A sum over all of a model has a term for each input, and definitions of
// which each uses the one before twice have texts that double.
TEST_F(DimSpaceTest, LongExpressionsAreUnknown) {
  unsigned terms = 0;
  for (AffineExpr sum = number(0); sum; ++terms)
    sum = space.add(sum, space.input("x" + std::to_string(terms), Value(), 0));
  EXPECT_EQ(terms, DimSpace::maxSize + 1);
  unsigned products = 0;
  for (AffineExpr product = h; product; ++products)
    product = space.mul(product, space.add(product, b));
  EXPECT_LT(products, 8u);
  unsigned definitions = 0;
  for (AffineExpr size = h; size; ++definitions)
    size = space.broadcast(size, space.add(size, b));
  EXPECT_LT(definitions, 9u);
}

TEST_F(DimSpaceTest, TextLeadsBack) {
  AffineExpr expr = space.add(space.ceilDiv(h, 2), b);
  EXPECT_EQ(space.fromText(space.text(expr)), expr);
  EXPECT_FALSE(space.fromText("unk__0"));
}

TEST_F(DimSpaceTest, NamesAreUnique) {
  EXPECT_EQ(space.input("h", Value(), 5), h);
  AffineExpr first = space.result(Value(), 0);
  EXPECT_EQ(space.result(Value(), 0), first);
  EXPECT_NE(space.result(Value(), 1), first);
  AffineExpr clash = space.input(space.text(first), Value(), 0);
  EXPECT_NE(clash, first);
  EXPECT_NE(space.text(clash), space.text(first));
}

} // namespace
