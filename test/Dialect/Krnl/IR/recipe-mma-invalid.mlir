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
