// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Loops and slices that no instruction of a warpgroup can take.

func.func @count(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{expected warps, copies and threads of rows, tiles, threads and copies of columns, and products, but got 6 loops}}
  %y = krnl.kernel "count" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.t, n.c, k.i)] {
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

func.func @memory(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: its inputs are not both copied to shared memory}}
  %y = krnl.kernel "memory" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
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

func.func @lines(%x: tensor<64x64xf16>, %w: tensor<64x8xf16>, %o: tensor<64x8xf32>) -> tensor<64x8xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: a slice of its inputs has no lines of 32 bytes}}
  %y = krnl.kernel "lines" loops [m = 64, n = 8, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x8xf16>) outs(%o : tensor<64x8xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x8xf16>, %c: tensor<64x8xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x8xf16>) -> tensor<64x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x8xf32>
  } -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}

// -----

// Those of bytes have each number of columns up to 32, and multiples of 16.
func.func @columns(%x: tensor<64x64xi8>, %w: tensor<64x40xi8>, %o: tensor<64x40xi32>) -> tensor<64x40xi32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: no instruction has 40 columns of bytes}}
  %y = krnl.kernel "columns" loops [m = 64, n = 40, k = 64] ins(%x, %w : tensor<64x64xi8>, tensor<64x40xi8>) outs(%o : tensor<64x40xi32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 40) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 64) -> (k.o, k.b), block(k.b, 32) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 5), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xi8>, %b: tensor<64x40xi8>, %c: tensor<64x40xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xi8>, tensor<64x40xi8>) -> tensor<64x40xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %s, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x40xi32>
  } -> tensor<64x40xi32>
  return %y : tensor<64x40xi32>
}

// -----

func.func @threads(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loops 'm.g' and 'n.t' are not the last mapped loops}}
  %y = krnl.kernel "threads" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.g, m.w, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.g, m.w, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(m.w, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
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

func.func @warps(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'm.w' is not the mapped loop before them}}
  %y = krnl.kernel "warps" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o, m.w),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
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

func.func @tiles(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'n.f' is not unrolled}}
  %y = krnl.kernel "tiles" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), unroll(k.s, 2),
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

func.func @wide(%x: tensor<64x64xf16>, %w: tensor<64x264xf16>, %o: tensor<64x264xf32>) -> tensor<64x264xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'n.f' has not always 32 iterations}}
  %y = krnl.kernel "wide" loops [m = 64, n = 264, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x264xf16>) outs(%o : tensor<64x264xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 264) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 33), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x264xf16>, %c: tensor<64x264xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x264xf16>) -> tensor<64x264xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x264xf32>
  } -> tensor<64x264xf32>
  return %y : tensor<64x264xf32>
}

// -----

func.func @scattered(%x: tensor<64x64xf16>, %w: tensor<64x32xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: iterations of loop 'm.w' are not 16 elements apart in the slice of an input}}
  %y = krnl.kernel "scattered" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 32) -> (m.h, m.r), block(m.r, 4) -> (m.g, m.w), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
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

// Lines of 64 columns, and instructions of 32.
func.func @parts(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: an instruction would have parts of the lines of a slice}}
  %y = krnl.kernel "parts" loops [m = 64, n = 64, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 64) -> (n.o, n.b), block(n.b, 32) -> (n.v, n.p), block(n.p, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, n.v, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, n.v, m.w, m.g, n.t), parallel(m.o, n.o),
              map(n.v, thread), map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----


func.func @element(%x: tensor<64x64xf8E4M3FN>, %w: tensor<64x32xf8E4M3FN>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: it does not sum up products of two inputs of the kernel or shared results, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "element" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>) outs(%o : tensor<64x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x32xf8E4M3FN>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>) -> tensor<64x32xf32> {
      %0 = arith.extf %p : f8E4M3FN to f32
      %1 = arith.extf %q : f8E4M3FN to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// -----

// Registers have no index.
func.func @rows_in_loop(%x: tensor<64x32xf16>, %w: tensor<32x32xf16>, %v: tensor<32x16xf16>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: it does not sum up products of two inputs of the kernel or shared results, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "rows_in_loop" loops [m = 64, n = 32, c = 16, k = 32] ins(%x, %w, %v : tensor<64x32xf16>, tensor<32x32xf16>, tensor<32x16xf16>) outs(%o : tensor<64x16xf32>)
      recipe [mm: block(n, 32) -> (n.o, n.b), mm: block(n.b, 16) -> (n.x, n.y), block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              block(c, 8) -> (c.f, c.s), block(c.s, 2) -> (c.t, c.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i),
              order(m.o, m.w, m.g, n.t, c.t, m.h, n.f, c.f, n.c, c.c, k.o, k.s, k.i), mm: order(m.o, m.w, m.g, c.t, m.h, c.f, c.c, n.o, n.x, n.y), fuse_outer(m.o), parallel(m.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), map(c.t, thread, as=n.t), unroll(m.h, 2), unroll(n.f, 4), unroll(c.f, 2), vectorize(n.c, 2), vectorize(c.c, 2), unroll(k.s, 2), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), mm: cache(2, at=n.o, in=shared),
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
