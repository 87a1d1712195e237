// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Slices that all threads of a tile copy to the memory that they share.

// 100 rows by k steps of 16: the last one is shorter for all threads alike.
func.func @tile(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "tile" loops [m = 64, n = 64, k = 100] ins(%x, %w : tensor<64x100xf32>, tensor<100x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 8) -> (n.o, n.t), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.t, n.t, m.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x100xf32>, %b: tensor<100x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// 60 = 32 + 28: seven threads of the last tile have rows, and the eighth would miss the barrier.
func.func @rest(%x: tensor<60x64xf32>, %o: tensor<60xf32>) -> tensor<60xf32> {
  // expected-error @+2 {{recipe step 9 'cache(0, at=k.o, in=shared)': cannot cache operand 0 at loop 'k.o': loop 'm.t' ends early in some threads}}
  // expected-note @+1 {{it would be legal before recipe step 7 'map(m.t, thread)'}}
  %y = krnl.kernel "rest" loops [m = 60, k = 64] ins(%x : tensor<60x64xf32>) outs(%o : tensor<60xf32>)
      recipe [block(m, 32) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(k, 16) -> (k.o, k.i),
              order(m.o, m.t, m.r, k.o, k.i), fuse_outer(m.o, m.t), parallel(m.o), map(m.t, thread), unroll(m.r, 4), cache(0, at=k.o, in=shared)] {
  ^bb0(%a: tensor<60x64xf32>, %c: tensor<60xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k]) -> (%s = %c[m]) : (tensor<60x64xf32>) -> tensor<60xf32> {
      %1 = arith.addf %s, %p : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<60xf32>
  } -> tensor<60xf32>
  return %y : tensor<60xf32>
}

// -----

// The rows of a thread are cut off in the last one.
func.func @rest_of_thread(%x: tensor<62x64xf32>, %o: tensor<62xf32>) -> tensor<62xf32> {
  // expected-error @+2 {{cannot cache operand 0 at loop 'k': loop 'm.r' ends early in some threads}}
  // expected-note @+1 {{it would be legal before recipe step 4 'map(m.t, thread)'}}
  %y = krnl.kernel "rest" loops [m = 62, k = 64] ins(%x : tensor<62x64xf32>) outs(%o : tensor<62xf32>)
      recipe [block(m, 4) -> (m.t, m.r), order(m.t, k, m.r), fuse_outer(m.t), map(m.t, thread), cache(0, at=k, in=shared)] {
  ^bb0(%a: tensor<62x64xf32>, %c: tensor<62xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k]) -> (%s = %c[m]) : (tensor<62x64xf32>) -> tensor<62xf32> {
      %1 = arith.addf %s, %p : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<62xf32>
  } -> tensor<62xf32>
  return %y : tensor<62xf32>
}

// -----

func.func @of_thread(%x: tensor<64x64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+2 {{cannot cache operand 0 at loop 'm': each of its iterations is a thread's}}
  // expected-note @+1 {{it would be legal before recipe step 2 'map(m, thread)'}}
  %y = krnl.kernel "of_thread" loops [m = 64, k = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64xf32>)
      recipe [fuse_outer(m), map(m, thread), cache(0, at=m, in=shared)] {
  ^bb0(%a: tensor<64x64xf32>, %c: tensor<64xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k]) -> (%s = %c[m]) : (tensor<64x64xf32>) -> tensor<64xf32> {
      %1 = arith.addf %s, %p : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// The rows of all threads count: 16 of 64 elements of 4 bytes, and the 16 bytes that may be after each.
// Without in=shared each thread would have its own.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 4351>} {
func.func @budget(%x: tensor<64x64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+2 {{cannot cache operand 0 at loop 'k.o': the slices would be larger than 4351 bytes of shared memory}}
  // expected-note @+1 {{it would be legal before recipe step 3 'map(m, thread)'}}
  %y = krnl.kernel "budget" loops [m = 64, k = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64xf32>)
      recipe [block(k, 16) -> (k.o, k.i), fuse_outer(m), map(m, thread), cache(0, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x64xf32>, %c: tensor<64xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k]) -> (%s = %c[m]) : (tensor<64x64xf32>) -> tensor<64xf32> {
      %1 = arith.addf %s, %p : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
}

// -----

// Each input of an op that reads the operand has a slice of its own.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 8703>} {
func.func @twice(%x: tensor<64x64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+2 {{the slices would be larger than 8703 bytes of shared memory}}
  // expected-note @+1 {{it would be legal before recipe step 3 'map(m, thread)'}}
  %y = krnl.kernel "twice" loops [m = 64, k = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64xf32>)
      recipe [block(k, 16) -> (k.o, k.i), fuse_outer(m), map(m, thread), cache(0, at=k.o, in=shared)] {
  ^bb0(%a: tensor<64x64xf32>, %c: tensor<64xf32>):
    %r = krnl.compute "sum" [m | k] (%p = %a[m, k], %q = %a[k, m]) -> (%s = %c[m]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
}

// -----

func.func @unknown_memory(%x: tensor<64x64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{expected 'shared'}}
  %y = krnl.kernel "memory" loops [m = 64, k = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64xf32>) recipe [cache(0, at=m, in=local)] {
  }
}
