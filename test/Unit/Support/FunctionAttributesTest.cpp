//===- FunctionAttributesTest.cpp - Of all arguments at once ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/FunctionAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

TEST(FunctionAttributesTest, AddsToWhatIsThere) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  Builder b(&context);
  SmallVector<Type> types(3, b.getI32Type());
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      b.getUnknownLoc(), "f", b.getFunctionType(types, types));
  function->setArgAttr(0, "t.kept", b.getUnitAttr());
  function->setArgAttr(0, "t.set", b.getUnitAttr());
  SmallVector<Attribute> values{b.getBoolAttr(true), {}};
  setArgAttrs(*function, "t.set", values);
  EXPECT_EQ(function->getArgAttr(0, "t.set"), values[0]);
  EXPECT_TRUE(function->getArgAttr(0, "t.kept"));
  EXPECT_FALSE(function->getArgAttr(1, "t.set"));
  EXPECT_FALSE(function->getArgAttr(2, "t.set"));

  setResultAttrs(*function, "t.set", {Attribute(), Attribute()});
  EXPECT_FALSE(function->getResAttrsAttr());
  setResultAttrs(*function, "t.set", {Attribute(), b.getUnitAttr()});
  EXPECT_FALSE(function->getResultAttr(0, "t.set"));
  EXPECT_TRUE(function->getResultAttr(1, "t.set"));
}
