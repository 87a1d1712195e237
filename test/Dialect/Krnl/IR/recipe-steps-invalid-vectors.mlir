// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Each refusal of a step names its number, its text and the reason.

func.func @vectorize_odd_lanes(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{lanes must be a power of two from 2 to 64, but are 12}}
  %y = krnl.kernel "vectorize_odd_lanes" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sub: vectorize(c, 12)] {
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

func.func @vectorize_outer_loop(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{loop 'r' is not the innermost loop of op 'sub', 'c' is}}
  %y = krnl.kernel "vectorize_outer_loop" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [vectorize(r, 8)] {
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

func.func @vectorize_parallel(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'n' is parallel; block it first}}
  // expected-note @+1 {{it would be legal before recipe step 2 'parallel(m, n)'}}
  %y = krnl.kernel "vectorize_parallel" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m, n), parallel(m, n), vectorize(n, 8)] {
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

func.func @register_tile_dynamic(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{the extent of loop 'r' is not known; block it first}}
  %y = krnl.kernel "register_tile_dynamic" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [register_tile(r, c, lanes=16)] {
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

func.func @register_tile_shared(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{loop 'm' is in fuse_outer; a tile needs it inside}}
  %y = krnl.kernel "register_tile_shared" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse_outer(m), register_tile(m, n, lanes=16)] {
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

func.func @register_tile_too_tall(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{a tile has at most 64 rows, but loop 'm' has 100}}
  %y = krnl.kernel "register_tile_too_tall" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [register_tile(m, n, lanes=16)] {
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

func.func @register_tile_not_innermost(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op 'mm' does not have 'm.r', 'n' as its innermost loops}}
  %y = krnl.kernel "register_tile_not_innermost" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), register_tile(m.r, n, lanes=16)] {
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

func.func @register_tile_loop_around(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op 'mm' has loop 'm.o' around the tile, which is neither in fuse_outer nor reduced}}
  %y = krnl.kernel "register_tile_loop_around" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), register_tile(m.r, n, lanes=16)] {
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

func.func @register_tile_reduced(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op 'mm' reduces loop 'k.i'}}
  %y = krnl.kernel "register_tile_reduced" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(k, 8) -> (k.o, k.i), order(m.o, n, k.o, m.r, k.i), fuse_outer(m.o), register_tile(m.r, k.i, lanes=16)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %c[m, n])
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

func.func @register_tile_one_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op '0' runs over only one of 'm.r' and 'k'}}
  %y = krnl.kernel "register_tile_one_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, n, m.r, k), fuse_outer(m.o), register_tile(m.r, k, lanes=16)] {
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

