// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// A tensor is put together of two parts. One op reads it, another continues it
// in memory of its own: both parts go there, not only the last.
// CHECK-LABEL: func private @kernel_parts_0(
// CHECK:         %[[A:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         %[[B:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[X:.+]], %[[A]][
// CHECK-DAG:       memref.store %[[X]], %[[B]][
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[Y:.+]], %[[A]][
// CHECK-DAG:       memref.store %[[Y]], %[[B]][
func.func @parts(%x: tensor<3xf32>, %y: tensor<5xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = krnl.kernel "parts" loops [i = 3, j = 5, k = 8, l = 8, m = 8] ins(%x, %y : tensor<3xf32>, tensor<5xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<3xf32>, %b: tensor<5xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
    %e = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [i] (%v = %a[i]) -> (%w = %e[i ...])
        : (tensor<3xf32>) -> tensor<8xf32> {
      linalg.yield %v : f32
    }
    %g = krnl.compute [j] (%v = %b[j]) -> (%w = %f[j + 3]) : (tensor<5xf32>) -> tensor<8xf32> {
      linalg.yield %v : f32
    }
    %s = krnl.compute [k] (%v = %g[k]) -> (%w = %p[k]) : (tensor<8xf32>) -> tensor<8xf32> {
      %n = arith.addf %v, %v : f32
      linalg.yield %n : f32
    }
    %t = krnl.compute [l] () -> (%w = %g[l]) : () -> tensor<8xf32> {
      %n = arith.mulf %w, %w : f32
      linalg.yield %n : f32
    }
    %u = krnl.compute [m] (%v = %t[m]) -> (%w = %q[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
    krnl.yield %s, %u : tensor<8xf32>, tensor<8xf32>
  } -> tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
