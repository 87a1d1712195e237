// RUN: onnx-opt %s --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/load_cluster = /fma_x8 = /' %s | onnx-opt --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=PLAIN
//
// The blocks of a cluster copy parts of the slice that they have in common to each other. Where the
// target has copies of boxes and no clusters, their loops are plain ones, and nothing is copied to other blocks.
// PLAIN-LABEL: func private @kernel_columns_0(
// PLAIN-NOT:     krnl.cluster
// PLAIN-NOT:     krnl.copy_tensor
// PLAIN-NOT:     krnl.load_cluster
// PLAIN-LABEL: func private @kernel_sum_0(
// PLAIN-NOT:     krnl.cluster
// PLAIN-NOT:     krnl.copy_tensor
// PLAIN-NOT:     krnl.load_cluster

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", load_cluster = "nvvm.mapa.shared.cluster", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f16", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// Two blocks have 64 rows each and the same 32 columns: 16 of the 32 lines of their slice are copied by each. Both have
// read a stage before they copy to it again.
// CHECK-LABEL: func private @kernel_columns_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<256x128xf16{{.*}}>, %[[W:[a-z0-9]+]]: memref<128x64xf16
// CHECK-SAME:    krnl.cluster = 2 : i64
// CHECK:         scf.if
// CHECK-DAG:       krnl.barrier_init %[[B:[^ ]+]] : memref<2xi64>
// CHECK-DAG:       krnl.barrier_init %[[R:[^ ]+]] {arrivals = 2 : i64} : memref<2xi64>
// CHECK:           nvvm.fence.mbarrier.init
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      krnl.barrier_expect %[[B]][%c0], 6144
// CHECK-NEXT:      krnl.copy_tensor %[[X]][%{{.+}}, %c0] to %{{.+}}[%c0], %[[B]][%c0], box=[64, 32], swizzle=64 :
// CHECK:           krnl.copy_tensor %[[W]][%[[LINE:.+]], %{{.+}}] to %{{.+}}[%{{.+}}], %[[B]][%c0], box=[16, 32], swizzle=64 {blocks = 2 : i64}
// CHECK-NOT:       krnl.barrier_arrive
// CHECK:         scf.for
// CHECK:           krnl.barrier_wait %[[B]][%{{.+}}], %{{.+}} : memref<2xi64>
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           %[[USED:.+]] = arith.cmpi sgt
// CHECK:           scf.if %[[USED]]
// CHECK:             krnl.barrier_arrive %[[R]][%[[S:.+]]], blocks=2
// CHECK:             krnl.barrier_wait %[[R]][%[[S]]]
// CHECK:           krnl.barrier_expect %[[B]]
// CHECK:           scf.yield
// CHECK:         scf.if
// CHECK-NEXT:      krnl.barrier_end %[[B]]
// CHECK-NEXT:      krnl.barrier_end %[[R]]
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NOT:     nvvm.cluster
// CHECK:         vector.store
// CHECK-NOT:     nvvm.cluster.arrive.relaxed {aligned}
// CHECK:         nvvm.cluster.wait {aligned}{{$}}
// CHECK-NEXT:    }
func.func @columns(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "columns" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i), block(m.o, 2) -> (m.q, m.u),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), map(m.u, cluster),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %c: tensor<256x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

}

// -----

// A target without such copies has no clusters.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f16", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {
// CHECK-LABEL: func private @kernel_without_0(
// CHECK-NOT:     krnl.cluster
// CHECK-NOT:     nvvm.cluster
// CHECK:         krnl.copy_async
func.func @without(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "without" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i), block(m.o, 2) -> (m.q, m.u),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), map(m.u, cluster),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %c: tensor<256x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}
}

// -----

// Two blocks have half of the terms of 32 by 32 sums each: a thread has four rows of them, of which it adds up and stores two.
// There are two blocks for each of the four tiles.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {load_cluster = "nvvm.mapa.shared.cluster"}>} {
// CHECK-LABEL: func @sum(
// CHECK:         krnl.launch @kernel_sum_0{{.*}}tiles(%c8)
// CHECK-LABEL: func private @kernel_sum_0(
// CHECK-SAME:    krnl.cluster = 2 : i64
// CHECK:         %[[ROWS:.+]] = memref.alloca() {{.*}}: memref<4x256xf32, 3>
// CHECK:         scf.for %[[TILE:.+]] = %{{.+}} to %c8 step
// CHECK-DAG:       %[[BLOCK:.+]] = arith.remui %[[TILE]], %c2
// CHECK:           nvvm.barrier0
// CHECK-COUNT-4:   vector.store %{{.+}} {alignment = 16 : i64} : memref<4x256xf32>, vector<4xf32>
// CHECK:           nvvm.cluster.arrive {aligned}
// CHECK-NEXT:      nvvm.cluster.wait {aligned}
// CHECK:           %[[OWN:.+]] = arith.muli %[[BLOCK]], %c2
// CHECK-NEXT:      %[[P0:.+]] = krnl.load_cluster %{{.+}}[%[[OWN]], %[[COLUMN:.+]]], block=0 : memref<4x256xf32>, vector<4xf32>
// CHECK-NEXT:      %[[P1:.+]] = krnl.load_cluster %{{.+}}[%[[OWN]], %[[COLUMN]]], block=1
// CHECK-NEXT:      arith.addf %[[P0]], %[[P1]]
// CHECK:           krnl.load_cluster
// CHECK-NEXT:      krnl.load_cluster
// CHECK:           nvvm.cluster.arrive {aligned}
// CHECK:           arith.maximumf
// CHECK:           vector.store %{{.+}}, %arg2[
// CHECK:           vector.store %{{.+}}, %arg2[
// CHECK-NOT:       vector.store
// CHECK:           nvvm.cluster.wait {aligned}{{$}}
// CHECK-NEXT:    }
func.func @sum(%x: tensor<64x256xf32>, %w: tensor<256x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "sum" loops [m = 64, n = 64, k = 256] ins(%x, %w : tensor<64x256xf32>, tensor<256x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(m.r, 2) -> (m.u, m.x), block(n, 32) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r),
              block(k, 128) -> (k.c, k.p), block(k.p, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.u, m.x, n.r, k.c, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o), map(m.t, thread), map(n.t, thread),
              1: unroll(m.u, 2), map(k.c, cluster), map(m.u, cluster, as=k.c), unroll(m.x, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 2), vectorize(n.r, 4)] {
  ^bb0(%a: tensor<64x256xf32>, %b: tensor<256x64xf32>, %c: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%v = %r[m, n]) -> (%q = %c[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %t = arith.maximumf %v, %zero : f32
      linalg.yield %t : f32
    }
    krnl.yield %e : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
}
