//===- TypeInferenceTest.cpp - Tests of the adapter ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/TypeInference.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::schema;

namespace {

class TypeInferenceTest : public ::testing::Test {
protected:
  TypeInferenceTest() {
    context.loadDialect<onnxc::onnx::ONNXDialect, func::FuncDialect>();
  }

  /// The last operation before the terminator of the function in `text`.
  Operation *parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    auto function = *module->getOps<func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getPrevNode();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(TypeInferenceTest, IgnoresPresentResultTypes) {
  Operation *op = parse(R"(func.func @f(%x: tensor<2x3xf32>) {
    %0 = onnx.Transpose(%x) : (tensor<2x3xf32>) -> tensor<7xf32>
    return })");
  auto types = inferResultTypes(op);
  ASSERT_TRUE(succeeded(types));
  EXPECT_EQ(types->front(),
            RankedTensorType::get({3, 2}, Float32Type::get(&context)));
}

TEST_F(TypeInferenceTest, MiddleOperandMayBeAbsent) {
  Operation *op = parse(R"(func.func @f(%x: tensor<2xf32>, %m: tensor<f32>) {
    %0 = onnx.Clip(%x) max(%m) : (tensor<2xf32>, tensor<f32>) -> none
    return })");
  auto types = inferResultTypes(op);
  ASSERT_TRUE(succeeded(types));
  EXPECT_EQ(types->front(), op->getOperand(0).getType());
}

TEST_F(TypeInferenceTest, OneTypePerPresentResult) {
  Operation *op =
      parse(R"(func.func @f(%x: tensor<2x5xf32>, %k: tensor<1xi64>) {
    %0:2 = onnx.TopK(%x, %k) : (tensor<2x5xf32>, tensor<1xi64>) -> (none, none)
    return })");
  auto types = inferResultTypes(op);
  ASSERT_TRUE(succeeded(types));
  ASSERT_EQ(types->size(), 2u);
  EXPECT_TRUE(cast<TensorType>((*types)[1]).getElementType().isInteger(64));
}

TEST_F(TypeInferenceTest, UnknownOperandLeavesResultUnknown) {
  Operation *op = parse(R"(func.func @f(%x: none) {
    %0 = onnx.Relu(%x) : (none) -> none
    return })");
  auto types = inferResultTypes(op);
  ASSERT_TRUE(succeeded(types));
  EXPECT_TRUE(isa<NoneType>(types->front()));
}

TEST_F(TypeInferenceTest, ThrowingBecomesOneError) {
  Operation *op = parse(R"(func.func @f(%x: tensor<2x3xf32>) {
    %0 = onnx.Transpose(%x) {perm = array<i64: 0, 7>} : (tensor<2x3xf32>) -> none
    return })");
  unsigned errors = 0;
  ScopedDiagnosticHandler count(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  EXPECT_TRUE(failed(inferResultTypes(op)));
  EXPECT_EQ(errors, 1u);
}

/// The message of the error in the first result's type, of an operation between
/// operands of unknown shapes.
TEST_F(TypeInferenceTest, NumbersOfWindowsNeedNoShape) {
  const std::pair<const char *, const char *> cases[] = {
      {"Conv(%x, %x) {pads = array<i64: 0, 0, -1, 0>}",
       "attribute pads must not contain negative values"},
      {"Conv(%x, %x) {strides = array<i64: 0, 1>}",
       "attribute strides must only contain positive values"},
      {"Conv(%x, %x) {group = 0 : i64}", "attribute group must be positive"},
      {"ConvTranspose(%x, %x) {output_padding = array<i64: -1>}",
       "attribute output_padding must not contain negative values"},
      {"ConvTranspose(%x, %x) {dilations = array<i64: -1>}",
       "attribute dilations must only contain positive values"},
      {"MaxUnpool(%x, %i) {kernel_shape = array<i64: 2>, pads = array<i64: 0, "
       "-2>}",
       "attribute pads must not contain negative values"},
      {"MaxUnpool(%x, %i) {kernel_shape = array<i64: 0>}",
       "attribute kernel_shape must only contain positive values"},
      {"DeformConv(%x, %x, %x) {offset_group = -1 : i64}",
       "attribute offset_group must be positive"},
      {"DeformConv(%x, %x, %x) {pads = array<i64: -1, 0>}",
       "attribute pads must not contain negative values"},
      {"Col2Im(%x, %i, %i) {pads = array<i64: -1, 0>}",
       "attribute pads must not contain negative values"},
      {"LpPool(%x) {kernel_shape = array<i64: 2>, pads = array<i64: -1, 0>}",
       "attribute pads must not contain negative values"},
  };
  for (auto [node, message] : cases) {
    std::string text = node, types = "tensor<*xf32>";
    for (size_t at = text.find(", %"); at != std::string::npos;
         at = text.find(", %", at + 1))
      types += text[at + 3] == 'i' ? ", tensor<*xi64>" : ", tensor<*xf32>";
    text = "func.func @f(%x: tensor<*xf32>, %i: tensor<*xi64>) {\n%0 = onnx." +
           text + " : (" + types + ") -> none\nreturn }";
    Operation *op = parse(text.c_str());
    ASSERT_TRUE(op) << text;
    std::string error;
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    EXPECT_TRUE(failed(inferResultTypes(op))) << text;
    EXPECT_NE(error.find(message), std::string::npos) << text << error;
  }
}

/// Calls every dimension that is dynamic "n".
struct EverythingIsN final : ValueFacts {
  std::string dimSymbol(Value value, unsigned dim) const override {
    return "n";
  }
};

TEST_F(TypeInferenceTest, NamesOfDimensionsComeBack) {
  Operation *op =
      parse(R"(func.func @f(%x: tensor<?x3xf32>, %y: tensor<?x1xf32>) {
    %0 = onnx.Add(%x, %y) : (tensor<?x3xf32>, tensor<?x1xf32>) -> none
    return })");
  auto results =
      inferResults(op, EverythingIsN(), [&] { return op->emitOpError(); });
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(results->front().dimSymbols[0], "n");
  EXPECT_EQ(results->front().dimSymbols[1], "");
}

} // namespace
