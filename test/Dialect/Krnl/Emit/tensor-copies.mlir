// RUN: onnx-opt %s --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// The first thread of a block starts copies of boxes of a tensor two stages of a slice consist of, and all threads
// wait for their bytes.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// 64 rows of 32 sums and 32 sums of 32 columns: 4096 and 2048 bytes. Nothing needs a fence but what threads write.
// CHECK-LABEL: func private @kernel_boxes_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64x64xf16{{.*}}>, %[[W:[a-z0-9]+]]: memref<64x32xf16
// CHECK-DAG:     memref.alloca() {alignment = 8 : i64} : memref<2xi64, 3>
// CHECK:         scf.if
// CHECK-NEXT:      krnl.barrier_init %[[B:.+]] : memref<2xi64>
// CHECK:         nvvm.barrier0
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      krnl.barrier_expect %[[B]][%c0], 6144
// CHECK-NEXT:      krnl.copy_tensor %[[X]][%{{.+}}, %c0] to %{{.+}}[%c0], %[[B]][%c0], box=[64, 32], swizzle=64
// CHECK-NEXT:      krnl.copy_tensor %[[W]][%c0, %{{.+}}] to %{{.+}}[%c0], %[[B]][%c0], box=[32, 32], swizzle=64
// CHECK-NOT:     cp.async
// CHECK:         scf.for %[[K:.+]] =
// CHECK:           krnl.barrier_wait %[[B]][%{{.+}}], %{{.+}}
// CHECK-NOT:       nvvm.fence.proxy
// CHECK:           nvvm.barrier0
// CHECK:           krnl.barrier_expect
// CHECK:           krnl.copy_tensor
// CHECK:           krnl.wgmma_wait
// CHECK:           scf.yield
// CHECK:         scf.if
// CHECK-NEXT:      krnl.barrier_end %[[B]]
func.func @boxes(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "boxes" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// Sizes are dynamic, and columns are those of a part, the last of which goes on past the end: its box has zeros there, so
// that no index is moved into the range.
// CHECK-LABEL: func private @kernel_parts_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x64xf16{{.*}}>, %[[W:[a-z0-9]+]]: memref<?x64xf16
// CHECK:         krnl.barrier_init
// CHECK-NOT:     arith.select
// CHECK:         krnl.copy_tensor %[[X]][%{{.+}}, %c0] to %{{.+}}, box=[64, 32], swizzle=64 : memref<?x64xf16
// CHECK-NEXT:    %[[FIRST:.+]] = arith.muli %{{.+}}, %c32 : index
// CHECK-NEXT:    krnl.copy_tensor %[[W]][%[[FIRST]], %c0] to %{{.+}}, box=[32, 32], swizzle=64 : memref<?x64xf16
// CHECK-NOT:     arith.select
// CHECK:         scf.for
func.func @parts(%x: tensor<?x64xf16>, %w: tensor<?x64xf16>, %p: index, %o: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %y = krnl.kernel "parts" loops [p = %p, m = %m, n = 32, k = 64] ins(%x, %w : tensor<?x64xf16>, tensor<?x64xf16>) outs(%o : tensor<?x?x32xf32>)
      recipe [block(m, 64, tail=pad) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(p, m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(p, m.o, n.o, m.w, m.g, n.t), parallel(p, m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma),
              unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<?x64xf16>, %b: tensor<?x64xf16>, %c: tensor<?x?x32xf32>, %e: index, %f: index):
    %r = krnl.compute "mm" [p, m, n | k] (%u = %a[m, k], %v = %b[p * 32 + n in 0 to ?, k]) -> (%s = %c[p, m, n])
        : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x?x32xf32> {
      %0 = arith.extf %u : f16 to f32
      %1 = arith.extf %v : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<?x?x32xf32>
  } -> tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// One of them alone: threads copy the other slice.
// CHECK-LABEL: func private @kernel_one_0(
// CHECK:         krnl.copy_tensor
// CHECK:         krnl.copy_async
// CHECK:         scf.for
// CHECK-DAG:       nvvm.cp.async.wait.group 0
// CHECK-DAG:       krnl.barrier_wait
// CHECK:           nvvm.fence.proxy
// CHECK:           nvvm.barrier0
func.func @one(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "one" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

}

// -----

// A target without such copies: threads copy both.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {
// CHECK-LABEL: func private @kernel_without_0(
// CHECK-NOT:     krnl.copy_tensor
// CHECK:         krnl.copy_async
func.func @without(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "without" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
}
