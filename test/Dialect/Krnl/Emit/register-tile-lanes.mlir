// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// The recipe determines the vectors of a tile, for any target and element.

// Two rows of eight columns are four vectors of four, or sixteen scalars.
// CHECK-LABEL: func private @kernel_four_0(
// CHECK:         scf.for
// CHECK-COUNT-4:   arith.addf {{.*}} : vector<4xf32>
// CHECK-NOT:       arith.addf
// CHECK:         return
// CHECK-LABEL: func private @kernel_scalars_0(
// CHECK-NOT:     vector
// CHECK-COUNT-16:  arith.addf {{.*}} : f32
// CHECK-NOT:       arith.addf
// CHECK:         return
func.func @product(%x: tensor<2x5xf32>, %w: tensor<5x8xf32>, %o: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %y = krnl.kernel "four" loops [m = 2, n = 8, k = 5] ins(%x, %w : tensor<2x5xf32>, tensor<5x8xf32>) outs(%o : tensor<2x8xf32>)
      recipe [order(k, m, n), register_tile(m, n, lanes=4)] {
  ^bb0(%A: tensor<2x5xf32>, %B: tensor<5x8xf32>, %C: tensor<2x8xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<2x5xf32>, tensor<5x8xf32>) -> tensor<2x8xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  %z = krnl.kernel "scalars" loops [m = 2, n = 8, k = 5] ins(%x, %w : tensor<2x5xf32>, tensor<5x8xf32>) outs(%o : tensor<2x8xf32>)
      recipe [order(k, m, n), register_tile(m, n, lanes=1)] {
  ^bb0(%A: tensor<2x5xf32>, %B: tensor<5x8xf32>, %C: tensor<2x8xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<2x5xf32>, tensor<5x8xf32>) -> tensor<2x8xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}
