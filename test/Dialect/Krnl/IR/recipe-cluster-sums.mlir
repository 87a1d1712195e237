// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Parts of a sum of which each block of a cluster has one, and each reason for which it has none.

func.func @sums(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %y = krnl.kernel "sums" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

// Results are a part of a larger tensor: each block of the cluster has those of its share.
func.func @part(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<66x9xf32>) -> tensor<66x9xf32> {
  %y = krnl.kernel "part" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<66x9xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<66x9xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m + 1, n + 4]) : () -> tensor<66x9xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m + 1, n + 4])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<66x9xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] () -> (%v = %s[m + 1, n + 4]) : () -> tensor<66x9xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<66x9xf32>
  } -> tensor<66x9xf32>
  return %y : tensor<66x9xf32>
}

// -----

// Elements of other iterations than the own ones are another block's.
func.func @next(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>, %e: tensor<64x6xf32>) -> (tensor<64x4xf32>, tensor<64x6xf32>) {
  // expected-error @+1 {{op 'mm' has a result in memory that other threads read}}
  %y:2 = krnl.kernel "next" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o, %e : tensor<64x4xf32>, tensor<64x6xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>, %d: tensor<64x6xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %d[m, n + 1]) : () -> tensor<64x6xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n + 1])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x6xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "before" [m, n] (%v = %s[m, n + 2]) -> (%_ = %c[m, n]) : (tensor<64x6xf32>) -> tensor<64x4xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %r, %s : tensor<64x4xf32>, tensor<64x6xf32>
  } -> tensor<64x4xf32>, tensor<64x6xf32>
  return %y#0, %y#1 : tensor<64x4xf32>, tensor<64x6xf32>
}

// -----

