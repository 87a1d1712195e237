//===- DimAnalysisTest.cpp - Tests of what a lowering may ask --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

class DimAnalysisTest : public ::testing::Test {
protected:
  DimAnalysisTest() {
    context.loadDialect<ONNXDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        R"(func.func @f(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                        %y: tensor<?x4xf32> {onnx.dims = ["m", ""]}) -> none {
             %0 = onnx.Relu(%x) : (tensor<?x4xf32>) -> none
             %1 = onnx.Concat(%0, %y) {axis = 0 : i64} : (none, tensor<?x4xf32>) -> none
             %2 = onnx.Shape(%1) {start = 1 : i64} : (none) -> none
             return %2 : none
           })",
        &context);
    function = *module->getOps<func::FuncOp>().begin();
    for (Operation &op : function.getBody().front())
      ops.push_back(&op);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SmallVector<Operation *> ops;
};

TEST_F(DimAnalysisTest, AnswersWithoutTouchingTheModule) {
  DimAnalysis analysis(*module);
  Value relu = ops[0]->getResult(0), both = ops[1]->getResult(0);
  Value x = function.getArgument(0), y = function.getArgument(1);
  EXPECT_TRUE(analysis.areEqual(relu, 0, x, 0));
  EXPECT_FALSE(analysis.areEqual(x, 0, y, 0));
  EXPECT_TRUE(analysis.haveSameShape(relu, x));
  EXPECT_FALSE(analysis.haveSameShape(both, x));
  EXPECT_EQ(analysis.constantDim(both, 1), 4);
  EXPECT_EQ(analysis.texts(both),
            (llvm::SmallVector<std::string>{"n + m", "4"}));
  EXPECT_TRUE(isa<NoneType>(both.getType()));
}

TEST_F(DimAnalysisTest, KnowsElementsOfShapes) {
  DimAnalysis analysis(*module);
  auto contents = analysis.constantContents(ops[2]->getResult(0));
  ASSERT_TRUE(contents.has_value());
  EXPECT_EQ(*contents, SmallVector<int64_t>({4}));
}

TEST_F(DimAnalysisTest, SymbolsSayWhereTheyComeFrom) {
  DimAnalysis analysis(*module);
  auto symbol =
      cast<AffineSymbolExpr>(analysis.dim(function.getArgument(1), 0));
  const DimSymbol &m = analysis.getSpace().symbol(symbol.getPosition());
  EXPECT_EQ(m.kind, DimSymbol::Kind::Input);
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.value, function.getArgument(1));
  EXPECT_EQ(m.dim, 0u);
}

TEST_F(DimAnalysisTest, NewValuesAreUnknownButNamed) {
  DimAnalysis analysis(*module);
  OpBuilder builder(function.getBody().front().getTerminator());
  Value fresh = ReluOp::create(builder, function.getLoc(),
                               function.getArgument(0).getType(),
                               ValueRange{function.getArgument(0)})
                    .getResult();
  EXPECT_FALSE(analysis.areEqual(fresh, 0, function.getArgument(0), 0));
  EXPECT_TRUE(analysis.areEqual(fresh, 0, fresh, 0));
}

} // namespace
