// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Prefetches that are impossible, or that no tile would execute.

func.func @distance(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{distance must be 0 to 64, but is -1}}
  %y = krnl.kernel "distance" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=-1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @line(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{a line has a power of two of bytes, at most 4096, but got 48}}
  %y = krnl.kernel "line" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=48)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @twice(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+2 {{operand 1 is prefetched already}}
  // expected-note @+1 {{it would be legal before recipe step 7 'prefetch(1, distance=1, line=64)'}}
  %y = krnl.kernel "twice" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64), prefetch(1, distance=2, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @no_operand(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{no op reads a tensor operand 7}}
  %y = krnl.kernel "no_operand" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(7, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @one_op(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{concerns all ops; it cannot be limited to one}}
  %y = krnl.kernel "one_op" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), 1: prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @not_packed(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 0: it is not packed}}
  %y = krnl.kernel "not_packed" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(0, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @no_tile(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 1: no loop in fuse_outer goes over panels of the columns of a register tile}}
  %y = krnl.kernel "no_tile" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @rows_first(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 1: one tile alone reads each panel}}
  %y = krnl.kernel "rows_first" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(m.o, n.o, k, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @unknown_depth(%x: tensor<24x?xf32>, %w: tensor<?x128xf32>, %e: tensor<24x128xf32>, %size: index) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 1: the extent of loop 'k' is not known}}
  %y = krnl.kernel "unknown_depth" loops [m = 24, n = 128, k = %size] ins(%x, %w : tensor<24x?xf32>, tensor<?x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x?xf32>, %q: tensor<?x128xf32>, %o: tensor<24x128xf32>, %extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x?xf32>, tensor<?x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @short_line(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 1: the columns of a step have fewer bytes than a line}}
  %y = krnl.kernel "short_line" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=256)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}

// -----

func.func @order_of_panel(%x: tensor<24x64xf32>, %w: tensor<64x128xf32>, %e: tensor<24x128xf32>) -> tensor<24x128xf32> {
  // expected-error @+1 {{cannot prefetch operand 1: loop 'k' inside the columns is not a group of bytes}}
  %y = krnl.kernel "order_of_panel" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, n.r, k]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %y : tensor<24x128xf32>
}
