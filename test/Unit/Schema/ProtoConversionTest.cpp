//===- ProtoConversionTest.cpp - Tests of the border to protobuf *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::schema;
using ::onnx::AttributeProto;
using ::onnx::TensorProto;

namespace {

class ProtoConversionTest : public ::testing::Test {
protected:
  ProtoConversionTest() { context.loadDialect<onnxc::onnx::ONNXDialect>(); }

  AttributeProto convert(const char *text) {
    AttributeProto proto;
    EXPECT_TRUE(
        succeeded(toProto("name", parseAttribute(text, &context), proto)));
    EXPECT_EQ(proto.name(), "name");
    return proto;
  }

  MLIRContext context;
};

TEST_F(ProtoConversionTest, EveryElementTypeComesBack) {
  int count = 0;
  for (int number = TensorProto::DataType_MIN;
       number <= TensorProto::DataType_MAX; ++number) {
    Type type = onnxc::onnx::getElementTypeByNumber(&context, number);
    EXPECT_EQ(!type, number == TensorProto::UNDEFINED) << number;
    if (!type)
      continue;
    EXPECT_EQ(onnxc::onnx::getElementTypeNumber(type), unsigned(number));
    ++count;
  }
  EXPECT_EQ(count, 28);
  EXPECT_FALSE(onnxc::onnx::getElementTypeByNumber(&context, 1000));
}

TEST_F(ProtoConversionTest, EveryKindOfTypeComesBack) {
  for (const char *text :
       {"tensor<2x?xf32>", "tensor<*xi64>", "tensor<!onnx.string>",
        "!onnx.seq<tensor<?xui8>>", "!onnx.opt<!onnx.seq<tensor<*xf16>>>",
        "!onnx.map<i64, tensor<f32>>", "!onnx.sparse<tensor<4x4xf32>>"}) {
    Type type = parseType(text, &context);
    ::onnx::TypeProto proto;
    toProto(type, proto);
    EXPECT_EQ(fromProto(proto, &context), type) << text;
  }
}

TEST_F(ProtoConversionTest, UnknownIsNoType) {
  ::onnx::TypeProto proto;
  toProto(NoneType::get(&context), proto);
  EXPECT_EQ(proto.value_case(), ::onnx::TypeProto::VALUE_NOT_SET);
  EXPECT_FALSE(fromProto(proto, &context));
}

TEST_F(ProtoConversionTest, AttributesKeepTheirKind) {
  EXPECT_EQ(convert("-3 : i64").i(), -3);
  EXPECT_EQ(convert("0.5 : f32").f(), 0.5f);
  EXPECT_EQ(convert("\"SAME_UPPER\"").s(), "SAME_UPPER");
  EXPECT_EQ(convert("array<i64: 4, 5>").ints(1), 5);
  EXPECT_EQ(convert("array<f32: 4.0, 5.0>").floats_size(), 2);
  EXPECT_EQ(convert("[\"a\", \"b\"]").strings(1), "b");
  EXPECT_EQ(convert("array<i64>").type(), AttributeProto::INTS);
}

TEST_F(ProtoConversionTest, TensorsAreRaw) {
  AttributeProto proto = convert("dense<[1, 2]> : tensor<2xi32>");
  ASSERT_EQ(proto.type(), AttributeProto::TENSOR);
  EXPECT_EQ(proto.t().data_type(), TensorProto::INT32);
  EXPECT_EQ(proto.t().dims(0), 2);
  EXPECT_EQ(proto.t().raw_data(), std::string("\1\0\0\0\2\0\0\0", 8));
}

TEST_F(ProtoConversionTest, OtherAttributesFail) {
  AttributeProto proto;
  Attribute unit = UnitAttr::get(&context);
  EXPECT_TRUE(failed(toProto("name", unit, proto)));
}

TEST_F(ProtoConversionTest, NamesSplitByDomain) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(splitOpName("onnx.Conv"), Pair("", "Conv"));
  EXPECT_EQ(splitOpName("onnx.ml.ZipMap"), Pair("ai.onnx.ml", "ZipMap"));
  EXPECT_EQ(splitOpName("onnx.training.Adam"),
            Pair("ai.onnx.preview.training", "Adam"));
  EXPECT_TRUE(lookupSchema("onnx.ml.ZipMap"));
  EXPECT_FALSE(lookupSchema("onnx.ZipMap"));
}

} // namespace
