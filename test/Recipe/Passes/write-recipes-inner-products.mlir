// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Eight rows are too few to pack the columns for: four of them times four columns are
// summed up side by side, along the sums. The scale has lanes along a line of columns.
// CHECK-LABEL: kernel "eight"
// CHECK-NEXT:    block(n, 64) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 4) -> (m.o, m.r),
// CHECK-NEXT:    order(n.o, m.o, m.r, n.r, k),
// CHECK-NEXT:    fuse_outer(n.o, m.o),
// CHECK-NEXT:    parallel(n.o, m.o),
// CHECK-NEXT:    0: vectorize(n.r, 16),
// CHECK-NEXT:    0: unroll(n.r, 4),
// CHECK-NEXT:    1: unroll(m.r, 4),
// CHECK-NEXT:    1: unroll(n.r, 4),
// CHECK-NEXT:    1: vectorize(k, 16),
// CHECK-NEXT:    2: vectorize(n.r, 16),
// CHECK-NEXT:    2: unroll(n.r, 4)
// CHECK-NEXT:  ]
func.func @eight(%x: tensor<8x768xf32>, %w: tensor<3072x768xf32>, %o: tensor<8x3072xf32>) -> tensor<8x3072xf32> {
  %y = krnl.kernel "eight" loops [m = 8, n = 3072, k = 768] ins(%x, %w : tensor<8x768xf32>, tensor<3072x768xf32>) outs(%o : tensor<8x3072xf32>) {
  ^bb0(%a: tensor<8x768xf32>, %b: tensor<3072x768xf32>, %c: tensor<8x3072xf32>):
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<8x3072xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%l = %a[m, k], %r = %b[n, k]) -> (%d = %0[m, n])
        : (tensor<8x768xf32>, tensor<3072x768xf32>) -> tensor<8x3072xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<8x3072xf32> {
      %p = arith.mulf %d, %half : f32
      linalg.yield %p : f32
    }
    krnl.yield %2 : tensor<8x3072xf32>
  } -> tensor<8x3072xf32>
  return %y : tensor<8x3072xf32>
}

// The columns of a constant are packed when the artefact is written.
// CHECK-LABEL: kernel "constant"
// CHECK-NOT:     vectorize(k
// CHECK:         register_tile
// CHECK:         pack(1
func.func @constant(%x: tensor<8x768xf32>, %o: tensor<8x3072xf32>) -> tensor<8x3072xf32> {
  %w = krnl.constant dense<2.0> : tensor<3072x768xf32>
  %y = krnl.kernel "constant" loops [m = 8, n = 3072, k = 768] ins(%x, %w : tensor<8x768xf32>, tensor<3072x768xf32>) outs(%o : tensor<8x3072xf32>) {
  ^bb0(%a: tensor<8x768xf32>, %b: tensor<3072x768xf32>, %c: tensor<8x3072xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<8x3072xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%l = %a[m, k], %r = %b[n, k]) -> (%d = %0[m, n])
        : (tensor<8x768xf32>, tensor<3072x768xf32>) -> tensor<8x3072xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %1 : tensor<8x3072xf32>
  } -> tensor<8x3072xf32>
  return %y : tensor<8x3072xf32>
}
