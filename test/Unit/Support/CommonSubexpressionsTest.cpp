//===- CommonSubexpressionsTest.cpp - Merged operations ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Support/CommonSubexpressions.h"
#include "onnxc/Support/RegionHash.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

class CommonSubexpressionsTest : public ::testing::Test {
protected:
  CommonSubexpressionsTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
  }

  MLIRContext context;
};

constexpr StringLiteral branches = R"(
func.func @f(%c: i1, %x: f32) -> (f32, f32, f32) {
  %a = scf.if %c -> f32 {
    %0 = arith.negf %x : f32
    scf.yield %0 : f32
  } else {
    scf.yield %x : f32
  }
  %b = scf.if %c -> f32 {
    %1 = arith.addf %x, %x : f32
    scf.yield %1 : f32
  } else {
    scf.yield %x : f32
  }
  %d = scf.if %c -> f32 {
    %2 = arith.negf %x : f32
    scf.yield %2 : f32
  } else {
    scf.yield %x : f32
  }
  return %a, %b, %d : f32, f32, f32
})";

// Branches that differ only inside have different hashes, so that a chain of
// them is not compared in pairs.
TEST_F(CommonSubexpressionsTest, RegionsAreHashed) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(branches, &context);
  llvm::DenseSet<size_t> hashes;
  module->walk([&](scf::IfOp op) { hashes.insert(hashRegions(op)); });
  EXPECT_EQ(hashes.size(), 2u);
}

TEST_F(CommonSubexpressionsTest, EqualBranchesAreOne) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(branches, &context);
  IRRewriter rewriter(&context);
  unsigned merges = 0;
  EXPECT_TRUE(mergeCommonSubexpressions(
      rewriter, *module, [&](Operation *known, Operation *equal) {
        EXPECT_TRUE(known->isBeforeInBlock(equal));
        ++merges;
      }));
  EXPECT_EQ(merges, 1u);
  unsigned left = 0;
  module->walk([&](scf::IfOp) { ++left; });
  EXPECT_EQ(left, 2u);
  EXPECT_FALSE(mergeCommonSubexpressions(rewriter, *module));
}

} // namespace
