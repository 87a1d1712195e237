// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// A warp of its own that copies slices: each reason for which there is none, and the blocks of a launch.

func.func @legal(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "legal" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(m.o, 2) -> (m.q, m.u), block(k.b, 16) -> (k.s, k.i),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), grid(6), map(m.u, cluster),
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

// -----

func.func @threads(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: operand 1 of op 'mm' is not copied by boxes for wgmma}}
  %y = krnl.kernel "threads" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2, producer)] {
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

// -----

func.func @warps(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: operand 0 of op 'mm' is not copied by boxes for wgmma}}
  %y = krnl.kernel "warps" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), pipeline(k.o, 2, producer)] {
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

// -----

func.func @other_loop(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: operand 0 of op 'mm' has slices of another loop or op}}
  %y = krnl.kernel "other_loop" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.q, k.p), block(k.p, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.q, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.q, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2, producer)] {
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

// -----

func.func @outer_sums(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: loop 'k.q' around it has several iterations in a tile}}
  %y = krnl.kernel "outer_sums" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.q, k.p), block(k.p, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.q, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
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

// -----

func.func @none(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{expected 1 to 2147483647 blocks, but got 0}}
  %y = krnl.kernel "none" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o), grid(0),
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

// -----

func.func @twice(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+2 {{the number of blocks is 4 already}}
  // expected-note @+1 {{it would be legal before}}
  %y = krnl.kernel "twice" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o), grid(4), grid(8),
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

// -----

func.func @clusters(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+2 {{a grid of 3 blocks has no whole clusters of loop 'm.u'}}
  // expected-note @+1 {{it would be legal before}}
  %y = krnl.kernel "clusters" loops [m = 256, n = 64, k = 128] ins(%x, %w : tensor<256x128xf16>, tensor<128x64xf16>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(m.o, 2) -> (m.q, m.u), block(k.b, 16) -> (k.s, k.i),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), grid(3), map(m.u, cluster),
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

// -----

func.func @dynamic(%x: tensor<64x128xf16>, %w: tensor<128x32xf16>, %o: tensor<64x32xf32>, %size: index) -> tensor<64x32xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: the slices of all tiles are not known to be less than 2^31}}
  %y = krnl.kernel "dynamic" loops [m = 64, n = 32, k = %size] ins(%x, %w : tensor<64x128xf16>, tensor<128x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32, tail=pad) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.w, m.g, n.t),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2, producer)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x32xf16>, %c: tensor<64x32xf32>, %d: index):
    %zero = arith.constant 0.0 : f32
    %i = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<64x32xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %i[m, n])
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
