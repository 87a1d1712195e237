// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Slices of the result of an op, which the threads of a tile compute: it has the number of the op after those of the
// operands of the kernel.

func.func @weights(%x: tensor<64x128xf16>, %w: tensor<64x64xi8>, %s: tensor<64xf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "weights" loops [m = 64, n = 64, k = 128, byte = 64, part = 2] ins(%x, %w, %s : tensor<64x128xf16>, tensor<64x64xi8>, tensor<64xf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 16) -> (m.o, m.t), block(n, 8) -> (n.o, n.t), block(k, 32) -> (k.o, k.i), cache(4, at=k.o, in=shared), order(m.o, n.o, m.t, n.t, k.o, k.i),
              fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o), map(m.t, thread), map(n.t, thread), cache(0, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<64x64xi8>, %c: tensor<64xf16>, %d: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x128xf16>
    %f = krnl.compute [n, byte, part] (%p = %b[n, byte], %q = %c[n]) -> (%e = %t[n, byte * 2 + part]) : (tensor<64x64xi8>, tensor<64xf16>) -> tensor<64x128xf16> {
      %0 = arith.sitofp %p : i8 to f16
      %1 = arith.mulf %0, %q : f16
      linalg.yield %1 : f16
    }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %f[n, k]) -> (%e = %d[m, n]) : (tensor<64x128xf16>, tensor<64x128xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

func.func @of_thread(%x: tensor<8x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{recipe step 1 'cache(2, at=k)': cannot compute slices of op '0': the threads of a tile compute them in shared memory}}
  %y = krnl.kernel "of_thread" loops [m = 8, k = 8] ins(%x : tensor<8x8xf32>) outs(%o : tensor<8xf32>) recipe [cache(2, at=k)] {
  ^bb0(%a: tensor<8x8xf32>, %d: tensor<8xf32>):
    %t = krnl.temporary : tensor<8x8xf32>
    %f = krnl.compute [m, k] (%p = %a[m, k]) -> (%e = %t[m, k]) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = arith.mulf %p, %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [m | k] (%p = %f[m, k]) -> (%e = %d[m]) : (tensor<8x8xf32>) -> tensor<8xf32> {
      %0 = arith.addf %e, %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @sums(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot compute slices of op '0': its result continues another tensor}}
  %y = krnl.kernel "sums" loops [m = 8, k = 8] ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) recipe [cache(2, at=m, in=shared)] {
  ^bb0(%a: tensor<8x8xf32>, %d: tensor<8x8xf32>):
    %t = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [m | k] (%p = %a[m, k]) -> (%e = %t[m]) : (tensor<8x8xf32>) -> tensor<8xf32> {
      %0 = arith.addf %e, %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [m, k] (%p = %f[m]) -> (%e = %d[m, k]) : (tensor<8xf32>) -> tensor<8x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

func.func @last(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot compute slices of op '0': its result is not read by one other op alone}}
  %y = krnl.kernel "last" loops [m = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) recipe [cache(2, at=m, in=shared)] {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    %r = krnl.compute [m] (%p = %a[m]) -> (%e = %d[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @chain(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot compute slices of op '1': it reads results of other ops, or a range of an input}}
  %y = krnl.kernel "chain" loops [m = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) recipe [cache(3, at=m, in=shared)] {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    %t = krnl.temporary : tensor<8xf32>
    %u = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [m] (%p = %a[m]) -> (%e = %t[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    %g = krnl.compute [m] (%p = %f[m]) -> (%e = %u[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [m] (%p = %g[m]) -> (%e = %d[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// An element may be written by several iterations, or by none.
func.func @overlap(%x: tensor<8x8xf32>, %o: tensor<15xf32>) -> tensor<15xf32> {
  // expected-error @+1 {{cannot compute slices of op '0': it does not write each element of its result}}
  %y = krnl.kernel "overlap" loops [m = 8, k = 8, n = 15] ins(%x : tensor<8x8xf32>) outs(%o : tensor<15xf32>) recipe [cache(2, at=n, in=shared)] {
  ^bb0(%a: tensor<8x8xf32>, %d: tensor<15xf32>):
    %t = krnl.temporary : tensor<15xf32>
    %f = krnl.compute [m, k] (%p = %a[m, k]) -> (%e = %t[m + k]) : (tensor<8x8xf32>) -> tensor<15xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [n] (%p = %f[n]) -> (%e = %d[n]) : (tensor<15xf32>) -> tensor<15xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<15xf32>
  } -> tensor<15xf32>
  return %y : tensor<15xf32>
}

// -----

func.func @late(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{cannot compute slices of op '0': it runs inside loop 'm' with other ops}}
  // expected-note @+1 {{it would be legal before recipe step 1 'fuse_outer(m)'}}
  %y = krnl.kernel "late" loops [m = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) recipe [fuse_outer(m), cache(2, at=m, in=shared)] {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    %t = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [m] (%p = %a[m]) -> (%e = %t[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [m] (%p = %f[m]) -> (%e = %d[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @packed(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+2 {{cannot pack operand 0: op '0' reads it with other loops}}
  // expected-note @+1 {{it would be legal before recipe step 1 'pack(0, [k, m])'}}
  %y = krnl.kernel "packed" loops [m = 8, k = 8] ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) recipe [pack(0, [k, m]), cache(2, at=m, in=shared)] {
  ^bb0(%a: tensor<8x8xf32>, %d: tensor<8x8xf32>):
    %t = krnl.temporary : tensor<8x8xf32>
    %f = krnl.compute [m, k] (%p = %a[m, k]) -> (%e = %t[m, k]) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    %r = krnl.compute [m, k] (%p = %f[m, k]) -> (%e = %d[m, k]) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

func.func @none(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{no op reads a tensor operand 9}}
  %y = krnl.kernel "none" loops [m = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) recipe [cache(9, at=m, in=shared)] {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    %r = krnl.compute [m] (%p = %a[m]) -> (%e = %d[m]) : (tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
