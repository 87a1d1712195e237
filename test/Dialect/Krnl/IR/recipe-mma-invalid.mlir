// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Loops that no product of matrices can take.

func.func @unrolled(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+2 {{loop 'k.i' is already unrolled or vectorized}}
  // expected-note @+1 {{it would be legal before recipe step 13 'unroll(k.i, 2)'}}
  %y = krnl.kernel "unrolled" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), unroll(k.i, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

func.func @outside(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{loop 'm.o' is not a loop of known extent inside the op}}
  %y = krnl.kernel "outside" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, m.o)] {
  ^bb0(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

func.func @twice(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' already has matrix products}}
  %y = krnl.kernel "twice" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i), mma(m.h, m.g, n.t, n.c, k.o)] {
  ^bb0(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

func.func @nowhere(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{no op has loop 'z'}}
  %y = krnl.kernel "nowhere" loops [m = 32, n = 16, k = 64, z = 4] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, z)] {
  ^bb0(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

// Registers have no index.
func.func @rows_in_loop(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: it does not sum up products of two inputs of the kernel or shared results, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "rows_in_loop" loops [m = 16, n = 8, k = 32] ins(%x, %w : tensor<16x32xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(k, 8) -> (k.f, k.s), block(k.s, 2) -> (k.t, k.c), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, k.t, n.t, m.h, k.f, k.c, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(k.t, thread), map(n.t, thread, as=k.t),
              unroll(m.h, 2), unroll(k.f, 4), vectorize(k.c, 2), vectorize(n.c, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x32xf16>
    %r = krnl.compute "p" [m, k] (%p = %a[m, k]) -> (%q = %t[m, k]) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// -----

// Threads have one row each, and instructions need columns of two tiles of two rows.
func.func @rows_of_others(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: it does not sum up products of two inputs of the kernel or shared results, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "rows_of_others" loops [m = 16, n = 8, k = 32] ins(%x, %w : tensor<16x32xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(k, 8) -> (k.f, k.s), block(k.s, 2) -> (k.t, k.c), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, k.t, n.t, m.h, k.f, k.c, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(k.t, thread), map(n.t, thread),
              unroll(m.h, 2), unroll(k.f, 4), vectorize(k.c, 2), vectorize(n.c, 2), mm: unroll(k.x, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x32xf16>
    %r = krnl.compute "p" [m, k] (%p = %a[m, k]) -> (%q = %t[m, k]) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// -----

// Without the instruction a thread needs elements that others have in registers.
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", cpu = "sm_70", tile_threads = 1024>} {
func.func @without_instruction(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @+1 {{op 'p' has a result in memory that other threads read}}
  %y = krnl.kernel "without_instruction" loops [m = 16, n = 8, k = 32] ins(%x, %w : tensor<16x32xf16>, tensor<32x8xf16>) outs(%o : tensor<16x8xf32>)
      recipe [mm: block(k, 16) -> (k.x, k.y), block(k, 8) -> (k.f, k.s), block(k.s, 2) -> (k.t, k.c), block(m, 8) -> (m.h, m.g), block(n, 2) -> (n.t, n.c),
              order(m.g, k.t, n.t, m.h, k.f, k.c, n.c), mm: order(m.g, n.t, m.h, n.c, k.x, k.y), map(m.g, thread), map(k.t, thread), map(n.t, thread, as=k.t),
              unroll(m.h, 2), unroll(k.f, 4), vectorize(k.c, 2), vectorize(n.c, 2), mm: unroll(k.x, 2), mm: mma(m.h, m.g, n.t, n.c, k.y)] {
  ^bb0(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<16x32xf16>
    %r = krnl.compute "p" [m, k] (%p = %a[m, k]) -> (%q = %t[m, k]) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
      %0 = arith.negf %p : f16
      linalg.yield %0 : f16
    }
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "mm" [m, n | k] (%p = %r[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %s : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}
}
