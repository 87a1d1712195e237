//===- NodeTypesTest.cpp - Types of nodes that are gone --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/NodeTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

Operation *make(OpBuilder &b, StringRef name, int64_t size) {
  OperationState state(NameLoc::get(b.getStringAttr(name)), "test.node");
  state.addTypes(RankedTensorType::get(size, b.getF32Type()));
  return b.create(state);
}

TEST(NodeTypes, AnotherValueAtTheSameAddress) {
  MLIRContext context;
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  Operation *gone = make(b, "gone", 2);
  NodeTypes types;
  types.add({gone->getLoc(), "Node", 1, false, {}, {gone->getResult(0)}, {}});
  std::string imported = types.find("gone")->results[0];
  const void *address = Value(gone->getResult(0)).getAsOpaquePointer();
  gone->erase();
  Operation *other = make(b, "other", 3);
  for (int i = 0; i < 100; ++i)
    if (Value(other->getResult(0)).getAsOpaquePointer() != address)
      other = make(b, "other", 3);
  if (Value(other->getResult(0)).getAsOpaquePointer() != address)
    GTEST_SKIP() << "the memory of an operation is not used again";
  types.refine(*module);
  EXPECT_EQ(types.find("gone")->results[0], imported);
}

} // namespace
