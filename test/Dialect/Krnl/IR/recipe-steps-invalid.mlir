// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Each refusal of a step names its number, its text and the reason.

func.func @block_unknown_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{recipe step 1 'block(q, 8) -> (q.o, q.i)': there is no loop 'q'}}
  %y = krnl.kernel "block_unknown_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(q, 8) -> (q.o, q.i)] {
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

func.func @block_replaced_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{recipe step 2 'block(m, 8) -> (c, d)': loop 'm' was replaced by an earlier step}}
  // expected-note @+1 {{it would be legal before recipe step 1 'block(m, 8) -> (a, b)'}}
  %y = krnl.kernel "block_replaced_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (a, b), block(m, 8) -> (c, d)] {
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

func.func @block_size_zero(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{block size must be 1 to 1048576, but is 0}}
  %y = krnl.kernel "block_size_zero" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 0) -> (a, b)] {
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

func.func @block_taken_name(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{the name 'n' is taken}}
  %y = krnl.kernel "block_taken_name" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (n, b)] {
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

func.func @block_one_name(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{the name 'a' is taken}}
  %y = krnl.kernel "block_one_name" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (a, a)] {
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

func.func @block_shared_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm' is in fuse_outer; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(m)'}}
  %y = krnl.kernel "block_shared_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), block(m, 8) -> (a, b)] {
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

func.func @block_vectorized_loop(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+2 {{loop 'c' is vectorized; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'sub: vectorize(c, 8)'}}
  %y = krnl.kernel "block_vectorized_loop" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sub: vectorize(c, 8), block(c, 8) -> (a, b)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// -----

func.func @block_unrolled_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'k' is unrolled; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'unroll(k, 8)'}}
  %y = krnl.kernel "block_unrolled_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [unroll(k, 8), block(k, 8) -> (a, b)] {
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

func.func @block_packed_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'k' is a dimension of packed operand 1; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'pack(1, [n, k])'}}
  %y = krnl.kernel "block_packed_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [pack(1, [n, k]), block(k, 8) -> (a, b)] {
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

func.func @block_cached_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'k' is where operand 1 is cached; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'cache(1, at=k)'}}
  %y = krnl.kernel "block_cached_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [cache(1, at=k), block(k, 8) -> (a, b)] {
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

func.func @fuse_not_adjacent(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'm' is not directly outside 'k'}}
  %y = krnl.kernel "fuse_not_adjacent" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse(m, k) -> mk] {
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

func.func @fuse_wrong_way(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'n' is not directly outside 'm'}}
  %y = krnl.kernel "fuse_wrong_way" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse(n, m) -> nm] {
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

func.func @fuse_with_op_between(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op '0' runs over only one of 'n' and 'k'}}
  %y = krnl.kernel "fuse_with_op_between" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse(n, k) -> nk] {
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

func.func @fuse_half_reduced(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{op 'sum' reduces only one of 'r' and 'c'}}
  %y = krnl.kernel "fuse_half_reduced" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: fuse(r, c) -> rc] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// -----

