// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Slices that no boxes of a tensor make up.

func.func @pitch(%x: tensor<64x60xf16>, %w: tensor<60x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: its rows of 120 bytes do not begin at multiples of 16}}
  %y = krnl.kernel "pitch" loops [m = 64, n = 32, k = 60] ins(%x, %w : tensor<64x60xf16>, tensor<60x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32, tail=pad) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x60xf16>, %b: tensor<60x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x60xf16>, tensor<60x32xf16>) -> tensor<64x32xf32> {
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

// Rows of which the size is dynamic begin anywhere. Other sizes may be dynamic.
func.func @size(%x: tensor<64x?xf16>, %w: tensor<?x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %k = tensor.dim %w, %c0 : tensor<?x32xf16>
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: its rows have a dynamic size}}
  %y = krnl.kernel "size" loops [m = 64, n = 32, k = %k] ins(%x, %w : tensor<64x?xf16>, tensor<?x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32, tail=pad) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x?xf16>, %b: tensor<?x32xf16>, %c: tensor<64x32xf32>, %e: index):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x?xf16>, tensor<?x32xf16>) -> tensor<64x32xf32> {
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

func.func @stride(%x: tensor<128x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: iterations of loop 'm.w' are not as far apart in the slice as in the operand}}
  %y = krnl.kernel "stride" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<128x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m * 2, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<128x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
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

func.func @range(%x: tensor<66x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: elements inside of it are left out}}
  %y = krnl.kernel "range" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<66x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<66x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m in 0 to 60, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<66x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
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

func.func @part(%x: tensor<64x96xf16>, %w: tensor<60x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: it goes on after the end of a sum}}
  %y = krnl.kernel "part" loops [m = 64, n = 32, k = 60] ins(%x, %w : tensor<64x96xf16>, tensor<60x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32, tail=pad) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x96xf16>, %b: tensor<60x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k + 3], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x96xf16>, tensor<60x32xf16>) -> tensor<64x32xf32> {
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

func.func @coordinates(%x: tensor<2147483648x64xf16>, %w: tensor<64x32xf16>, %o: tensor<2147483648x32xf32>) -> tensor<2147483648x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 0: a dimension has not 1 to 2^31 - 1 elements}}
  %y = krnl.kernel "coordinates" loops [m = 2147483648, n = 32, k = 64] ins(%x, %w : tensor<2147483648x64xf16>, tensor<64x32xf16>) outs(%o : tensor<2147483648x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32, tail=pad) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<2147483648x64xf16>, %b: tensor<64x32xf16>, %c: tensor<2147483648x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2147483648x64xf16>, tensor<64x32xf16>) -> tensor<2147483648x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<2147483648x32xf32>
  } -> tensor<2147483648x32xf32>
  return %y : tensor<2147483648x32xf32>
}
