// RUN: onnx-opt %s --convert-onnx-to-krnl --select-target="triple=x86_64-linux-gnu cpu=haswell" --krnl-split-factors --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Tiles of 2 x 4 and of 4 x 2 vectors take as many multiply-adds. Panels of four
// vectors with 288 steps have 36 KiB, which the first cache cannot keep from one tile
// of rows to the next; those of two vectors stay there.
// CHECK-LABEL: kernel "MatMul"
// CHECK-NEXT:    block(n, 16) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 4) -> (m.o, m.r),
// CHECK:         pack(1, [n.o, k, n.r])
func.func @large_panels(%a: tensor<16x7x288xf32>) -> tensor<16x7x32xf32> {
  %w = onnx.Constant dense<1.0> : tensor<16x288x32xf32>
  %y = onnx.MatMul(%a, %w) : (tensor<16x7x288xf32>, tensor<16x288x32xf32>) -> tensor<16x7x32xf32>
  return %y : tensor<16x7x32xf32>
}

// All panels of fewer steps stay there: the preferred tile has more vectors.
// CHECK-LABEL: kernel "MatMul#2"
// CHECK-NEXT:    block(n, 32) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 2) -> (m.o, m.r),
// CHECK:         pack(1, [n.o, k, n.r])
func.func @small_panels(%a: tensor<16x7x144xf32>) -> tensor<16x7x32xf32> {
  %w = onnx.Constant dense<1.0> : tensor<16x144x32xf32>
  %y = onnx.MatMul(%a, %w) : (tensor<16x7x144xf32>, tensor<16x144x32xf32>) -> tensor<16x7x32xf32>
  return %y : tensor<16x7x32xf32>
}

// Weights of 4 bits are computed for a slice of the sums, of which all registers but
// those of a row and a vector hold sums.
// CHECK-LABEL: kernel "MatMulNBits"
// CHECK-NEXT:    block(n, 72) -> (n.o, n.cached),
// CHECK-NEXT:    block(n.cached, 24) -> (n.p, n.r),
// CHECK-NEXT:    block(m, 4) -> (m.o, m.r),
// CHECK-NEXT:    block(block, 4) -> (block.o, block.i),
// CHECK-NEXT:    order(n.o, block.o, m.o, n.p, block.i, byte, part, m.r, n.r),
// CHECK-NEXT:    0: hoist(block.o),
// CHECK-NEXT:    1: hoist(m.o),
func.func @computed_panels(%a: tensor<128x2048xf32>) -> tensor<128x2048xf32> {
  %w = onnx.Constant dense<254> : tensor<2048x64x16xui8>
  %s = onnx.Constant dense<2.0> : tensor<131072xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 2048 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<128x2048xf32>, tensor<2048x64x16xui8>, tensor<131072xf32>) -> tensor<128x2048xf32>
  return %y : tensor<128x2048xf32>
}

// A panel of 4096 steps has 256 KiB, a quarter of the second cache and more: all rows of a block read a slice before
// the next one, and the sums are continued where the results are.
// CHECK-LABEL: kernel "MatMul#3"
// CHECK-NEXT:    block(n, 64) -> (n.o, n.cached),
// CHECK-NEXT:    block(n.cached, 16) -> (n.p, n.r),
// CHECK-NEXT:    block(m, 132) -> (m.o, m.cached),
// CHECK-NEXT:    block(m.cached, 6) -> (m.p, m.r),
// CHECK-NEXT:    block(k, 512) -> (k.o, k.i),
// CHECK-NEXT:    order(n.o, m.o, k.o, m.p, n.p, k.i, m.r, n.r),
// CHECK-NEXT:    0: hoist(k.o),
// CHECK-NEXT:    fuse_outer(n.o, m.o, k.o, m.p, n.p),
// CHECK-NEXT:    parallel(n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=8),
// CHECK-NEXT:    0: vectorize(n.r, 8),
// CHECK-NEXT:    pack(1, [n.p, k.o, k.i, n.r])
// CHECK-NEXT:  ]
func.func @slices(%a: tensor<256x4096xf32>) -> tensor<256x1024xf32> {
  %w = onnx.Constant dense<1.0> : tensor<4096x1024xf32>
  %y = onnx.MatMul(%a, %w) : (tensor<256x4096xf32>, tensor<4096x1024xf32>) -> tensor<256x1024xf32>
  return %y : tensor<256x1024xf32>
}
