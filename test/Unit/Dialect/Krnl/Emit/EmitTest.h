//===- EmitTest.h - Functions and kernels to emit into ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TEST_UNIT_DIALECT_KRNL_EMIT_EMITTEST_H
#define ONNXC_TEST_UNIT_DIALECT_KRNL_EMIT_EMITTEST_H

#include "LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Recipe/RecipeBuilder.h"
#include "gtest/gtest.h"

namespace onnxc::krnl {

class EmitTest : public ::testing::Test {
protected:
  EmitTest()
      : b(mlir::UnknownLoc::get(&context), &context), math(b),
        module(mlir::ModuleOp::create(b.getLoc())) {
    context
        .loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                     mlir::linalg::LinalgDialect, mlir::memref::MemRefDialect,
                     mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                     mlir::vector::VectorDialect, KrnlDialect>();
  }

  /// The builder stands at the end of a new function with these arguments.
  mlir::ValueRange openFunction(llvm::ArrayRef<mlir::Type> types) {
    b.setInsertionPointToEnd(module->getBody());
    func = mlir::func::FuncOp::create(b, "f", b.getFunctionType(types, {}));
    b.setInsertionPointToStart(func.addEntryBlock());
    return func.getArguments();
  }
  void closeFunction() {
    b.setInsertionPointToEnd(&func.getBody().back());
    mlir::func::ReturnOp::create(b);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  }

  template <typename Op>
  unsigned count() {
    unsigned found = 0;
    module->walk([&](Op) { ++found; });
    return found;
  }

  /// max(x * w, 0) over m = 32, n = 64, k = 16: tiles of 4 rows and 32 columns
  /// stay in registers from the product to the maximum.
  KernelOp makeProduct() {
    auto type = [&](int64_t rows, int64_t columns) {
      return mlir::RankedTensorType::get({rows, columns}, b.getF32Type());
    };
    mlir::ValueRange args = openFunction({type(32, 16), type(16, 64)});
    KernelBuilder builder(b, b.getLoc(), "product");
    mlir::AffineExpr m = builder.loop("m", 32), n = builder.loop("n", 64),
                     k = builder.loop("k", 16);
    mlir::Value x = builder.input(args[0]), w = builder.input(args[1]);
    mlir::Value out = builder.output(type(32, 64));
    mlir::Value zero = builder.constant(b.getF32FloatAttr(0));
    mlir::Value start =
        builder.fill(zero, {builder.temporary(type(32, 64)), {m, n}});
    mlir::Value sum = builder.generic(
        {{x, {m, k}}, {w, {k, n}}}, {start, {m, n}}, {k},
        [](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
          mlir::Value product =
              mlir::arith::MulFOp::create(b, l, args[0], args[1]);
          return mlir::arith::AddFOp::create(b, l, args[2], product)
              .getResult();
        });
    mlir::Value result = builder.generic(
        {{sum, {m, n}}}, {out, {m, n}}, {},
        [&](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
          return mlir::arith::MaximumFOp::create(b, l, args[0], zero)
              .getResult();
        });
    auto kernel = builder.finish({result})[0].getDefiningOp<KernelOp>();
    RecipeBuilder recipe(&context);
    auto [columnBlocks, column] = recipe.block("n", 32);
    auto [rowBlocks, row] = recipe.block("m", 4);
    recipe.order({rowBlocks, columnBlocks, "k", row, column});
    recipe.fuseOuter({rowBlocks, columnBlocks});
    recipe.parallel({rowBlocks});
    recipe.registerTile(row, column, 4);
    kernel.setRecipeAttr(recipe.finish());
    closeFunction();
    return kernel;
  }

  mlir::MLIRContext context;
  mlir::ImplicitLocOpBuilder b;
  LaneMath math;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp func;
};

} // namespace onnxc::krnl

#endif // ONNXC_TEST_UNIT_DIALECT_KRNL_EMIT_EMITTEST_H
