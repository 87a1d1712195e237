//===- EinsumEquationTest.cpp - Tests of equations -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/EinsumEquation.h"

#include "gtest/gtest.h"

using namespace mlir;
using onnxc::onnx::EinsumEquation;
using Labels = EinsumEquation::Labels;

namespace {

TEST(EinsumEquation, CountsAnEllipsisFromItsEnd) {
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse("...ij, ...jk -> ...ik", {4, 3});
  ASSERT_TRUE(succeeded(equation));
  EXPECT_EQ(equation->operands[0], (Labels{-2, -1, 'i', 'j'}));
  EXPECT_EQ(equation->operands[1], (Labels{-1, 'j', 'k'}));
  EXPECT_EQ(equation->result, (Labels{-2, -1, 'i', 'k'}));
}

TEST(EinsumEquation, WithoutArrowKeepsLettersThatOccurOnce) {
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse("...kB,Bj", {3, 2});
  ASSERT_TRUE(succeeded(equation));
  EXPECT_EQ(equation->result, (Labels{-1, 'j', 'k'}));
}

TEST(EinsumEquation, RejectsOtherRanksAndTexts) {
  EXPECT_TRUE(failed(EinsumEquation::parse("ij,jk->ik", {2, 3})));
  EXPECT_TRUE(failed(EinsumEquation::parse("ij,jk->ik", {2})));
  EXPECT_TRUE(failed(EinsumEquation::parse("ij->il", {2})));
  EXPECT_TRUE(failed(EinsumEquation::parse("ij->ii", {2})));
  EXPECT_TRUE(failed(EinsumEquation::parse("i1->i", {2})));
}

} // namespace
