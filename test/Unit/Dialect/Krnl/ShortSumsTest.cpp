//===- ShortSumsTest.cpp - Sums of bytes in 16 bits -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// Long sums of a 16x2 constant in one panel of two columns.
class ShortSumsTest : public ::testing::Test {
protected:
  ShortSumsTest() : bytes(32, 0) { context.loadDialect<KrnlDialect>(); }

  void set(int64_t k, int64_t n, int value) { bytes[2 * k + n] = char(value); }

  std::vector<char> find(int64_t count) {
    auto layout = PackedLayoutAttr::get(&context, {1, 0, 1, 0}, {1, 4, 2, 4},
                                        {2, 4, 1, 1}, {1, count});
    return longSumsOf(layout, {16, 2}, bytes, 0, 1);
  }

  MLIRContext context;
  std::vector<char> bytes;
};

using Table = std::vector<char>;

TEST_F(ShortSumsTest, OnePairFitsUpTo128) {
  set(0, 1, 64);
  set(1, 1, 64);
  set(4, 0, 65);
  set(5, 0, 64);
  set(8, 0, -64);
  set(9, 0, -64);
  set(12, 1, -128);
  set(13, 1, -1);
  EXPECT_EQ(find(1), (Table{0, 1, 0, 1}));
}

TEST_F(ShortSumsTest, SignsAreApart) {
  set(0, 0, 127);
  set(1, 0, -128);
  EXPECT_EQ(find(1), (Table{0, 0, 0, 0}));
}

TEST_F(ShortSumsTest, PairsOfAGroupAndColumnsAreApart) {
  set(0, 0, 100);
  set(2, 0, 100);
  set(1, 1, 100);
  EXPECT_EQ(find(1), (Table{0, 0, 0, 0}));
}

TEST_F(ShortSumsTest, GroupsAddUp) {
  set(1, 0, 100);
  set(4, 0, 29);
  EXPECT_EQ(find(1), (Table{0, 0, 0, 0}));
  EXPECT_EQ(find(2), (Table{1, 0, 0, 0}));
  set(12, 0, 100);
  EXPECT_EQ(find(4), (Table{1, 1, 0, 0}));
}

} // namespace
