// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Slices of shared memory that are copied some iterations ahead.

// The last of seven iterations is shorter.
func.func @three(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "three" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 3)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @one(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{recipe step 13 'pipeline(k.o, 1)': expected 2 to 8 stages, but got 1}}
  %y = krnl.kernel "one" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 1)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @nine(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{expected 2 to 8 stages, but got 9}}
  %y = krnl.kernel "nine" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 9)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @twice(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{loop 'k.o' has stages already}}
  // expected-note @+1 {{it would be legal before recipe step 13 'pipeline(k.o, 3)'}}
  %y = krnl.kernel "twice" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 3), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Slices that each thread has alone are not copied ahead.
func.func @alone(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: no operand is copied to shared memory there}}
  %y = krnl.kernel "alone" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, k.o, k.i, m.r), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @around(%x: tensor<64x16xf32>, %w: tensor<16x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{loop 'n.o' cannot have 2 stages: it is around all ops}}
  %y = krnl.kernel "around" loops [m = 64, n = 64, k = 16] ins(%x, %w : tensor<64x16xf32>, tensor<16x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o),
              unroll(m.r, 4), cache(0, at=n.o, in=shared), pipeline(n.o, 2)] {
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @peeled(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 2 stages: its last block is code of its own}}
  %y = krnl.kernel "peeled" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16, tail=peel) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// 32 x (16 + 4) and 16 x 8 floats and 16 bytes after each row, three times.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 8447>} {
func.func @budget(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+2 {{cannot cache operand 1 at loop 'k.o': the slices would be larger than 8447 bytes of shared memory}}
  // expected-note @+1 {{it would be legal before recipe step 12 'cache(1, at=k.o, in=shared)'}}
  %y = krnl.kernel "budget" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 3)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
}

// -----

// Products of an iteration are left to the next one.
func.func @flight(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %y = krnl.kernel "flight" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 3, in_flight=1)] {
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

func.func @all_in_flight(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expected 0 to 1 groups in flight beside 3 stages, but got 2}}
  %y = krnl.kernel "all_in_flight" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 3, in_flight=2)] {
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

// Those of a warp are there at once.
func.func @warp_in_flight(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 3 stages: op 'mm' does not sum up products by wgmma along it}}
  %y = krnl.kernel "warp_in_flight" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 3, in_flight=1)] {
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

// What one iteration of the outer loop has is read by products of several iterations of the inner one.
func.func @other_loop(%x: tensor<64x128xf16>, %w: tensor<128x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{loop 'k.o' cannot have 3 stages: op 'mm' has slices of another loop}}
  %y = krnl.kernel "other_loop" loops [m = 64, n = 32, k = 128] ins(%x, %w : tensor<64x128xf16>, tensor<128x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.q, k.p), block(k.p, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.q, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.q, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 3, in_flight=1)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
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
