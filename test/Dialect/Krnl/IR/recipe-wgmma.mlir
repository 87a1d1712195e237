// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Products of matrices by the four warps of a warpgroup: 64 rows by all columns of a tile.

// Two steps of 16 products, whose columns are contiguous in memory.
func.func @half(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "half" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
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

// -----

// Rows lie along memory, and the sums of the other factor; copies go ahead.
func.func @brain(%x: tensor<128x64xbf16>, %w: tensor<64x128xbf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "brain" loops [m = 64, n = 64, k = 128] ins(%x, %w : tensor<128x64xbf16>, tensor<64x128xbf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 64) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 8), unroll(n.c, 2), unroll(k.s, 4),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[k, m], %q = %b[n, k]) -> (%s = %c[m, n])
        : (tensor<128x64xbf16>, tensor<64x128xbf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Bytes have lines along the sums, however the factor lies, and 24 columns as well as 48.
func.func @bytes(%x: tensor<64x128xi8>, %w: tensor<128x24xi8>, %o: tensor<64x24xi32>) -> tensor<64x24xi32> {
  %y = krnl.kernel "bytes" loops [m = 64, n = 24, k = 128] ins(%x, %w : tensor<64x128xi8>, tensor<128x24xi8>) outs(%o : tensor<64x24xi32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 24) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.b), block(k.b, 32) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 3), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x128xi8>, %b: tensor<128x24xi8>, %c: tensor<64x24xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x128xi8>, tensor<128x24xi8>) -> tensor<64x24xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x24xi32>
  } -> tensor<64x24xi32>
  return %y : tensor<64x24xi32>
}

// -----

func.func @wide_bytes(%x: tensor<64x128xi8>, %w: tensor<48x128xi8>, %o: tensor<64x48xi32>) -> tensor<64x48xi32> {
  %y = krnl.kernel "wide_bytes" loops [m = 64, n = 48, k = 128] ins(%x, %w : tensor<64x128xi8>, tensor<48x128xi8>) outs(%o : tensor<64x48xi32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 48) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 128) -> (k.o, k.b), block(k.b, 32) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 6), vectorize(n.c, 2), unroll(k.s, 4),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x128xi8>, %b: tensor<48x128xi8>, %c: tensor<64x48xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[n, k]) -> (%s = %c[m, n])
        : (tensor<64x128xi8>, tensor<48x128xi8>) -> tensor<64x48xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x48xi32>
  } -> tensor<64x48xi32>
  return %y : tensor<64x48xi32>
}

// -----

// A target that lets f32 be rounded has 8 products of them.
func.func @rounded(%x: tensor<64x64xf32>, %w: tensor<32x64xf32>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "rounded" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<32x64xf32>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.b), block(k.b, 8) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 3, in_flight=1)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<32x64xf32>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[n, k]) -> (%s = %c[m, n])
        : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