func.func @fuse_with_itself(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'm' is listed twice}}
  %y = krnl.kernel "fuse_with_itself" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse(m, m) -> mm] {
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

func.func @order_twice(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'm' is listed twice}}
  %y = krnl.kernel "order_twice" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [order(m, n, m)] {
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

func.func @order_shared(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm' is in fuse_outer; order it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(m)'}}
  %y = krnl.kernel "order_shared" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), order(n, m)] {
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

func.func @order_moves_vector(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+2 {{loop 'c' would not be the innermost loop of op 'sub' any more}}
  // expected-note @+1 {{it would be legal before recipe step 1 'sub: vectorize(c, 8)'}}
  %y = krnl.kernel "order_moves_vector" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sub: vectorize(c, 8), sub: order(c, r)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// -----

func.func @order_moves_tile(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm.r' would not be the second innermost loop of op 'mm' any more}}
  // expected-note @+1 {{it would be legal before recipe step 5 'register_tile(m.r, n.r, lanes=16)'}}
  %y = krnl.kernel "order_moves_tile" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 48) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=16), order(m.r, k)] {
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

func.func @share_reduced(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{recipe step 3 'fuse_outer(k)': op '0' does not run over loop 'k'}}
  %y = krnl.kernel "share_reduced" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [order(k, m, n), mm: order(m, k), fuse_outer(k)] {
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

func.func @share_not_outermost(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'n' is not the next loop from outside, 'm' is}}
  %y = krnl.kernel "share_not_outermost" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(n)] {
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

func.func @share_twice(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm' is already in fuse_outer}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(m)'}}
  %y = krnl.kernel "share_twice" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), fuse_outer(m)] {
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

func.func @share_out_of_order_in_op(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm' is not the next loop from outside in op 'mm'}}
  // expected-note @+1 {{it would be legal before recipe step 1 'mm: order(n, m)'}}
  %y = krnl.kernel "share_out_of_order_in_op" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [mm: order(n, m), fuse_outer(m)] {
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

func.func @share_of_one_op(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{concerns all ops; it cannot be limited to one}}
  %y = krnl.kernel "share_of_one_op" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [mm: fuse_outer(m)] {
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

func.func @parallel_of_one_op(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{concerns all ops; it cannot be limited to one}}
  %y = krnl.kernel "parallel_of_one_op" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), mm: parallel(m)] {
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

func.func @parallel_not_shared(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'm' is not in fuse_outer; only loops in fuse_outer run parallel}}
  %y = krnl.kernel "parallel_not_shared" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [parallel(m)] {
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

func.func @parallel_not_outermost(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'n' is not the next loop from outside, 'm' is}}
  %y = krnl.kernel "parallel_not_outermost" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m, n), parallel(n)] {
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

func.func @unroll_zero(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{unroll factor must be 1 to 64, but is 0}}
  %y = krnl.kernel "unroll_zero" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [unroll(k, 0)] {
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

func.func @unroll_too_much(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{unroll factor must be 1 to 64, but is 65}}
  %y = krnl.kernel "unroll_too_much" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: unroll(c, 65)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// -----

func.func @unroll_beyond_extent(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{unroll factor 8 exceeds the 4 iterations of loop 'b'}}
  %y = krnl.kernel "unroll_beyond_extent" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(k, 4) -> (a, b), unroll(b, 8)] {
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

func.func @unroll_shared(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm' is in fuse_outer; only loops inside can be unrolled}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(m)'}}
  %y = krnl.kernel "unroll_shared" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), unroll(m, 2)] {
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

func.func @ended_twice(%next: tensor<100xi32>, %first: tensor<4xi32>, %none: tensor<8xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+2 {{recipe step 2 'early_exit(s)': loop 's' already ends early}}
  // expected-note @+1 {{it would be legal before recipe step 1 'early_exit(s)'}}
  %y = krnl.kernel "ended_twice" loops [r = 4, s = 8] ins(%next, %first, %none : tensor<100xi32>, tensor<4xi32>, tensor<8xi8>) outs(%o : tensor<4xi32>)
      recipe [early_exit(s), early_exit(s)] {
  ^bb0(%N: tensor<100xi32>, %F: tensor<4xi32>, %C: tensor<8xi8>, %O: tensor<4xi32>):
    %f = krnl.compute [r] (%p = %F[r]) -> (%q = %O[r]) : (tensor<4xi32>) -> tensor<4xi32> {
      linalg.yield %p : i32
    }
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %f[r]) : (tensor<8xi8>) -> tensor<4xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<4xi32>
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @block_ended(%next: tensor<100xi32>, %first: tensor<4xi32>, %none: tensor<8xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+2 {{recipe step 2 'block(s, 2) -> (s.o, s.i)': loop 's' is ended early; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 1 'early_exit(s)'}}
  %y = krnl.kernel "block_ended" loops [r = 4, s = 8] ins(%next, %first, %none : tensor<100xi32>, tensor<4xi32>, tensor<8xi8>) outs(%o : tensor<4xi32>)
      recipe [early_exit(s), block(s, 2) -> (s.o, s.i)] {
  ^bb0(%N: tensor<100xi32>, %F: tensor<4xi32>, %C: tensor<8xi8>, %O: tensor<4xi32>):
    %f = krnl.compute [r] (%p = %F[r]) -> (%q = %O[r]) : (tensor<4xi32>) -> tensor<4xi32> {
      linalg.yield %p : i32
    }
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %f[r]) : (tensor<8xi8>) -> tensor<4xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<4xi32>
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
