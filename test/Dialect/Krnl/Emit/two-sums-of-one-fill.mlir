// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Two sums start from the same zeros. Neither may find what the other has left
// in memory: each has its own, and the zeros go to both.
// CHECK-LABEL: func private @kernel_sums_0(
// CHECK:         %[[A:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         %[[B:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[ZERO:.+]], %[[A]][%{{.+}}]
// CHECK-DAG:       memref.store %[[ZERO]], %[[B]][%{{.+}}]
// CHECK:         scf.for
// CHECK:           memref.load %[[A]][%{{.+}}]
// CHECK:           memref.store %{{.+}}, %[[A]][%{{.+}}]
// CHECK:         scf.for
// CHECK:           memref.load %[[B]][%{{.+}}]
// CHECK:           memref.store %{{.+}}, %[[B]][%{{.+}}]
func.func @sums(%x: tensor<8x5xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "sums" loops [r = 8, c = 5] ins(%x : tensor<8x5xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x5xf32>, %b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<8x5xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<8x5xf32>) -> tensor<8xf32> {
      %n = arith.mulf %p, %p : f32
      %m = arith.addf %n, %q : f32
      linalg.yield %m : f32
    }
    %u = krnl.compute [r] (%p = %s[r], %w = %t[r]) -> (%q = %b[r])
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      %m = arith.subf %p, %w : f32
      linalg.yield %m : f32
    }
    krnl.yield %u : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
