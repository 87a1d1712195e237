// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Ops in compute_at follow one another, and the last of them, alone, reduces
// the loop.

func.func @limited(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 1 'total: compute_at(b)': concerns all ops; it cannot be limited to one}}
  %y = krnl.kernel "limited" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [total: compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @of_all(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 2 'compute_at(m)': loop 'm' is already in fuse_outer}}
  %y = krnl.kernel "of_all" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(m)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @not_outside(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 1 'compute_at(b)': loop 'b' is not the next loop inside those of fuse_outer in op 'square'}}
  %y = krnl.kernel "not_outside" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @two_reduce(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 2 'compute_at(b)': op 'total' is not the last one inside loop 'b', so it must not reduce it}}
  %y = krnl.kernel "two_reduce" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    %again = krnl.compute "again" [m | b] (%p = %e[m, b]) -> (%q = %total[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %again : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unrolled(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{recipe step 3 'unroll(b, 2)': ops run inside loop 'b' together, so it stays a plain loop}}
  // expected-note @+1 {{it would be legal before recipe step 2 'compute_at(b)'}}
  %y = krnl.kernel "unrolled" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b), unroll(b, 2)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @ordered(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{recipe step 3 'order(b)': ops run inside loop 'b' together; order it before that}}
  // expected-note @+1 {{it would be legal before recipe step 2 'compute_at(b)'}}
  %y = krnl.kernel "ordered" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b), order(b)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @blocked(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{recipe step 3 'block(b, 2) -> (b.o, b.i)': loop 'b' is in compute_at; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 2 'compute_at(b)'}}
  %y = krnl.kernel "blocked" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b), block(b, 2) -> (b.o, b.i)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @not_reduced(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 1 'compute_at(m)': op 'total' is the last one inside loop 'm', so it must reduce it}}
  %y = krnl.kernel "not_reduced" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [compute_at(m)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @alone(%x: tensor<4x6xf32>, %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 2 'compute_at(b)': fewer than two ops run over loop 'b'}}
  %z = krnl.kernel "alone" loops [m = 4, b = 6] ins(%x, %y : tensor<4x6xf32>, tensor<4xf32>)
      outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %h: tensor<4xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %total = krnl.compute "total" [m | b] (%p = %a[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @not_in_a_row(%x: tensor<4x6xf32>, %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 2 'compute_at(b)': ops that run over loop 'b' do not follow one another}}
  %z = krnl.kernel "not_in_a_row" loops [m = 4, b = 6] ins(%x, %y : tensor<4x6xf32>, tensor<4xf32>)
      outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %h: tensor<4xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %u = krnl.temporary : tensor<4xf32>
    %g = krnl.compute "between" [m] (%p = %h[m]) -> (%q = %u[m]) : (tensor<4xf32>) -> tensor<4xf32> {
      linalg.yield %p : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @used_after(%x: tensor<4x6xf32>, %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{recipe step 2 'compute_at(b)': the result of op 'square' is used outside of loop 'b'}}
  %z = krnl.kernel "used_after" loops [m = 4, b = 6] ins(%x, %y : tensor<4x6xf32>, tensor<4xf32>)
      outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %h: tensor<4xf32>, %c: tensor<4xf32>):
    %d = krnl.temporary : tensor<4xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %d[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    %last = krnl.compute "last" [m] (%p = %e[m, 0], %q = %total[m]) -> (%r = %c[m])
        : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    krnl.yield %last : tensor<4xf32>
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}
