// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-write-recipes | FileCheck %s

// A loop without iterations divides nothing: its kernel gets no steps.

// CHECK:     krnl.kernel "product"
// CHECK-NOT: recipe
// CHECK:     krnl.yield
func.func @product(%x: tensor<3x16x4xf32>, %w: tensor<4x0xf32>, %o: tensor<3x16x0xf32>) -> tensor<3x16x0xf32> {
  %y = krnl.kernel "product" loops [b=3, m=16, n=0, k=4]
      ins(%x, %w : tensor<3x16x4xf32>, tensor<4x0xf32>) outs(%o : tensor<3x16x0xf32>) {
  ^bb0(%p: tensor<3x16x4xf32>, %q: tensor<4x0xf32>, %r: tensor<3x16x0xf32>):
    %s = krnl.compute [b, m, n | k] (%i = %p[b, m, k], %j = %q[k, n]) -> (%l = %r[b, m, n])
        : (tensor<3x16x4xf32>, tensor<4x0xf32>) -> tensor<3x16x0xf32> {
      %t = arith.mulf %i, %j : f32
      %u = arith.addf %t, %l : f32
      linalg.yield %u : f32
    }
    krnl.yield %s : tensor<3x16x0xf32>
  } -> tensor<3x16x0xf32>
  return %y : tensor<3x16x0xf32>
}

// CHECK:     krnl.kernel "sum"
// CHECK-NOT: recipe
// CHECK:     krnl.yield
func.func @sum(%x: tensor<3x16x0xf32>, %w: tensor<16x1xf32>, %o: tensor<3x16x0xf32>) -> tensor<3x16x0xf32> {
  %y = krnl.kernel "sum" loops [b=3, m=16, n=0]
      ins(%x, %w : tensor<3x16x0xf32>, tensor<16x1xf32>) outs(%o : tensor<3x16x0xf32>) {
  ^bb0(%p: tensor<3x16x0xf32>, %q: tensor<16x1xf32>, %r: tensor<3x16x0xf32>):
    %s = krnl.compute [b, m, n] (%i = %p[b, m, n], %j = %q[m, 0]) -> (%l = %r[b, m, n])
        : (tensor<3x16x0xf32>, tensor<16x1xf32>) -> tensor<3x16x0xf32> {
      %t = arith.addf %i, %j : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<3x16x0xf32>
  } -> tensor<3x16x0xf32>
  return %y : tensor<3x16x0xf32>
}
