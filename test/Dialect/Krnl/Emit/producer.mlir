// RUN: onnx-opt %s --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// A warp that starts the copies of slices for those that compute.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", load_cluster = "nvvm.mapa.shared.cluster", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f16", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// The launch has three blocks for eight tiles.
// CHECK-LABEL: func.func @tiles(
// CHECK:         krnl.launch {{.*}}tiles(%c3)
//
// Thread 128 is the first one of the fifth warp. Slices are counted over the tiles of a block: four of each. Four warps
// have read a stage before it is copied to again, and each of them says so.
// CHECK-LABEL: func private @kernel_tiles_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<256x128xf16{{.*}}>, %[[W:[a-z0-9]+]]: memref<128x64xf16
// CHECK-SAME:    krnl.threads = 160 : i64
// CHECK:         scf.if
// CHECK-DAG:       krnl.barrier_init %[[B:[^ ]+]] : memref<3xi64>
// CHECK-DAG:       krnl.barrier_init %[[R:[^ ]+]] {arrivals = 4 : i64} : memref<3xi64>
// CHECK-NOT:       fence.mbarrier
// CHECK:         nvvm.barrier0
// CHECK-NEXT:    %[[COMPUTES:.+]] = arith.cmpi ult, %[[THREAD:.+]], %c128
// CHECK-NEXT:    scf.if %[[COMPUTES]]
// CHECK:           scf.for %[[TILE:.+]] = %[[FIRST:.+]] to %c8 step %[[BLOCKS:.+]] {
// CHECK:             %[[DISTANCE:.+]] = arith.subi %[[TILE]], %[[FIRST]]
// CHECK-NEXT:        %[[BEFORE:.+]] = arith.divui %[[DISTANCE]], %[[BLOCKS]]
// CHECK:             %[[SLICES:.+]] = arith.muli %[[BEFORE]], %c4
// CHECK:             scf.for %[[I:.+]] = %c0 to %c4
// CHECK:               %[[N:.+]] = arith.addi %[[SLICES]], %[[I]]
// CHECK:               krnl.barrier_wait %[[B]][%{{.+}}], %{{.+}} : memref<3xi64>
// CHECK-NOT:           nvvm.barrier0
// CHECK:               krnl.wgmma
// CHECK:               krnl.wgmma_wait
// CHECK:               %[[LANE:.+]] = arith.remui %[[THREAD]], %c32
// CHECK:               %[[SAYS:.+]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK:               %[[HAS:.+]] = arith.cmpi sge, %[[I]], %c1
// CHECK:               %[[BOTH:.+]] = arith.andi %[[SAYS]], %[[HAS]]
// CHECK:               scf.if %[[BOTH]]
// CHECK:                 krnl.barrier_arrive %[[R]][%{{.+}}], blocks=1
// CHECK:             krnl.wgmma_wait
// CHECK:             scf.if
// CHECK:               krnl.barrier_arrive %[[R]][%{{.+}}], blocks=1
// CHECK:             vector.store
// CHECK:         } else {
// CHECK:           arith.cmpi eq, %[[THREAD]], %c128
// CHECK:           scf.if
// CHECK:             scf.for %{{.+}} = %{{.+}} to %c8 step
// CHECK:               scf.for %{{.+}} = %c0 to %c4
// CHECK:                 krnl.barrier_wait %[[R]][%[[S:.+]]], %{{.+}} : memref<3xi64>
// CHECK-NEXT:            krnl.barrier_expect %[[B]][%[[S]]], 6144
// CHECK:                 krnl.copy_tensor %[[X]]
// CHECK:                 krnl.copy_tensor %[[W]]
// CHECK-NOT:     krnl.barrier_end
// CHECK:         return
func.func @tiles(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "tiles" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o), grid(3),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 3, in_flight=1, producer)] {
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

// In a cluster of two blocks eight warps arrive, each at the barriers of both blocks, and no block ends before the other.
// CHECK-LABEL: func private @kernel_cluster_0(
// CHECK-SAME:    krnl.cluster = 2 : i64
// CHECK-DAG:       krnl.barrier_init %[[B:[^ ]+]] : memref<2xi64>
// CHECK-DAG:       krnl.barrier_init %[[R:[^ ]+]] {arrivals = 8 : i64} : memref<2xi64>
// CHECK:           nvvm.fence.mbarrier.init
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT:    nvvm.cluster.wait {aligned}
// CHECK-NOT:     nvvm.cluster
// CHECK:           krnl.barrier_arrive %[[R]][%{{.+}}], blocks=2
// CHECK-NOT:     nvvm.cluster
// CHECK:         } else {
// CHECK:           krnl.barrier_wait %[[R]]
// CHECK:           krnl.copy_tensor {{.*}}blocks = 2
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT:    nvvm.cluster.wait {aligned}
// CHECK-NEXT:    return
func.func @cluster(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "cluster" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(m.o, 2) -> (m.q, m.u), block(k.b, 16) -> (k.s, k.i),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), map(m.u, cluster),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2, producer)] {
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

// A target without such copies has no producer.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f16", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {
// CHECK-LABEL: func private @kernel_without_0(
// CHECK-SAME:    krnl.threads = 128 : i64
// CHECK-NOT:     krnl.barrier
// CHECK:         krnl.copy_async
func.func @without(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "without" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2, producer)] {
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
