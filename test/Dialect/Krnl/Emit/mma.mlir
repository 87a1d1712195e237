// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// A warp multiplies matrices of f16: the sums of a thread are those of its loops, the factors are rows of
// slices in shared memory.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// Two matrices of rows for each of columns. Rows of 64 products, and 16 of columns, are 8 elements longer than
// they need be: 32 * 72 and 64 * 24.
// CHECK-LABEL: func private @kernel_half_0(
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<2304xf16, 3>
// CHECK-DAG:     memref.alloca() {alignment = 16 : i64} : memref<1536xf16, 3>
// CHECK:         vector.store %{{.+}} : memref<2304xf16>, vector<8xf16>
// CHECK:         vector.store %{{.+}} : memref<1536xf16>, vector<8xf16>
// CHECK:         nvvm.barrier0
// CHECK:         scf.for
// CHECK:           %[[A:.+]] = krnl.load_matrix %{{.+}}[%{{.+}}] : memref<2304xf16> -> vector<8xf16>
// CHECK:           %[[B:.+]] = krnl.load_matrix %{{.+}}[%{{.+}}] transposed : memref<1536xf16> -> vector<4xf16>
// CHECK:           krnl.mma %{{.+}}, %[[A]], %[[B]] : vector<4xf32>, vector<8xf16>, vector<4xf16>
// CHECK:           krnl.load_matrix %{{.+}} : memref<2304xf16> -> vector<8xf16>
// CHECK-NOT:       krnl.load_matrix
// CHECK:           krnl.mma %{{.+}}, %{{.+}}, %[[B]]
// CHECK-NOT:       arith.mulf
// CHECK:           scf.yield
func.func @half(%x: tensor<64x128xf16>, %w: tensor<128x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "half" loops [m = 64, n = 32, k = 128] ins(%x, %w : tensor<64x128xf16>, tensor<128x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 16) -> (m.f, m.s), block(m.s, 8) -> (m.h, m.g),
              block(n, 16) -> (n.o, n.b), block(n.b, 8) -> (n.w, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.s), block(k.s, 16) -> (k.m, k.i),
              order(m.o, n.o, n.w, m.g, n.t, m.f, m.h, n.c, k.o, k.m, k.i), fuse_outer(m.o, n.o, n.w, m.g, n.t), parallel(m.o, n.o),
              map(n.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.f, 2), unroll(m.h, 2), vectorize(n.c, 2),
              mma(m.h, m.g, n.t, n.c, k.i), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x32xf16>, %c: tensor<64x32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<64x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<64x128xf16>, tensor<128x32xf16>) -> tensor<64x32xf32> {
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

// A target without the instruction for f32 writes its products out.
// CHECK-LABEL: func private @kernel_single_0(
// CHECK-NOT:     krnl.mma
// CHECK:         arith.mulf
func.func @single(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = krnl.kernel "single" loops [m = 16, n = 8, k = 8] ins(%x, %w : tensor<16x8xf32>, tensor<8x8xf32>) outs(%o : tensor<16x8xf32>)
      recipe [block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c), order(m.g, n.t, m.h, n.c, k), fuse_outer(m.g, n.t),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.c, 2), mma(m.h, m.g, n.t, n.c, k)] {
  ^bb0(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// The result of another op in memory of all threads is read by matrices, too: 16 rows of 32 columns, 8 elements
// longer than they need be.
// CHECK-LABEL: func private @kernel_handed_0(
// CHECK:         memref.alloca() {alignment = 16 : i64} : memref<16x40xf16, 3>
// CHECK:         vector.store %{{.+}} : memref<16x40xf16>, vector<2xf16>
// CHECK:         nvvm.barrier0
// CHECK:         %[[A:.+]] = krnl.load_matrix %{{.+}}[%{{.+}}, %{{.+}}] : memref<16x40xf16> -> vector<8xf16>
// CHECK:         krnl.mma %{{.+}}, %[[A]], %{{.+}} : vector<4xf32>, vector<8xf16>, vector<4xf16>
func.func @handed(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = krnl.kernel "handed" loops [m = 16, n = 8, k = 32] ins(%x, %w : tensor<16x32xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(k, 8) -> (k.f, k.s), block(k.s, 2) -> (k.t, k.c), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, k.t, n.t, m.h, k.f, k.c, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(k.t, thread), map(n.t, thread, as=k.t), shared(p),
              unroll(m.h, 2), unroll(k.f, 4), vectorize(k.c, 2), vectorize(n.c, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x32xf16>
    %r = krnl.compute "p" [m, k] (%p = %a[m, k]) -> (%q = %t[m, k]) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// What the threads have of it in registers is what they need as rows of the factor: of each 16 columns those of two
// tiles, for rows g and g + 8. Nothing goes through memory, and no thread waits.
// CHECK-LABEL: func private @kernel_kept_0(
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     nvvm.barrier0
// CHECK:         arith.negf
// CHECK:         %[[ROWS:.+]] = vector.from_elements %{{.+}} : vector<8xf16>
// CHECK:         krnl.mma %{{.+}}, %[[ROWS]], %{{.+}} : vector<4xf32>, vector<8xf16>, vector<4xf16>
func.func @kept(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = krnl.kernel "kept" loops [m = 16, n = 8, k = 32] ins(%x, %w : tensor<16x32xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(k, 8) -> (k.f, k.s), block(k.s, 2) -> (k.t, k.c), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, k.t, n.t, m.h, k.f, k.c, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(k.t, thread), map(n.t, thread, as=k.t),
              unroll(m.h, 2), unroll(k.f, 4), vectorize(k.c, 2), vectorize(n.c, 2), mm: unroll(k.x, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x32xf16>
    %r = krnl.compute "p" [m, k] (%p = %a[m, k]) -> (%q = %t[m, k]) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Rows that begin between multiples of 16 bytes are read one by one.
// CHECK-LABEL: func private @kernel_handed_between_0(
// CHECK-NOT:     krnl.load_matrix
// CHECK:         krnl.mma
func.func @handed_between(%x: tensor<16x64xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = krnl.kernel "handed_between" loops [m = 16, n = 8, k = 32, j = 64] ins(%x, %w : tensor<16x64xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(j, 4) -> (j.f, j.t), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, j.t, n.t, m.h, j.f, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(j.t, thread), map(n.t, thread, as=j.t), shared(p),
              unroll(m.h, 2), vectorize(n.c, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x64xf16>
    %r = krnl.compute "p" [m, j] (%p = %a[m, j]) -> (%q = %t[m, j]) : (tensor<16x64xf16>) -> tensor<16x64xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k + 1], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x64xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

}
