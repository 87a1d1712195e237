// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// Two iterations of a sum are copied before the first one is computed, and each copies the one after the
// next: threads wait for each other once.

// CHECK: #[[UNROLL:.+]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[KEPT:.+]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// 64 threads and 128 vectors of each operand. The first one is transposed on the way, element by element;
// slices have 16 * 36 and 16 * 32 elements.
// CHECK-LABEL: func private @kernel_tile_0(
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<1728xf32, 3>
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<1536xf32, 3>
// CHECK:         nvvm.barrier0
// CHECK-COUNT-8: krnl.copy_async %{{.+}}, 1 : memref<64x128xf32> to memref<1728xf32>
// CHECK-COUNT-2: krnl.copy_async %{{.+}}, 4 : memref<128x64xf32> to memref<1536xf32>
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK-COUNT-10: krnl.copy_async
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK:         scf.for %[[I:.+]] = %c0 to %c8 step %c1 iter_args
// CHECK-NEXT:      nvvm.cp.async.wait.group 1
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           %[[NEXT:.+]] = arith.addi %[[I]], %c2
// CHECK:           %[[IS_THERE:.+]] = arith.cmpi slt, %[[NEXT]], %c8
// CHECK:           scf.if %[[IS_THERE]] {
// CHECK:             arith.remui %[[NEXT]], %c3
// CHECK-COUNT-10:    krnl.copy_async
// CHECK:           }
// CHECK-NEXT:      nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.barrier0
// CHECK:           arith.remui %[[I]], %c3
// CHECK-NOT:       nvvm.barrier0
// The loop stays one: ptxas would unroll it.
// CHECK:         } {loop_annotation = #[[KEPT]]}
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "tile" loops [m = 64, n = 64, k = 128] ins(%x, %w : tensor<64x128xf32>, tensor<128x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 32) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, n.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), vectorize(n.r, 4),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 3)] {
  ^bb0(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>, %c: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<64x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

}
