// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Threads pass results to each other in memory that they share: those of op 'p' to op 's',
// in which the same threads have other loops.

func.func @legal(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %y = krnl.kernel "legal" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread, as=n.t), shared(p)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

// Without the step each thread has results of its own.
func.func @stack(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{op 'p' has a result in memory that other threads read}}
  %y = krnl.kernel "stack" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread, as=n.t)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @yielded(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{op 's' cannot have shared results: has a result that is not an intermediate of known size}}
  %y = krnl.kernel "yielded" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread, as=n.t), shared(p), shared(s)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @twice(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+2 {{the step is already applied to op 'p'}}
  // expected-note @+1 {{it would be legal before recipe step 4 'shared(p)'}}
  %y = krnl.kernel "twice" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), shared(p), shared(p)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @unknown(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{there is no op 'r'}}
  %y = krnl.kernel "unknown" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), shared(r)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @several_writers(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{op 'p' cannot have shared results: has elements that several threads write}}
  %y = krnl.kernel "several_writers" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 8) -> (n.t, n.c), block(e, 8) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread), shared(p)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @too_large(%x: tensor<16x65536xf32>, %w: tensor<65536x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{shared results, sums and slices take more than 49152 bytes}}
  %y = krnl.kernel "too_large" loops [m = 16, n = 65536, e = 32] ins(%x, %w : tensor<16x65536xf32>, tensor<65536x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 4096) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread, as=n.t), shared(p)] {
  ^bb0(%a: tensor<16x65536xf32>, %b: tensor<65536x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x65536xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x65536xf32>) -> tensor<16x65536xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x65536xf32>, tensor<65536x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @other_extent(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{loop 'e.t' cannot have the threads of loop 'n.t': that has another number of iterations}}
  %y = krnl.kernel "other_extent" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 4) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(n.t, thread), map(e.t, thread, as=n.t)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @both(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{loop 'e.t' cannot have the threads of loop 'm': op 's' has both}}
  %y = krnl.kernel "both" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [block(e, 2) -> (e.t, e.c), map(m, thread), map(e.t, thread, as=m)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

func.func @no_threads(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>, %o: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @+1 {{loop 'e.t' cannot have the threads of loop 'n.t': that has none of its own}}
  %y = krnl.kernel "no_threads" loops [m = 16, n = 32, e = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%o : tensor<16x32xf32>)
      recipe [s: block(n, 8) -> (n.x, n.y), block(n, 2) -> (n.t, n.c), block(e, 2) -> (e.t, e.c), order(m, n.t, e.t, n.c, e.c), s: order(m, e.t, e.c, n.x, n.y), map(m, thread), map(e.t, thread, as=n.t)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x32xf32>, %c: tensor<16x32xf32>):
    %t = krnl.temporary : tensor<16x32xf32>
    %p = krnl.compute "p" [m, n] (%v = %a[m, n]) -> (%q = %t[m, n]) : (tensor<16x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
    %s = krnl.compute "s" [m, e | n] (%v = %p[m, n], %f = %b[n, e]) -> (%q = %c[m, e])
        : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32> {
      %0 = arith.mulf %v, %f : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %s : tensor<16x32xf32>
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

// Each of 1024 threads has words of 8 bytes for its 64 elements.
func.func @exchanged(%x: tensor<2048x32xf64>, %o: tensor<2048xf64>) -> tensor<2048xf64> {
  // expected-error @+1 {{shared results, sums and slices take more than 49152 bytes}}
  %y = krnl.kernel "exchanged" loops [m = 2048, k = 32] ins(%x : tensor<2048x32xf64>) outs(%o : tensor<2048xf64>)
      recipe [block(m, 64) -> (m.t, m.c), order(k, m.t, m.c), s: order(m.t, m.c, k), vectorize(m.c, 64), map(k, thread), map(m.t, thread)] {
  ^bb0(%a: tensor<2048x32xf64>, %c: tensor<2048xf64>):
    %s = krnl.compute "s" [m | k] (%v = %a[m, k]) -> (%q = %c[m]) : (tensor<2048x32xf64>) -> tensor<2048xf64> {
      %0 = arith.addf %q, %v : f64
      linalg.yield %0 : f64
    }
    krnl.yield %s : tensor<2048xf64>
  } -> tensor<2048xf64>
  return %y : tensor<2048xf64>
}

// -----

// Warps exchange two sums of 64 threads each, and 64 of two warps: as many words, of memory in two shapes.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 1023>} {
func.func @exchanged_twice(%x: tensor<2x32x2xf32>, %z: tensor<64x2x32xf32>, %o: tensor<2x32xf32>, %p: tensor<64xf32>) -> (tensor<2x32xf32>, tensor<64xf32>) {
  // expected-error @+1 {{shared results, sums and slices take more than 1023 bytes}}
  %y:2 = krnl.kernel "exchanged_twice" loops [u = 2, v = 64, w = 2, r = 32]
      ins(%x, %z : tensor<2x32x2xf32>, tensor<64x2x32xf32>) outs(%o, %p : tensor<2x32xf32>, tensor<64xf32>)
      recipe [order(w, r, u, v), sa: order(r, u, w), sb: order(v, w, r), unroll(u, 2), unroll(v, 64), map(r, thread), map(w, thread)] {
  ^bb0(%a: tensor<2x32x2xf32>, %e: tensor<64x2x32xf32>, %b: tensor<2x32xf32>, %c: tensor<64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [u, r] () -> (%q = %b[u, r]) : () -> tensor<2x32xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute "sa" [u, r | w] (%p1 = %a[u, r, w]) -> (%q = %f[u, r]) : (tensor<2x32x2xf32>) -> tensor<2x32xf32> {
      %t = arith.addf %p1, %q : f32
      linalg.yield %t : f32
    }
    %f2 = krnl.compute [v] () -> (%q = %c[v]) : () -> tensor<64xf32> {
      linalg.yield %zero : f32
    }
    %s2 = krnl.compute "sb" [v | w, r] (%p1 = %e[v, w, r]) -> (%q = %f2[v]) : (tensor<64x2x32xf32>) -> tensor<64xf32> {
      %t = arith.addf %p1, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s, %s2 : tensor<2x32xf32>, tensor<64xf32>
  } -> tensor<2x32xf32>, tensor<64xf32>
  return %y#0, %y#1 : tensor<2x32xf32>, tensor<64xf32>
}
}
