//===- NodeLocationsTest.cpp - Fused names and locations --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/NodeLocations.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

TEST(NodeLocationsTest, FusesNames) {
  EXPECT_EQ(fuseNames("conv", "relu"), "conv+relu");
  EXPECT_EQ(fuseNames("conv+relu", "add+"), "conv+relu+add+");
  EXPECT_EQ(fuseNames("", "relu"), "+relu");
}

TEST(NodeLocationsTest, BoundsFusedNames) {
  std::string name = "a0";
  for (int i = 1; i < 64; ++i)
    name = fuseNames(name, "a" + std::to_string(i));
  EXPECT_EQ(llvm::StringRef(name).count('+'), 63u);
  EXPECT_EQ(fuseNames(name, "more"), name);
  EXPECT_EQ(llvm::StringRef(fuseNames("b+c", name)).count('+'), 63u);
  EXPECT_TRUE(llvm::StringRef(fuseNames("b+c", name)).ends_with("+a61"));
}

TEST(NodeLocationsTest, BoundsFusedLocations) {
  MLIRContext context;
  Location file = NameLoc::get(StringAttr::get(&context, "model.onnx"));
  Location fused = nodeLocation("a0", "Neg", file);
  for (int i = 1; i < 200; ++i)
    fused = fuseLocations(fused,
                          nodeLocation("a" + std::to_string(i), "Neg", file));
  EXPECT_EQ(nodesOf(fused).size(), 64u);
  EXPECT_EQ(nodesOf(fused).front().name, "a0");
}
