// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// The slices of all ops that are computed at a loop are copied together, an iteration ahead: threads wait once for both, and
// both of the next iteration come while all ops of this one are computed.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// CHECK-LABEL: func private @kernel_parts_0(
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<32xf32, 3>
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<128xf32, 3>
// CHECK:         nvvm.barrier0
// CHECK:         krnl.copy_async %{{.+}} : memref<8x16xf32> to memref<32xf32>
// CHECK:         krnl.copy_async %{{.+}} : memref<8x16x4xf32> to memref<128xf32>
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NOT:     nvvm.cp.async
// CHECK:         scf.for %[[I:.+]] = %c0 to %c8 step %c1 iter_args
// CHECK-NEXT:      nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           %[[NEXT:.+]] = arith.addi %[[I]], %c1
// CHECK:           %[[IS_THERE:.+]] = arith.cmpi slt, %[[NEXT]], %c8
// CHECK:           scf.if %[[IS_THERE]] {
// CHECK:             krnl.copy_async %{{.+}} : memref<8x16xf32> to memref<32xf32>
// CHECK:             krnl.copy_async %{{.+}} : memref<8x16x4xf32> to memref<128xf32>
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.barrier0
// CHECK-NOT:       nvvm.cp.async
// CHECK:         return
func.func @main(%x: tensor<64xf32>, %w: tensor<8x16xf32>, %v: tensor<8x16x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %y = krnl.kernel "parts" loops [m = 64, p = 8, n = 4, j = 16] ins(%x, %w, %v : tensor<64xf32>, tensor<8x16xf32>, tensor<8x16x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(m, 32) -> (m.o, m.t), order(m.o, p, m.t, n, j), 4: order(m.t, n, p), fuse_outer(m.o), parallel(m.o), map(m.t, thread),
              cache(1, at=p, in=shared), cache(2, at=p, in=shared), pipeline(p, 2), unroll(n, 4), compute_at(p)] {
  ^bb0(%a: tensor<64xf32>, %b: tensor<8x16xf32>, %c: tensor<8x16x4xf32>, %d: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<64x8x16xf32>
    %u = krnl.temporary : tensor<64x8x4xf32>
    %f = krnl.compute [m, n] () -> (%_ = %d[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %first = krnl.compute "first" [m, p, j] (%g = %a[m], %h = %b[p, j]) -> (%_ = %t[m, p, j])
        : (tensor<64xf32>, tensor<8x16xf32>) -> tensor<64x8x16xf32> {
      %i = arith.mulf %g, %h : f32
      linalg.yield %i : f32
    }
    %z = krnl.compute [m, p, n] () -> (%_ = %u[m, p, n]) : () -> tensor<64x8x4xf32> { linalg.yield %zero : f32 }
    %second = krnl.compute "second" [m, p, n | j] (%g = %first[m, p, j], %h = %c[p, j, n]) -> (%s = %z[m, p, n])
        : (tensor<64x8x16xf32>, tensor<8x16x4xf32>) -> tensor<64x8x4xf32> {
      %i = arith.mulf %g, %h : f32
      %l = arith.addf %s, %i : f32
      linalg.yield %l : f32
    }
    %total = krnl.compute "total" [m, n | p] (%g = %second[m, p, n]) -> (%s = %f[m, n]) : (tensor<64x8x4xf32>) -> tensor<64x4xf32> {
      %l = arith.maximumf %s, %g : f32
      linalg.yield %l : f32
    }
    krnl.yield %total : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

}
