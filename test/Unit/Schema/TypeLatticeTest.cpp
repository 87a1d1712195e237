//===- TypeLatticeTest.cpp - Tests of meet and join ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/TypeLattice.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::schema;

namespace {

class TypeLatticeTest : public ::testing::Test {
protected:
  TypeLatticeTest() { context.loadDialect<onnxc::onnx::ONNXDialect>(); }

  Type type(const char *text) { return parseType(text, &context); }
  Type meet(const char *a, const char *b) {
    return meetTypes(type(a), type(b)).value_or(Type());
  }
  Type join(const char *a, const char *b) {
    return joinTypes(type(a), type(b)).value_or(Type());
  }

  MLIRContext context;
};

TEST_F(TypeLatticeTest, MeetKnowsWhatEitherKnows) {
  EXPECT_EQ(meet("tensor<?x3xf32>", "tensor<2x?xf32>"),
            type("tensor<2x3xf32>"));
  EXPECT_EQ(meet("tensor<*xf32>", "tensor<?xf32>"), type("tensor<?xf32>"));
  EXPECT_EQ(meet("none", "tensor<*xi1>"), type("tensor<*xi1>"));
  EXPECT_EQ(meet("!onnx.seq<tensor<*xf32>>", "!onnx.seq<tensor<4xf32>>"),
            type("!onnx.seq<tensor<4xf32>>"));
  EXPECT_EQ(meet("!onnx.seq<!onnx.map<i64, tensor<*xf32>>>",
                 "!onnx.seq<!onnx.map<i64, tensor<f32>>>"),
            type("!onnx.seq<!onnx.map<i64, tensor<f32>>>"));
}

TEST_F(TypeLatticeTest, MeetFailsOnContradictions) {
  EXPECT_FALSE(meet("tensor<2xf32>", "tensor<3xf32>"));
  EXPECT_FALSE(meet("tensor<2xf32>", "tensor<2x2xf32>"));
  EXPECT_FALSE(meet("tensor<2xf32>", "tensor<2xf64>"));
  EXPECT_FALSE(meet("tensor<2xf32>", "!onnx.seq<tensor<2xf32>>"));
  EXPECT_FALSE(
      meet("!onnx.map<i64, tensor<f32>>", "!onnx.map<i32, tensor<f32>>"));
  EXPECT_FALSE(
      meet("!onnx.map<i64, tensor<f32>>", "!onnx.map<i64, tensor<2xf32>>"));
}

TEST_F(TypeLatticeTest, JoinKnowsWhatBothKnow) {
  EXPECT_EQ(join("tensor<2x3xf32>", "tensor<4x3xf32>"),
            type("tensor<?x3xf32>"));
  EXPECT_EQ(join("tensor<2x3xf32>", "tensor<3xf32>"), type("tensor<*xf32>"));
  EXPECT_EQ(join("none", "tensor<3xf32>"), type("none"));
  EXPECT_EQ(join("!onnx.opt<tensor<2xf32>>", "!onnx.opt<tensor<3xf32>>"),
            type("!onnx.opt<tensor<?xf32>>"));
}

TEST_F(TypeLatticeTest, JoinFailsOnDifferentElements) {
  EXPECT_FALSE(join("tensor<2xf32>", "tensor<2xi64>"));
  EXPECT_FALSE(join("tensor<2xf32>", "!onnx.seq<tensor<2xf32>>"));
}

TEST_F(TypeLatticeTest, SharperIsBelow) {
  EXPECT_TRUE(isAtLeastAsSharp(type("tensor<2xf32>"), type("tensor<?xf32>")));
  EXPECT_TRUE(isAtLeastAsSharp(type("tensor<2xf32>"), type("none")));
  EXPECT_FALSE(isAtLeastAsSharp(type("tensor<?xf32>"), type("tensor<2xf32>")));
  EXPECT_FALSE(isAtLeastAsSharp(type("tensor<3xf32>"), type("tensor<2xf32>")));
}

} // namespace