func.func @register_tile_known_tail(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{recipe step 4 'register_tile(m.r, n, lanes=16, tail=[4])': loop 'm.r' leaves no iterations for a tail}}
  %y = krnl.kernel "register_tile_known_tail" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16, tail=[4])] {
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

func.func @register_tile_odd_lanes(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{recipe step 4 'register_tile(m.r, n, lanes=12)': lanes must be a power of two from 1 to 64, but are 12}}
  %y = krnl.kernel "register_tile_odd_lanes" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=12)] {
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

func.func @register_tile_twice(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{op '0' has a register tile of 'm.r' already}}
  // expected-note @+1 {{it would be legal before recipe step 4 'register_tile(m.r, n, lanes=16)'}}
  %y = krnl.kernel "register_tile_twice" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16), register_tile(m.r, n, lanes=16)] {
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

func.func @register_tile_nothing_reduced(%o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{no op with loops 'm.r' and 'n' reduces anything}}
  %y = krnl.kernel "register_tile_nothing_reduced" loops [m = 100, n = 96] outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), fuse_outer(m.o), register_tile(m.r, n, lanes=16)] {
  ^bb0(%c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// -----

func.func @unroll_tile(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'm.r' is part of a register tile}}
  // expected-note @+1 {{it would be legal before recipe step 4 'register_tile(m.r, n, lanes=16)'}}
  %y = krnl.kernel "unroll_tile" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16), unroll(m.r, 2)] {
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

func.func @vectorize_tile(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'n' is part of a register tile}}
  // expected-note @+1 {{it would be legal before recipe step 4 'register_tile(m.r, n, lanes=16)'}}
  %y = krnl.kernel "vectorize_tile" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16), vectorize(n, 16)] {
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

func.func @block_tile(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{loop 'n' is part of a register tile; block it before that}}
  // expected-note @+1 {{it would be legal before recipe step 4 'register_tile(m.r, n, lanes=16)'}}
  %y = krnl.kernel "block_tile" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), order(m.o, k, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16), block(n, 16) -> (a, b)] {
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

func.func @cache_unknown_operand(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{no op reads a tensor operand 2}}
  %y = krnl.kernel "cache_unknown_operand" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [cache(2, at=m)] {
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

func.func @cache_twice(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{op 'mm' caches operand 1 already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'cache(1, at=m)'}}
  %y = krnl.kernel "cache_twice" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [cache(1, at=m), cache(1, at=n)] {
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

func.func @pack_unknown_operand(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{no op reads a tensor operand 5}}
  %y = krnl.kernel "pack_unknown_operand" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [pack(5, [m])] {
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

func.func @pack_twice(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+2 {{operand 1 is packed already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'pack(1, [n])'}}
  %y = krnl.kernel "pack_twice" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [pack(1, [n]), pack(1, [k])] {
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

func.func @pack_foreign_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{operand 1 is not indexed by loop 'm'}}
  %y = krnl.kernel "pack_foreign_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [pack(1, [m, k])] {
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

func.func @pack_fused_loop(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @+1 {{loop 'rc' is fused; a packed dimension is one loop}}
  %y = krnl.kernel "pack_fused_loop" loops [r = 8, c = 100]
      ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [sub: fuse(r, c) -> rc, sub: pack(0, [rc])] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<8x100xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<8x100xf32>, tensor<8xf32>) -> tensor<8x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

func.func @split_into_one(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{needs 2 to 1048576 parts, but got 1}}
  %y = krnl.kernel "split_into_one" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: split_reduction(c, 1) -> (a, b)] {
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

func.func @split_not_reduced(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{op 'sub' does not reduce loop 'c'}}
  %y = krnl.kernel "split_not_reduced" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [split_reduction(c, 4) -> (a, b)] {
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

func.func @only_unknown_op(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{recipe step 1 'exp: vectorize(c, 8)': there is no op 'exp'}}
  %y = krnl.kernel "only_unknown_op" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [exp: vectorize(c, 8)] {
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

func.func @only_foreign_loop(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  // expected-error @+1 {{op '0' does not run over loop 'k'}}
  %y = krnl.kernel "only_foreign_loop" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [0: unroll(k, 2)] {
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

func.func @only_loop_of_other_op(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  // expected-error @+1 {{loop 'c.i' exists only for op 'sum'}}
  %y = krnl.kernel "only_loop_of_other_op" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: block(c, 10) -> (c.o, c.i), sub: vectorize(c.i, 2)] {
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

// Without an initial value inside, a reduced loop may be shared.
func.func @share_result_used(%x: tensor<8x4xf32>, %s: tensor<8xf32>, %o: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  // expected-error @+1 {{loop 'c' is reduced by op 'sum', whose result op 'sub' uses}}
  %y:2 = krnl.kernel "share_result_used" loops [r = 8, c = 4]
      ins(%x : tensor<8x4xf32>) outs(%s, %o : tensor<8xf32>, tensor<8x4xf32>)
      recipe [fuse_outer(r, c)] {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<8x4xf32>):
    %s0 = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r])
        : (tensor<8x4xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %u = %s0[r]) -> (%q = %d[r, c])
        : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s0, %t : tensor<8xf32>, tensor<8x4xf32>
  } -> tensor<8xf32>, tensor<8x4xf32>
  return %y#0, %y#1 : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// Without an initial value inside, a reduced loop may be shared.
func.func @parallel_reduced(%x: tensor<8x4xf32>, %s: tensor<8xf32>, %o: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  // expected-error @+1 {{loop 'c' is reduced by op 'sum'}}
  %y:2 = krnl.kernel "parallel_reduced" loops [r = 8, c = 4]
      ins(%x : tensor<8x4xf32>) outs(%s, %o : tensor<8xf32>, tensor<8x4xf32>)
      recipe [fuse_outer(r, c), parallel(r, c)] {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<8x4xf32>):
    %s0 = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r])
        : (tensor<8x4xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c]) -> (%q = %d[r, c])
        : (tensor<8x4xf32>) -> tensor<8x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s0, %t : tensor<8xf32>, tensor<8x4xf32>
  } -> tensor<8xf32>, tensor<8x4xf32>
  return %y#0, %y#1 : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// The second of two matrices lies after the first; packing would lose that.
func.func @pack_fixed_index(%x: tensor<8x16xf32>, %w: tensor<2x16x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{operand 1 is not indexed by one loop in each dimension}}
  %y = krnl.kernel "pack_fixed_index" loops [m = 8, n = 32, k = 16] ins(%x, %w : tensor<8x16xf32>, tensor<2x16x32xf32>) outs(%o : tensor<8x32xf32>)
      recipe [pack(1, [k, n])] {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<2x16x32xf32>, %c: tensor<8x32xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<8x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[1, k, n]) -> (%s = %f[m, n])
        : (tensor<8x16xf32>, tensor<2x16x32xf32>) -> tensor<8x32xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

// Complex numbers are in no vector, nor in the lanes of a register tile.
func.func @complex_lanes(%x: tensor<8xcomplex<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{op 'real' has elements that fit no vector}}
  %y = krnl.kernel "complex_lanes" loops [i = 8] ins(%x : tensor<8xcomplex<f32>>) outs(%o : tensor<8xf32>)
      recipe [vectorize(i, 4)] {
  ^bb0(%a: tensor<8xcomplex<f32>>, %b: tensor<8xf32>):
    %r = krnl.compute "real" [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<8xcomplex<f32>>) -> tensor<8xf32> {
      %0 = complex.re %p : complex<f32>
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @string_tile(%x: tensor<8x4x!krnl.str>, %o: tensor<4x4x!krnl.str>) -> tensor<4x4x!krnl.str> {
  // expected-error @+1 {{op 'last' has elements that fit no vector}}
  %y = krnl.kernel "string_tile" loops [k = 8, m = 4, n = 4] ins(%x : tensor<8x4x!krnl.str>) outs(%o : tensor<4x4x!krnl.str>)
      recipe [order(k, m, n), register_tile(m, n, lanes=4)] {
  ^bb0(%a: tensor<8x4x!krnl.str>, %b: tensor<4x4x!krnl.str>):
    %r = krnl.compute "last" [m, n | k] (%p = %a[k, n]) -> (%q = %b[m, n])
        : (tensor<8x4x!krnl.str>) -> tensor<4x4x!krnl.str> {
      linalg.yield %p : !krnl.str
    }
    krnl.yield %r : tensor<4x4x!krnl.str>
  } -> tensor<4x4x!krnl.str>
  return %y : tensor<4x4x!krnl.str>
}
