// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Loops that several ops would have to walk in different ways, and too many
// iterations at a time.

func.func @vectorize_shared_in_one_op(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{loop 'i' is in fuse_outer: all ops have it in vectors or none}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(i)'}}
  %y = krnl.kernel "vectorize_shared_in_one_op" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [fuse_outer(i), zero: vectorize(i, 8)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @share_vectors_of_one_op(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{loop 'i' has 0 lanes in op 'sum', but 8 in op 'zero'}}
  // expected-note @+1 {{it would be legal before recipe step 1 'zero: vectorize(i, 8)'}}
  %y = krnl.kernel "share_vectors_of_one_op" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [zero: vectorize(i, 8), fuse_outer(i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @share_unrolled(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{loop 'i' is unrolled in op 'sub'; only loops inside can be}}
  // expected-note @+1 {{it would be legal before recipe step 1 'sub: unroll(i, 2)'}}
  %y = krnl.kernel "share_unrolled" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [sub: unroll(i, 2), fuse_outer(i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @unroll_twice(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{loop 'j' is unrolled already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'sum: unroll(j, 2)'}}
  %y = krnl.kernel "unroll_twice" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [sum: unroll(j, 2), unroll(j, 4)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @vectorize_twice(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{loop 'j' is vectorized already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'sum: vectorize(j, 4)'}}
  %y = krnl.kernel "vectorize_twice" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [sum: vectorize(j, 4), vectorize(j, 8)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// q = (p + q) * q has no partial results.
func.func @vectorize_what_no_sum_combines(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{op 'sum' cannot combine partial results of loop 'j'}}
  %y = krnl.kernel "vectorize_what_no_sum_combines" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [sum: vectorize(j, 8)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %n = arith.addf %p, %q : f32
      %m = arith.mulf %n, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @split_what_no_sum_combines(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{op 'sum' cannot combine partial results of loop 'j'}}
  %y = krnl.kernel "split_what_no_sum_combines" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [sum: split_reduction(j, 4) -> (j.o, j.i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %n = arith.addf %p, %q : f32
      %m = arith.mulf %n, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// 64 * 4 * 64 iterations side by side.
func.func @written_out_too_often(%x: tensor<64x256xf32>, %o: tensor<64x256xf32>) -> tensor<64x256xf32> {
  // expected-error @+2 {{recipe step 4 'unroll(j.i, 64)': op 'copy' would be unrolled for 16384 iterations, more than 8192}}
  // expected-note @+1 {{it would be legal before recipe step 3 'unroll(j.o, 4)'}}
  %y = krnl.kernel "written_out_too_often" loops [i = 64, j = 256] ins(%x : tensor<64x256xf32>) outs(%o : tensor<64x256xf32>)
      recipe [block(j, 64) -> (j.o, j.i), unroll(i, 64), unroll(j.o, 4), unroll(j.i, 64)] {
  ^bb0(%a: tensor<64x256xf32>, %b: tensor<64x256xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<64x256xf32>) -> tensor<64x256xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<64x256xf32>
  } -> tensor<64x256xf32>
  return %y : tensor<64x256xf32>
}

// -----

func.func @fuse_beyond_counting(%x: tensor<4294967296x4294967296xf32>, %o: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  // expected-error @+1 {{loop 'f' would have more iterations than can be counted}}
  %y = krnl.kernel "fuse_beyond_counting" loops [i = 4294967296, j = 4294967296] ins(%x : tensor<4294967296x4294967296xf32>) outs(%o : tensor<4294967296x4294967296xf32>)
      recipe [fuse(i, j) -> f] {
  ^bb0(%a: tensor<4294967296x4294967296xf32>, %b: tensor<4294967296x4294967296xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<4294967296x4294967296xf32>
  } -> tensor<4294967296x4294967296xf32>
  return %y : tensor<4294967296x4294967296xf32>
}

// -----

func.func @vectors_in_order(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{recipe step 2 'scatter: vectorize(i, 4)': op 'scatter' computes along loop 'i' in order}}
  %y = krnl.kernel "vectors_in_order" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) recipe [order(j, i), scatter: vectorize(i, 4)] {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %r = krnl.compute "scatter" [j | i] (%p = %a[i, j]) -> (%q = %o[0, j]) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0 : index
      %v = krnl.scatter_store %p at [%zero, %zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @unrolled_in_order(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{recipe step 1 'unroll(i, 2)': op 'scatter' computes along loop 'i' in order}}
  %y = krnl.kernel "unrolled_in_order" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) recipe [unroll(i, 2)] {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %r = krnl.compute "scatter" [j | i] (%p = %a[i, j]) -> (%q = %o[0, j]) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0 : index
      %v = krnl.scatter_store %p at [%zero, %zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @tile_unrolled(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{op 'mm' has loop 'm.r' vectorized, unrolled or tiled already}}
  // expected-note @+1 {{it would be legal before recipe step 4 'mm: unroll(m.r, 2)'}}
  %y = krnl.kernel "tile_unrolled" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), mm: unroll(m.r, 2), register_tile(m.r, n, lanes=16)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// -----

func.func @masked_known_tail(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{nothing is masked: the rows and columns that are left are known}}
  %y = krnl.kernel "masked_known_tail" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), register_tile(m.r, n.r, lanes=16, tail=[] masked)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}
