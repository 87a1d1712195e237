//===- OpRanksTest.cpp - Tests of the table of ranks -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

// A row of a misspelt operator would apply to none.
TEST(OpRanks, AllNamesAreOperators) {
  MLIRContext context;
  context.loadDialect<ONNXDialect>();
  SmallVector<StringRef> names = OpRanks::getNames();
  EXPECT_GT(names.size(), 250u);
  for (StringRef name : names)
    EXPECT_TRUE(RegisteredOperationName::lookup(name, &context)) << name.str();
}

TEST(OpRanks, ReadsTokens) {
  MLIRContext context;
  context.loadDialect<ONNXDialect>();
  OpBuilder builder(&context);
  auto x = UnrankedTensorType::get(builder.getF32Type());
  Location loc = builder.getUnknownLoc();
  Block block;
  block.addArguments({x, x, x}, SmallVector<Location>(3, loc));
  builder.setInsertionPointToEnd(&block);
  Operation *op = RotaryEmbeddingOp::create(builder, loc, TypeRange(x),
                                            block.getArguments());
  // "3-4 2-3 2-3=1 2"
  OpRanks ranks = OpRanks::of(op);
  ASSERT_EQ(ranks.operands.size(), 4u);
  EXPECT_EQ(ranks.operands[0].min, 3);
  EXPECT_EQ(ranks.operands[0].max, 4);
  EXPECT_EQ(ranks.operands[0].like, -1);
  EXPECT_EQ(ranks.operands[2].like, 1);
  EXPECT_EQ(ranks.operands[2].more, 0);
  EXPECT_EQ(ranks.operands[3].min, 2);
  EXPECT_EQ(ranks.operands[3].max, 2);
  EXPECT_FALSE(isElementwise(op));
}

} // namespace
