// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// An op that is hoisted from a fused outer loop runs before or after it.

func.func @all(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 1 'hoist(m)': concerns one op; limit it to that}}
  %y = krnl.kernel "all" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [hoist(m)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @no_loop(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 1 'factor: hoist(z)': there is no loop 'z' of all ops}}
  %y = krnl.kernel "no_loop" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(z)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @late(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 3 'factor: hoist(n)': loop 'n' is already in fuse_outer; hoist ops before that}}
  // expected-note @+1 {{it would be legal before recipe step 2 'fuse_outer(n)'}}
  %y = krnl.kernel "late" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [order(n, m, k), fuse_outer(n), factor: hoist(n)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @twice(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 2 'factor: hoist(k)': op 'factor' is hoisted from a loop already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'factor: hoist(m)'}}
  %y = krnl.kernel "twice" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(m), factor: hoist(k)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @replaced(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 2 'block(m, 2) -> (m.o, m.i)': loop 'm' is what op 'factor' is hoisted from; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'factor: hoist(m)'}}
  %y = krnl.kernel "replaced" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(m), block(m, 2) -> (m.o, m.i)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @nothing_inside(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 6 'fuse_outer(n)': all ops are hoisted from loop 'n'}}
  %y = krnl.kernel "nothing_inside" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [zero: hoist(n), factor: hoist(n), sum: hoist(n), relu: hoist(n), order(n, m, k), fuse_outer(n)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @parallel(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 4 'parallel(n, m)': op 'factor' is outside of loop 'm'}}
  %y = krnl.kernel "parallel" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [order(n, m, k), factor: hoist(m), fuse_outer(n, m), parallel(n, m)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @not_hoisted(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 3 'fuse_outer(n, k)': op 'zero' does not run over loop 'k'}}
  %y = krnl.kernel "not_hoisted" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [order(n, k, m), relu: hoist(k), fuse_outer(n, k)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @user_inside(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 3 'fuse_outer(n, k)': loop 'k' is reduced by op 'sum', whose result op 'relu' uses}}
  %y = krnl.kernel "user_inside" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [order(n, k, m), zero: hoist(k), fuse_outer(n, k)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @computed_at(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 4 'compute_at(k)': ops are hoisted, so none runs inside a loop of compute_at, nor in threads of a tile}}
  %y = krnl.kernel "computed_at" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(m), order(n, k, m), fuse_outer(n), compute_at(k)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @threads(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 4 'map(n, thread)': ops are hoisted, so none runs inside a loop of compute_at, nor in threads of a tile}}
  // expected-note @+1 {{it would be legal before recipe step 1 'factor: hoist(m)'}}
  %y = krnl.kernel "threads" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(m), order(n, m, k), fuse_outer(n, m), map(n, thread)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @uses_later(%x: tensor<6x8xf32>, %o: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-error @+2 {{recipe step 2 'fuse_outer(n, m)': op 'last' runs inside loop 'm', but uses the result of op 'middle', which runs after it}}
  // expected-note @+1 {{it would be legal before recipe step 1 'middle: hoist(m)'}}
  %y = krnl.kernel "uses_later" loops [n = 6, m = 8] ins(%x : tensor<6x8xf32>) outs(%o : tensor<6x8xf32>)
      recipe [middle: hoist(m), fuse_outer(n, m)] {
  ^bb0(%a: tensor<6x8xf32>, %c: tensor<6x8xf32>):
    %t = krnl.temporary : tensor<6x8xf32>
    %u = krnl.temporary : tensor<6x8xf32>
    %f = krnl.compute "first" [n, m] (%p = %a[n, m]) -> (%q = %t[n, m]) : (tensor<6x8xf32>) -> tensor<6x8xf32> {
      %r = arith.addf %p, %p : f32
      linalg.yield %r : f32
    }
    %g = krnl.compute "middle" [n, m] (%p = %f[n, m]) -> (%q = %u[n, m]) : (tensor<6x8xf32>) -> tensor<6x8xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %h = krnl.compute "last" [n, m] (%p = %g[n, m]) -> (%q = %c[n, m]) : (tensor<6x8xf32>) -> tensor<6x8xf32> {
      %r = arith.subf %p, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %h : tensor<6x8xf32>
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// The op would run inside of all loops with the others.
func.func @nowhere(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{recipe step 2 'factor: hoist(m)': loop 'm' is not in fuse_outer, so that no op runs inside of it with others}}
  %y = krnl.kernel "nowhere" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [order(n, m, k), factor: hoist(m), fuse_outer(n)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @tiled(%x: tensor<8x6x4xf32>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 3 'zero: hoist(k)': op 'zero' has loop 'm' in a register tile; hoist it before that}}
  // expected-note @+1 {{it would be legal before recipe step 2 'register_tile(m, n, lanes=4)'}}
  %y = krnl.kernel "tiled" loops [m = 6, n = 4, k = 8] ins(%x : tensor<8x6x4xf32>) outs(%o : tensor<6x4xf32>)
      recipe [order(k, m, n), register_tile(m, n, lanes=4), zero: hoist(k), fuse_outer(k)] {
  ^bb0(%a: tensor<8x6x4xf32>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute "zero" [m, n] () -> (%_ = %c[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[k, m, n]) -> (%r = %z[m, n]) : (tensor<8x6x4xf32>) -> tensor<6x4xf32> {
      %next = arith.addf %r, %p : f32
      linalg.yield %next : f32
    }
    krnl.yield %s : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @in_slices(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 2 'factor: hoist(m)': op 'factor' is computed in slices of another one}}
  // expected-note @+1 {{it would be legal before recipe step 1 'cache(4, at=k, in=shared)'}}
  %y = krnl.kernel "in_slices" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [cache(4, at=k, in=shared), factor: hoist(m), fuse_outer(m)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @slices(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+2 {{recipe step 2 'cache(4, at=k, in=shared)': cannot compute slices of op 'factor': it is hoisted from loop 'm'}}
  // expected-note @+1 {{it would be legal before recipe step 1 'factor: hoist(m)'}}
  %y = krnl.kernel "slices" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [factor: hoist(m), cache(4, at=k, in=shared)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
