// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// A warpgroup multiplies slices in shared memory, whose chunks of 16 bytes are exchanged while they are copied.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async", mma_i8_x32 = "llvm.nvvm.mma.m16n8k32.row.col", wgmma_i8_x32 = "nvvm.wgmma.mma_async"}>} {

// Lines of 32 sums and of 32 columns, two slices each: 2 * 64 * 32 and 2 * 32 * 32. Both instructions of a step
// are one group, whose sums nothing uses before the end of it.
// CHECK-LABEL: func private @kernel_half_0(
// CHECK-DAG:     memref.alloca() {alignment = 1024 : i64} : memref<4096xf16, 3>
// CHECK-DAG:     memref.alloca() {alignment = 1024 : i64} : memref<2048xf16, 3>
// CHECK:         arith.xori
// CHECK:         krnl.copy_async %{{.+}} to %{{.+}}[%{{.+}}], 8
// CHECK:         scf.for
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.fence.proxy
// CHECK-SAME:      async.shared
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           krnl.copy_async %{{.+}} to %{{.+}}[%{{.+}}], 8
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           %[[A:.+]] = krnl.matrix_descriptor %{{.+}}[%{{.+}}], swizzle=64, leading=4096, stride=512 : memref<4096xf16>
// CHECK:           %[[B:.+]] = krnl.matrix_descriptor %{{.+}}[%{{.+}}], swizzle=64, leading=2048, stride=512 : memref<2048xf16>
// CHECK:           %[[FIRST:.+]] = krnl.wgmma %{{.+}}, %[[A]], %[[B]] of f16 {rhsTransposed} : vector<16xf32>
// CHECK:           %[[SECOND:.+]] = krnl.wgmma %[[FIRST]], %{{.+}}, %{{.+}} of f16 {rhsTransposed} : vector<16xf32>
// CHECK-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:      krnl.wgmma_wait %[[SECOND]] : vector<16xf32>
// CHECK-NOT:       krnl.mma
// CHECK:           scf.yield
func.func @half(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "half" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
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

// Three of four slices are copied, or read by products in flight: copies go two iterations ahead. The threads wait
// for the products of the iteration before, and for the last ones after the loop.
// CHECK-LABEL: func private @kernel_flight_0(
// CHECK-DAG:     memref.alloca() {alignment = 1024 : i64} : memref<8192xf16, 3>
// CHECK:         scf.for %[[I:.+]] = %{{.+}} iter_args(%[[S:.+]] =
// CHECK:           nvvm.cp.async.wait.group 1
// CHECK:           nvvm.barrier0
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[I]], %c2
// CHECK:           krnl.copy_async
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           krnl.wgmma
// CHECK:           %[[SUM:.+]] = krnl.wgmma
// CHECK-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:      krnl.wgmma_wait in_flight=1
// CHECK:           vector.extract %[[SUM]]
// CHECK:           scf.yield
// CHECK:         krnl.wgmma_wait %{{.+}} : vector<16xf32>
func.func @flight(%x: tensor<64x256xf16>, %w: tensor<256x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "flight" loops [m = 64, n = 32, k = 256] ins(%x, %w : tensor<64x256xf16>, tensor<256x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 4, in_flight=1)] {
  ^bb0(%a: tensor<64x256xf16>, %b: tensor<256x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
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

// A warp multiplies what a target has no instructions of warpgroups for.
// CHECK-LABEL: func private @kernel_brain_0(
// CHECK-NOT:     krnl.wgmma
// CHECK:         arith.mulf
func.func @brain(%x: tensor<64x64xbf16>, %w: tensor<64x32xbf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "brain" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xbf16>, tensor<64x32xbf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x32xbf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xbf16>, tensor<64x32xbf16>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// Rows of bytes are those of the second factor: lines of 64 bytes, of which bits 7 and 8 of a place are exchanged with bits 4
// and 5. Both kinds of bytes come with their factor.
// CHECK-LABEL: func private @kernel_bytes_0(
// CHECK-DAG:     memref.alloca() {alignment = 1024 : i64} : memref<4096xi8, 3>
// CHECK-DAG:     memref.alloca() {alignment = 1024 : i64} : memref<2048xi8, 3>
// CHECK-DAG:     %[[FROM:.+]] = arith.constant 7 : index
// CHECK-DAG:     %[[MASK:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[TO:.+]] = arith.constant 4 : index
// CHECK:         %[[HIGH:.+]] = arith.shrui %[[PLACE:.+]], %[[FROM]]
// CHECK:         %[[BITS:.+]] = arith.andi %[[HIGH]], %[[MASK]]
// CHECK:         %[[LOW:.+]] = arith.shli %[[BITS]], %[[TO]]
// CHECK:         arith.xori %[[PLACE]], %[[LOW]]
// CHECK:           %[[A:.+]] = krnl.matrix_descriptor %{{.+}}[%{{.+}}], swizzle=64, leading=4096, stride=512 : memref<4096xi8>
// CHECK:           %[[B:.+]] = krnl.matrix_descriptor %{{.+}}[%{{.+}}], swizzle=64, leading=2048, stride=512 : memref<2048xi8>
// CHECK:           krnl.wgmma %{{.+}}, %[[A]], %[[B]] of i8 {lhsSigned} : vector<16xi32>
// CHECK:           krnl.wgmma_wait %{{.+}} : vector<16xi32>
func.func @bytes(%x: tensor<32x128xi8>, %w: tensor<64x128xi8>, %o: tensor<64x32xi32>) -> tensor<64x32xi32> {
  %y = krnl.kernel "bytes" loops [m = 64, n = 32, k = 128] ins(%x, %w : tensor<32x128xi8>, tensor<64x128xi8>) outs(%o : tensor<64x32xi32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.b), block(k.b, 32) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x128xi8>, %b: tensor<64x128xi8>, %c: tensor<64x32xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[n, k], %q = %b[m, k]) -> (%s = %c[m, n])
        : (tensor<32x128xi8>, tensor<64x128xi8>) -> tensor<64x32xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x32xi32>
  } -> tensor<64x32xi32>
  return %y : tensor<64x32xi32>
}

// Rows that the threads have computed are multiplied from their registers: 16 columns of them by each instruction.
// CHECK-LABEL: func private @kernel_kept_0(
// CHECK-NOT:     memref.alloca() : memref<64x
// CHECK:         krnl.wgmma %{{.+}} of f16 {rhsTransposed} : vector<16xf32>
// CHECK:         %[[SCORES:.+]] = krnl.wgmma_wait
// CHECK:         arith.truncf
// CHECK:         %[[ROWS:.+]] = vector.from_elements %{{.+}} : vector<8xf16>
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK-NOT:     vector.from_elements
// CHECK:         %[[B:.+]] = krnl.matrix_descriptor %{{.+}}[%{{.+}}], swizzle=32, leading=1024, stride=256 : memref<512xf16>
// CHECK:         %[[FIRST:.+]] = krnl.wgmma_rows %{{.+}}, %[[ROWS]], %[[B]] {rhsTransposed} : vector<8xf32>, vector<8xf16>
// CHECK:         %[[SECOND:.+]] = krnl.wgmma_rows %[[FIRST]], %{{.+}}, %{{.+}} {rhsTransposed} : vector<8xf32>, vector<8xf16>
// CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:    krnl.wgmma_wait %[[SECOND]] : vector<8xf32>
func.func @kept(%x: tensor<64x32xf16>, %w: tensor<32x32xf16>, %v: tensor<32x16xf16>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %y = krnl.kernel "kept" loops [m = 64, n = 32, c = 16, k = 32] ins(%x, %w, %v : tensor<64x32xf16>, tensor<32x32xf16>, tensor<32x16xf16>) outs(%o : tensor<64x16xf32>)
      recipe [mm: block(n, 32) -> (n.o, n.b), mm: block(n.b, 16) -> (n.x, n.y), block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              block(c, 8) -> (c.f, c.s), block(c.s, 2) -> (c.t, c.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, m.w, m.g, n.t, c.t, m.h, n.f, c.f, n.c, c.c, k.o, k.s, k.i), mm: order(m.o, m.w, m.g, c.t, m.h, c.f, c.c, n.o, n.x, n.y), fuse_outer(m.o), parallel(m.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), map(c.t, thread, as=n.t), unroll(m.h, 2), unroll(n.f, 4), unroll(c.f, 2), vectorize(n.c, 2), vectorize(c.c, 2), unroll(k.s, 2), mm: unroll(n.x, 2), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), mm: cache(2, at=n.o, in=shared),
              wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), mm: wgmma(m.w, m.h, m.g, c.f, c.t, c.c, n.y)] {
  ^bb0(%a: tensor<64x32xf16>, %b: tensor<32x32xf16>, %d: tensor<32x16xf16>, %e: tensor<64x16xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<64x32xf32>
    %h = krnl.temporary : tensor<64x32xf16>
    %z = krnl.compute [m, n] () -> (%q = %t[m, n]) : () -> tensor<64x32xf32> { linalg.yield %zero : f32 }
    %S = krnl.compute "scores" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %z[m, n])
        : (tensor<64x32xf16>, tensor<32x32xf16>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %r = krnl.compute "half" [m, n] (%p = %S[m, n]) -> (%q = %h[m, n]) : (tensor<64x32xf32>) -> tensor<64x32xf16> {
      %0 = arith.truncf %p : f32 to f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, c] () -> (%q = %e[m, c]) : () -> tensor<64x16xf32> { linalg.yield %zero : f32 }
    %g = krnl.compute "mm" [m, c | n] (%p = %r[m, n], %q = %d[n, c]) -> (%s = %f[m, c])
        : (tensor<64x32xf16>, tensor<32x16xf16>) -> tensor<64x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %g : tensor<64x16xf32>
  } -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

}
