//===- CacheTrafficTest.cpp - Bytes that tiles touch ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cost/CacheTraffic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Blocks of 64 rows and columns, the product of a warp of which is 16 by 8.
constexpr const char *product = R"(
func.func @f(%x: tensor<256x512xf16>, %w: tensor<512x128xf16>, %o: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %y = krnl.kernel "product" loops [m = 256, n = 128, k = 512]
      ins(%x, %w : tensor<256x512xf16>, tensor<512x128xf16>) outs(%o : tensor<256x128xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g),
              block(n, 64) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t),
              parallel(m.o, n.o), map(m.g, thread), map(n.t, thread),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>, %c: tensor<256x128xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<256x512xf16>, tensor<512x128xf16>) -> tensor<256x128xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<256x128xf32>
  } -> tensor<256x128xf32>
  return %y : tensor<256x128xf32>
})";

/// Pixels of an image as one loop, 64 of which are a tile with 16 channels; the
/// sums go over channels of the input and a window of so many rows and columns.
constexpr const char *convolution = R"(
func.func @f(%x: tensor<32x{0}x{0}xf32>, %w: tensor<16x32x{1}x{1}xf32>, %o: tensor<16x56x56xf32>) -> tensor<16x56x56xf32> {{
  %y = krnl.kernel "convolution" loops [f = 16, h = 56, w = 56, c = 32, i = {1}, j = {1}]
      ins(%x, %w : tensor<32x{0}x{0}xf32>, tensor<16x32x{1}x{1}xf32>) outs(%o : tensor<16x56x56xf32>)
      recipe [order(h, w, f, c, i, j), fuse(h, w) -> p, fuse(c, i) -> ci, fuse(ci, j) -> s, block(p, 64) -> (p.o, p.i),
              fuse_outer(p.o, p.i), parallel(p.o), map(p.i, thread)] {{
  ^bb0(%a: tensor<32x{0}x{0}xf32>, %b: tensor<16x32x{1}x{1}xf32>, %d: tensor<16x56x56xf32>):
    %r = krnl.compute [f, h, w | c, i, j] (%p = %a[c, h + i, w + j], %q = %b[f, c, i, j]) -> (%t = %d[f, h, w])
        : (tensor<32x{0}x{0}xf32>, tensor<16x32x{1}x{1}xf32>) -> tensor<16x56x56xf32> {{
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %t, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<16x56x56xf32>
  } -> tensor<16x56x56xf32>
  return %y : tensor<16x56x56xf32>
})";

class CacheTrafficTest : public testing::Test {
protected:
  CacheTrafficTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, krnl::KrnlDialect>();
  }

  /// Bytes of the operand of the only op that a tile of the kernel touches.
  double bytesOf(const std::string &text, unsigned operand) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    double bytes = 0;
    if (!module) {
      ADD_FAILURE() << "the program is wrong";
      return bytes;
    }
    auto target = llvm::cantFail(target::resolveDevices(&context, "cuda:sm_80"))
                      .front()
                      .getProcessor();
    module->walk([&](krnl::KernelOp kernel) {
      auto counts = [&](OpOperand &it) {
        return it.getOperandNumber() == operand;
      };
      bytes = tileTraffic(krnl::LoopNest::replay(kernel), 0, target, counts);
    });
    return bytes;
  }

  MLIRContext context;
};

TEST_F(CacheTrafficTest, AProductReadsItsRowsAndColumnsOnce) {
  EXPECT_EQ(bytesOf(product, 0), 64 * 512 * 2);
  EXPECT_EQ(bytesOf(product, 1), 512 * 64 * 2);
  EXPECT_EQ(bytesOf(product, 2), 64 * 64 * 4);
}

// 64 pixels are one row and a part of the next one, not 64 rows of them.
TEST_F(CacheTrafficTest, LoopsThatAreOneAreCountedOnce) {
  std::string pointwise = llvm::formatv(convolution, 56, 1);
  EXPECT_EQ(bytesOf(pointwise, 0), 32 * 64 * 4);
  EXPECT_EQ(bytesOf(pointwise, 1), 16 * 32 * 4);
  EXPECT_EQ(bytesOf(pointwise, 2), 16 * 64 * 4);
}

// Two rows of 56 pixels, and two more rows and columns for a window of three.
TEST_F(CacheTrafficTest, WindowsOverlap) {
  std::string windows = llvm::formatv(convolution, 58, 3);
  EXPECT_EQ(bytesOf(windows, 0), 32 * (2 + 2) * (56 + 2) * 4);
  EXPECT_EQ(bytesOf(windows, 1), 16 * 32 * 3 * 3 * 4);
}

// They have no line either, which sectors could be counted for.
TEST_F(CacheTrafficTest, DimensionsWithoutElementsHaveNoBytes) {
  constexpr const char *empty = R"(
func.func @f(%x: tensor<8x0xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "empty" loops [m = 8, k = 0]
      ins(%x : tensor<8x0xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x0xf32>, %b: tensor<8xf32>):
    %r = krnl.compute [m | k] (%p = %a[m, k]) -> (%s = %b[m]) : (tensor<8x0xf32>) -> tensor<8xf32> {
      %0 = arith.addf %s, %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
})";
  EXPECT_EQ(bytesOf(empty, 0), 0);
}

} // namespace
