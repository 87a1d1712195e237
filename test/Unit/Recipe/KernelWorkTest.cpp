//===- KernelWorkTest.cpp - Operations and bytes of kernels -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/KernelWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "onnxc/Support/NodeLocations.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace onnxc;

namespace {

/// exp(2 * x * w + 1), a product of 4 x 8 and 8 x 16 whose elements two nodes
/// compute, over `m` rows.
constexpr const char *program = R"(
func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %o: tensor<?x16xf32>,
             %m: index) -> tensor<?x16xf32> {
  %y = krnl.kernel "product" loops [m = %m, n = 16, k = 8]
      ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
      outs(%o : tensor<?x16xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>, %i: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x16xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32> {
      %product = arith.mulf %lhs, %rhs : f32 loc("fc"("Gemm"("m.onnx")))
      %next = arith.addf %sum, %product : f32 loc("fc"("Gemm"("m.onnx")))
      linalg.yield %next : f32
    }
    %s = krnl.compute [m, n] () -> (%in = %r[m, n]) : () -> tensor<?x16xf32> {
      %twice = arith.mulf %in, %two : f32 loc("fc"("Gemm"("m.onnx")))
      %more = arith.addf %twice, %one : f32 loc("fc"("Gemm"("m.onnx")))
      %isSmall = arith.cmpf olt, %more, %one : f32 loc("exp"("Exp"("m.onnx")))
      %exp = math.exp %more : f32 loc("exp"("Exp"("m.onnx")))
      %least = arith.select %isSmall, %more, %exp : f32
      linalg.yield %least : f32
    }
    krnl.yield %s : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
})";

/// Row 3 of a table of a thousand rows.
constexpr const char *gather = R"(
func.func @f(%t: tensor<1000x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "row" loops [n = 8]
      ins(%t : tensor<1000x8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%table: tensor<1000x8xf32>, %c: tensor<8xf32>):
    %three = arith.constant 3 : index
    %r = krnl.compute [n] () -> (%_ = %c[n]) : () -> tensor<8xf32> {
      %n = krnl.index n
      %x = tensor.extract %table[%three, %n] : tensor<1000x8xf32>
      linalg.yield %x : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
})";

class KernelWorkTest : public testing::Test {
protected:
  KernelWorkTest() {
    context.loadDialect<krnl::KrnlDialect, arith::ArithDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        math::MathDialect, tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(program, &context);
    if (module)
      module->walk([&](krnl::KernelOp op) { kernel = op; });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  krnl::KernelOp kernel;
};

// A multiply-add is two operations; comparisons and selections are none, and a
// sum of elementwise products is not a multiply-add.
TEST_F(KernelWorkTest, CountsOperationsAndBytes) {
  ASSERT_TRUE(kernel);
  KernelWork work = workOf(kernel, /*unknown=*/4);
  EXPECT_EQ(work.multiplyAdds, 4 * 16 * 8);
  EXPECT_EQ(work.operations, 2 * 4 * 16 * 8 + 3 * 4 * 16);
  EXPECT_EQ(work.bytes, 4.0 * (4 * 8 + 8 * 16 + 4 * 16));
  EXPECT_DOUBLE_EQ(work.intensity(), work.operations / work.bytes);
  EXPECT_EQ(workOf(kernel, 8).operations, 2 * work.operations);
}

/// The work of a launch as text.
std::string launchText(krnl::KernelOp kernel, bool isReplaced = false) {
  std::string text;
  llvm::raw_string_ostream(text)
      << launchWork(kernel, [&](unsigned) { return isReplaced; });
  return text;
}

// The loops touch one of the rows of the table only.
TEST_F(KernelWorkTest, CountsTouchedElements) {
  module = parseSourceString<ModuleOp>(gather, &context);
  ASSERT_TRUE(module);
  module->walk([&](krnl::KernelOp op) { kernel = op; });
  EXPECT_EQ(launchText(kernel), "{bytes = 64 : i64, operations = {}}");
}

// The extent of m is a factor, as are the sizes of x and of the output.
TEST_F(KernelWorkTest, DescribesDynamicSizes) {
  ASSERT_TRUE(kernel);
  EXPECT_EQ(launchText(kernel),
            "{bytes = [[[[32, 1]], [[512, 0]]], [512, [[512, 0]]], "
            "[[[64, 2]], [[64, 0]]], 0], "
            "operations = {f32 = [[304, 0]]}, sizes = [[2], [0, 0], [-1, 0]]}");
}

// Of a packed operand nothing but the extents is known.
TEST_F(KernelWorkTest, ReplacedOperandsHaveNoSizes) {
  ASSERT_TRUE(kernel);
  EXPECT_NE(launchText(kernel, true).find("sizes = [[2]]"), std::string::npos);
}

TEST_F(KernelWorkTest, TellsTheNodesOfOperations) {
  ASSERT_TRUE(kernel);
  std::map<std::string, double> operations;
  forEachOperation(kernel, 4, [&](Location loc, const KernelWork &work) {
    operations[nameOf(loc).str()] += work.operations;
  });
  EXPECT_EQ(operations["fc"], 2 * 4 * 16 * 8 + 2 * 4 * 16);
  EXPECT_EQ(operations["exp"], 4 * 16);
  EXPECT_EQ(operations.size(), 2u);
}

} // namespace