func.func @tiles(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{recipe step 6 'map(n, cluster, as=m)': loop 'n' cannot be a cluster: loop 'm' has no parts of a sum}}
  %y = krnl.kernel "tiles" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(n, cluster, as=m)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @results(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{loop 'n' cannot be a cluster: it is not parallel, and op 'start' does not reduce it}}
  %y = krnl.kernel "results" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(n, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @many(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{loop 'k.p' cannot be a cluster: its iterations are not a power of two from 2 to 8}}
  %y = krnl.kernel "many" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.p, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @twice(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{loop 'k.c' cannot be a cluster: loop 'k.c' is one}}
  // expected-note @+1 {{it would be legal before recipe step 5 'map(k.c, cluster)'}}
  %y = krnl.kernel "twice" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.c, cluster), map(k.c, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @threads(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{loop 'k.c' cannot be a cluster: it is mapped already}}
  %y = krnl.kernel "threads" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 2) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.c, thread), map(k.c, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @shares(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{loop 'm.b' cannot be a cluster: loop 'n' is one}}
  // expected-note @+1 {{it would be legal before recipe step 9 'map(n, cluster, as=k.c)'}}
  %y = krnl.kernel "shares" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(m, 4) -> (m.o, m.b), block(k, 16) -> (k.c, k.p), order(m.o, m.b, n, k.c, k.p), fuse_outer(m.o), parallel(m.o), mm: unroll(n, 4), mm: unroll(m.b, 4), map(k.c, cluster), map(n, cluster, as=k.c), map(m.b, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @number(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{loop 'n' cannot be a cluster: loop 'k.c' has another number of iterations}}
  %y = krnl.kernel "number" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 8) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @around(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{loop 'm.b' cannot be a cluster: ops run inside it together}}
  %y = krnl.kernel "around" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(m, 4) -> (m.o, m.b), block(k, 16) -> (k.c, k.p), order(m.o, m.b, n, k.c, k.p), fuse_outer(m.o, m.b), parallel(m.o), map(k.c, cluster), map(m.b, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @mapped(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{loop 'n' cannot be a cluster: it is mapped already}}
  // expected-note @+1 {{it would be legal before recipe step 6 'map(n, thread)'}}
  %y = krnl.kernel "mapped" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.c, cluster), map(n, thread), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @one(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{recipe step 6 'map(k.c, cluster)': op 'mm' has no loop of which each block of the cluster has an iteration}}
  %y = krnl.kernel "one" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @apart(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{op 'mm' has loop 'n', which is not unrolled}}
  %y = krnl.kernel "apart" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @serial(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{op 'mm' has loop 'm.b', which is not unrolled}}
  %y = krnl.kernel "serial" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(m, 4) -> (m.o, m.b), block(k, 16) -> (k.c, k.p), order(m.o, m.b, n, k.c, k.p), fuse_outer(m.o), parallel(m.o), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @unrolled(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{each iteration of loop 'k.c' is a block's, so it stays a plain loop}}
  // expected-note @+1 {{it would be legal before recipe step 6 'map(k.c, cluster)'}}
  %y = krnl.kernel "unrolled" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c), unroll(k.c, 2)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @unshared(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{each iteration of loop 'n' is a thread's, so it stays a plain loop}}
  // expected-note @+1 {{it would be legal before recipe step 7 'map(n, cluster, as=k.c)'}}
  %y = krnl.kernel "unshared" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c), relu: unroll(n, 2)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @cut(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{loop 'k.c' is mapped; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 6 'map(k.c, cluster)'}}
  %y = krnl.kernel "cut" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c), block(k.c, 2) -> (k.d, k.e)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @slices(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{operand 0 is cached at loop 'k.c', whose iterations are those of blocks}}
  // expected-note @+1 {{it would be legal before recipe step 6 'map(k.c, cluster)'}}
  %y = krnl.kernel "slices" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c), cache(0, at=k.c, in=shared)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @grid(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+2 {{a grid of 6 blocks has no whole clusters of loop 'k.c'}}
  // expected-note @+1 {{it would be legal before recipe step 6 'map(k.c, cluster)'}}
  %y = krnl.kernel "grid" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c), grid(6)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @rest(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{ends early in some blocks of cluster 'k.e'}}
  %y = krnl.kernel "rest" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 24) -> (k.c, k.p), block(k.c, 2) -> (k.d, k.e), order(m, n, k.d, k.e, k.p), fuse_outer(m), parallel(m), map(k.e, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @computed(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{op 'mm' sums up results of another op}}
  %y = krnl.kernel "computed" loops [m = 64, n = 4, k = 64, j = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: unroll(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %g = krnl.temporary : tensor<64x4x64xf32>
    %t = krnl.compute "square" [m, n, j] (%p = %a[m, j]) -> (%_ = %g[m, n, j]) : (tensor<64x64xf32>) -> tensor<64x4x64xf32> {
      %z = arith.mulf %p, %p : f32
      linalg.yield %z : f32
    }
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %t[m, n, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x4x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @difference(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{op 'mm' cannot combine partial results of loop 'k.c'}}
  %y = krnl.kernel "difference" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), map(k.c, cluster)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %u : f32
      %z = arith.addf %v, %q : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// -----

func.func @lanes(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %o: tensor<64x4xf32>) -> tensor<64x4xf32> {
  // expected-error @+1 {{op 'mm' has lanes along loop 'n', of which each block of the cluster has an iteration}}
  %y = krnl.kernel "lanes" loops [m = 64, n = 4, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%o : tensor<64x4xf32>)
      recipe [block(k, 16) -> (k.c, k.p), order(m, n, k.c, k.p), fuse_outer(m), parallel(m), mm: vectorize(n, 4), map(k.c, cluster), map(n, cluster, as=k.c)] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute "start" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%u = %f[m, n])
        : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
      %v = arith.mulf %p, %q : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    %r = krnl.compute "relu" [m, n] (%v = %s[m, n]) -> (%_ = %c[m, n]) : (tensor<64x4xf32>) -> tensor<64x4xf32> {
      %z = arith.maximumf %v, %zero : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<64x4xf32>
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}
