//===- OpBuilderTest.cpp - Tests of the builder and the table --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

class OpBuilderTest : public ::testing::Test {
protected:
  OpBuilderTest() {
    context.loadDialect<ONNXDialect>();
    for (int i = 0; i < 5; ++i)
      block.addArgument(type, loc);
    builder.setInsertionPointToEnd(&block);
  }

  MLIRContext context;
  OpBuilder builder{&context};
  Location loc = builder.getUnknownLoc();
  Type type = RankedTensorType::get({2}, builder.getF32Type());
  Block block;
};

TEST_F(OpBuilderTest, NullStandsForAnAbsentOperand) {
  Value x = block.getArgument(0), max = block.getArgument(1);
  auto op = ClipOp::create(builder, loc, type, ValueRange{x, Value(), max});
  EXPECT_EQ(op->getNumOperands(), 2u);
  EXPECT_EQ(op.getInput(), x);
  EXPECT_FALSE(op.getMin());
  EXPECT_EQ(op.getMax(), max);
  EXPECT_TRUE(succeeded(verify(op)));
}

TEST_F(OpBuilderTest, NothingAtTheEndNeedBeGiven) {
  auto op = ClipOp::create(builder, loc, type, block.getArgument(0));
  EXPECT_FALSE(op.getMin());
  EXPECT_FALSE(op.getMax());
  EXPECT_TRUE(succeeded(verify(op)));
}

TEST_F(OpBuilderTest, NullStandsForAnAbsentResult) {
  ValueRange operands = block.getArguments().take_front(3);
  auto op = GRUOp::create(
      builder, loc, TypeRange{Type(), type}, operands,
      builder.getNamedAttr("hidden_size", builder.getI64IntegerAttr(3)));
  EXPECT_EQ(op->getNumResults(), 1u);
  EXPECT_FALSE(op.getY());
  EXPECT_TRUE(op.getYH());
  EXPECT_EQ(op.getHiddenSize(), 3);
  EXPECT_EQ(op.getDirection(), "forward");
  EXPECT_TRUE(succeeded(verify(op)));
}

TEST_F(OpBuilderTest, AVariadicOperandTakesAllThatIsLeft) {
  auto op = ConcatOp::create(
      builder, loc, type, block.getArguments(),
      builder.getNamedAttr("axis", builder.getI64IntegerAttr(-1)));
  EXPECT_EQ(op.getInputs().size(), 5u);
  EXPECT_EQ(op.getAxis(), -1);
  EXPECT_TRUE(succeeded(verify(op)));
}

TEST_F(OpBuilderTest, GraphsAreRegions) {
  auto op = IfOp::create(builder, loc, type, block.getArgument(0));
  EXPECT_EQ(op->getNumRegions(), 2u);
  EXPECT_EQ(&op.getThenBranch(), &op->getRegion(0));
}

TEST_F(OpBuilderTest, DefaultsAreThoseOfTheSchema) {
  auto op = GemmOp::create(builder, loc, type,
                           ValueRange(block.getArguments().take_front(2)));
  EXPECT_EQ(op.getAlpha(), 1.0f);
  EXPECT_EQ(op.getTransB(), 0);
  auto norm = MeanVarianceNormalizationOp::create(builder, loc, type,
                                                  block.getArgument(0));
  EXPECT_EQ(norm.getAxes(), ArrayRef<int64_t>({0, 2, 3}));
}

TEST_F(OpBuilderTest, EveryOperationOfASchemaHasARow) {
  size_t count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "onnx" &&
        name.getStringRef() != "onnx.Yield" &&
        name.getStringRef() != "onnx.Fail" &&
        name.getStringRef() != "onnx.Custom") {
      EXPECT_TRUE(OpSignature::find(name.getStringRef()))
          << name.getStringRef().str();
      ++count;
    }
  EXPECT_EQ(count, OpSignature::getAll().size());
  // 227 of the onnx library and 90 of com.microsoft.
  EXPECT_EQ(count, 317u);
  EXPECT_FALSE(OpSignature::find("onnx.Absent"));
}

TEST_F(OpBuilderTest, ElementTypesHaveOnnxNumbers) {
  for (unsigned number = 1; number <= 28; ++number) {
    Type element = getElementTypeByNumber(&context, number);
    ASSERT_TRUE(element);
    EXPECT_EQ(getElementTypeNumber(element), number);
  }
  EXPECT_FALSE(getElementTypeByNumber(&context, 0));
  EXPECT_FALSE(getElementTypeByNumber(&context, 29));
  EXPECT_EQ(getElementTypeNumber(builder.getIndexType()), 0u);
}

} // namespace
