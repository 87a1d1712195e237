// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// The threads of a block copy the tiles of both operands for each 16 steps of the sum.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// 8 x 8 threads: each copies two vectors of both operands. Rows of the first one lie along the
// sums; in shared memory they are columns, which are four elements longer than they need be.
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "tile" loops [m = 64, n = 64, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 32) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, n.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), vectorize(n.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<64x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// 53 = 3 * 16 + 5: elements past the end of the sums are not copied, one at a time as they
// lie in no whole vectors.
func.func @rest(%x: tensor<64x53xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %y = krnl.kernel "rest" loops [m = 64, k = 53] ins(%x : tensor<64x53xf32>) outs(%o : tensor<64xf32>)
      recipe [block(k, 16) -> (k.o, k.i), fuse_outer(m), map(m, thread), cache(0, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x53xf32>, %c: tensor<64xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k]) -> (%s = %c[m]) : (tensor<64x53xf32>) -> tensor<64xf32> {
      %1 = arith.addf %s, %p : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

}

// CHECK-LABEL: func private @kernel_tile_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<64x64xf32>, %[[W:[^:]+]]: memref<64x64xf32>
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<576xf32, 3>
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<512xf32, 3>
// CHECK-DAG:     %[[A:.+]] = memref.memory_space_cast %{{.+}} : memref<576xf32, 3>
// CHECK-DAG:     %[[B:.+]] = memref.memory_space_cast %{{.+}} : memref<512xf32, 3>
// CHECK:         scf.for {{.+}} iter_args(
// CHECK-NEXT:      nvvm.barrier0
// CHECK-COUNT-2:   vector.load %[[X]][{{.+}}] : memref<64x64xf32>, vector<4xf32>
// CHECK-NOT:       vector.load
// CHECK-COUNT-8:   memref.store %{{.+}}, %[[A]]
// CHECK-COUNT-2:   vector.load %[[W]][{{.+}}] : memref<64x64xf32>, vector<4xf32>
// CHECK-COUNT-2:   vector.store %{{.+}}, %[[B]][{{.+}}] : memref<512xf32>, vector<4xf32>
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           scf.for
// CHECK-NOT:         %[[X]]
// CHECK-COUNT-4:     memref.load %[[A]]
// CHECK:             scf.yield

// CHECK-LABEL: func private @kernel_rest_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<64x53xf32>
// CHECK:         nvvm.barrier0
// CHECK:         arith.cmpi slt
// CHECK:         scf.if
// CHECK:           memref.load %[[X]]
// CHECK:         nvvm.barrier0
