//===- ConstantsTest.cpp - Tests of reading constants ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

class ConstantsTest : public ::testing::Test {
protected:
  ConstantsTest() { context.loadDialect<ONNXDialect>(); }

  Attribute parse(StringRef text) { return parseAttribute(text, &context); }

  std::vector<int> bytes(StringRef text) {
    SmallVector<char> scratch;
    std::vector<int> result;
    for (char byte : constantBytes(parse(text), scratch))
      result.push_back(static_cast<unsigned char>(byte));
    return result;
  }

  std::vector<int64_t> ints(Attribute attribute) {
    auto found = constantInts(attribute);
    return found ? std::vector<int64_t>(found->begin(), found->end())
                 : std::vector<int64_t>{-99};
  }

  MLIRContext context;
};

using Bytes = std::vector<int>;
using Ints = std::vector<int64_t>;

TEST_F(ConstantsTest, BytesAreRowMajorAndLittleEndian) {
  EXPECT_EQ(bytes("dense<[[1, 2], [258, 4]]> : tensor<2x2xi16>"),
            Bytes({1, 0, 2, 0, 2, 1, 4, 0}));
  EXPECT_EQ(bytes("dense<1.0> : tensor<f32>"), Bytes({0, 0, 128, 63}));
}

TEST_F(ConstantsTest, SplatsAreSpread) {
  EXPECT_EQ(bytes("dense<7> : tensor<3xui16>"), Bytes({7, 0, 7, 0, 7, 0}));
  EXPECT_EQ(bytes("dense<true> : tensor<3xi1>"), Bytes({1, 1, 1}));
}

TEST_F(ConstantsTest, BoolsTakeAByteEach) {
  EXPECT_EQ(bytes("dense<[true, false, true]> : tensor<3xi1>"),
            Bytes({1, 0, 1}));
}

TEST_F(ConstantsTest, SmallElementsArePackedFromTheLowBits) {
  EXPECT_EQ(bytes("dense<[1, -1, 7]> : tensor<3xi4>"), Bytes({0xf1, 0x07}));
  EXPECT_EQ(bytes("dense<[1, 2, 3, 0, 1]> : tensor<5xui2>"),
            Bytes({0x39, 0x01}));
  // 1.0 of f4E2M1 is 0b0010, -6.0 is 0b1111.
  EXPECT_EQ(bytes("dense<[1.0, -6.0]> : tensor<2xf4E2M1FN>"), Bytes({0xf2}));
  // Four elements of six bits in three bytes: 1.0 of f6E2M3 is 0b001000.
  EXPECT_EQ(bytes("dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf6E2M3FN>"),
            Bytes({0x08, 0x00, 0x20}));
}

TEST_F(ConstantsTest, StringsHaveNoBytes) {
  EXPECT_TRUE(bytes("dense<[\"a\"]> : tensor<1x!onnx.string>").empty());
}

TEST_F(ConstantsTest, IntsAreExtendedAsTheirTypeSays) {
  EXPECT_EQ(ints(parse("dense<[1, -2]> : tensor<2xi64>")), Ints({1, -2}));
  EXPECT_EQ(ints(parse("dense<-1> : tensor<i32>")), Ints({-1}));
  EXPECT_EQ(ints(parse("dense<255> : tensor<1xui8>")), Ints({255}));
  EXPECT_EQ(ints(parse("dense<true> : tensor<2xi1>")), Ints({1, 1}));
  EXPECT_EQ(ints(parse("dense<> : tensor<0xi64>")), Ints({}));
}

TEST_F(ConstantsTest, IntsAreOfRankOneAtMostAndIntegers) {
  EXPECT_FALSE(constantInts(parse("dense<1> : tensor<1x1xi64>")));
  EXPECT_FALSE(constantInts(parse("dense<1.0> : tensor<1xf32>")));
  EXPECT_FALSE(constantInts(Attribute()));
  EXPECT_FALSE(constantInts(Value()));
}

TEST_F(ConstantsTest, BlobsReadLikeDenseAttributes) {
  std::vector<char> data = {5, 0, 0, 0, -1, -1, -1, -1};
  auto blob = BlobStore::get(&context).add(
      data, RankedTensorType::get({2}, IntegerType::get(&context, 32)));
  ASSERT_TRUE(blob);
  EXPECT_EQ(ints(blob), Ints({5, -1}));
}

TEST_F(ConstantsTest, EveryFormOfAConstantIsElements) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  auto make = [&](StringRef name, Attribute value) {
    return ConstantOp::create(builder, loc, NoneType::get(&context),
                              ValueRange(), builder.getNamedAttr(name, value));
  };
  auto check = [&](StringRef name, StringRef value, StringRef elements) {
    OwningOpRef<ConstantOp> op(make(name, parse(value)));
    EXPECT_EQ(constantValue(op->getOutput()), parse(elements)) << name.str();
  };
  check("value", "dense<2> : tensor<1xi8>", "dense<2> : tensor<1xi8>");
  check("value_int", "3 : i64", "dense<3> : tensor<i64>");
  check("value_ints", "array<i64: 3>", "dense<3> : tensor<1xi64>");
  check("value_float", "3.0 : f32", "dense<3.0> : tensor<f32>");
  check("value_floats", "array<f32: 3.0, 1.0>",
        "dense<[3.0, 1.0]> : tensor<2xf32>");
  check("value_string", "\"a\"", "dense<\"a\"> : tensor<!onnx.string>");
  check("value_strings", "[\"a\", \"b\"]",
        "dense<[\"a\", \"b\"]> : tensor<2x!onnx.string>");
}

} // namespace
