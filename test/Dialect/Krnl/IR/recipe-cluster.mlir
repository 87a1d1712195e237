// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// The tiles of the blocks of a cluster, and each reason for which a loop has none.

// Also of slices that no step copies.
func.func @plain(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  %y = krnl.kernel "plain" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r), map(r, cluster), map(c, thread)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @threads(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'c' cannot be a cluster: loop 'r' has no parts of a sum}}
  %y = krnl.kernel "threads" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r), map(c, cluster, as=r)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @serial(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'c' cannot be a cluster: it is not parallel}}
  %y = krnl.kernel "serial" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r), map(c, cluster)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @many(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'c' cannot be a cluster: its iterations are not a power of two from 2 to 8}}
  %y = krnl.kernel "many" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r, c), map(c, cluster)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @two(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'c.i' cannot be a cluster: loop 'r' is one}}
  %y = krnl.kernel "two" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [block(c, 2) -> (c.o, c.i), fuse_outer(r, c.o, c.i), parallel(r), map(r, cluster), map(c.i, cluster)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @not_last(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'r' is a cluster, so it must be the last parallel one}}
  %y = krnl.kernel "not_last" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r, c), map(r, cluster)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @parallel_after(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{loop 'r' is a cluster, so it must be the last parallel one}}
  %y = krnl.kernel "parallel_after" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [fuse_outer(r, c), parallel(r), map(r, cluster), parallel(c)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

func.func @ends_early(%x: tensor<8x64x100xf32>, %o: tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
  // expected-error @+1 {{loop 'd.i' ends early in some blocks of cluster 'r'}}
  %y = krnl.kernel "ends_early" loops [r = 8, c = 64, d = 100]
      ins(%x : tensor<8x64x100xf32>) outs(%o : tensor<8x64x100xf32>)
      recipe [block(d, 16) -> (d.o, d.i), fuse_outer(r), parallel(r), map(r, cluster)] {
  ^bb0(%a: tensor<8x64x100xf32>, %b: tensor<8x64x100xf32>):
    %s = krnl.compute "square" [r, c, d] (%p = %a[r, c, d]) -> (%q = %b[r, c, d]) : (tensor<8x64x100xf32>) -> tensor<8x64x100xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x64x100xf32>
  } -> tensor<8x64x100xf32>
  return %y : tensor<8x64x100xf32>
}

// -----

// A slice of 32 lines has no groups of eight for each of eight blocks.
func.func @lines(%x: tensor<1024x64xf16>, %w: tensor<64x32xf16>, %o: tensor<1024x32xf32>) -> tensor<1024x32xf32> {
  // expected-note @+2 {{it would be legal before}}
  // expected-error @+1 {{cannot copy boxes of operand 1: its lines cannot be divided among the blocks of a cluster}}
  %y = krnl.kernel "lines" loops [m = 1024, n = 32, k = 64] ins(%x, %w : tensor<1024x64xf16>, tensor<64x32xf16>) outs(%o : tensor<1024x32xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.b), block(k.b, 16) -> (k.s, k.i), block(m.o, 8) -> (m.q, m.u),
              order(m.q, n.o, m.u, m.w, m.g, n.t, m.h, n.f, n.c, k.o, k.s, k.i), fuse_outer(m.q, n.o, m.u, m.w, m.g, n.t), parallel(m.q, n.o, m.u), map(m.u, cluster),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), unroll(k.s, 2),
              cache(0, at=k.o, in=shared, by=tma), cache(1, at=k.o, in=shared, by=tma), wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<1024x64xf16>, %b: tensor<64x32xf16>, %c: tensor<1024x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<1024x64xf16>, tensor<64x32xf16>) -> tensor<1024x32xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<1024x32xf32>
  } -> tensor<1024x32xf32>
  return %y : tensor<1024x32xf32>
}
