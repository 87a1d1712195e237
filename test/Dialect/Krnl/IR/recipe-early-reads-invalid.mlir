// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Operands that cannot be prefetched before a sum.

func.func @packed(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %v: tensor<64xf32>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+2 {{cannot prefetch operand 2: it is packed}}
  // expected-note @+1 {{it would be legal before recipe step 16}}
  %y = krnl.kernel "packed" loops [m = 256, n = 64, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x64xf16>, tensor<64xf32>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), pack(2, [n.o, n.t, n.f, n.c]), prefetch(2, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %p: tensor<64xf32>, %c: tensor<256x64xf32>):
    %t = krnl.temporary : tensor<256x64xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x64xf32>, tensor<64xf32>) -> tensor<256x64xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

// -----

func.func @factor(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %v: tensor<64xf32>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{cannot prefetch operand 0: no op reads it right after a sum}}
  %y = krnl.kernel "factor" loops [m = 256, n = 64, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x64xf16>, tensor<64xf32>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), prefetch(0, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %p: tensor<64xf32>, %c: tensor<256x64xf32>):
    %t = krnl.temporary : tensor<256x64xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x64xf32>, tensor<64xf32>) -> tensor<256x64xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

// -----

func.func @many(%x: tensor<256x128xf16>, %w: tensor<128x512xf16>, %v: tensor<512xf32>, %o: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // expected-error @+1 {{cannot prefetch operand 2: a thread reads from more than 64 lines}}
  %y = krnl.kernel "many" loops [m = 256, n = 512, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x512xf16>, tensor<512xf32>) outs(%o : tensor<256x512xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 256) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 32), vectorize(n.c, 2), prefetch(2, distance=0, line=4)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x512xf16>, %p: tensor<512xf32>, %c: tensor<256x512xf32>):
    %t = krnl.temporary : tensor<256x512xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x512xf16>) -> tensor<256x512xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  return %y : tensor<256x512xf32>
}

// -----

func.func @rest(%x: tensor<256x128xf16>, %w: tensor<128x48xf16>, %v: tensor<48xf32>, %o: tensor<256x48xf32>) -> tensor<256x48xf32> {
  // expected-error @+1 {{cannot prefetch operand 2: loop 'n.f' has no whole blocks of known size}}
  %y = krnl.kernel "rest" loops [m = 256, n = 48, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x48xf16>, tensor<48xf32>) outs(%o : tensor<256x48xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), prefetch(2, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x48xf16>, %p: tensor<48xf32>, %c: tensor<256x48xf32>):
    %t = krnl.temporary : tensor<256x48xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x48xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x48xf16>) -> tensor<256x48xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x48xf32>, tensor<48xf32>) -> tensor<256x48xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x48xf32>
  } -> tensor<256x48xf32>
  return %y : tensor<256x48xf32>
}

// -----

func.func @rows(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %v: tensor<256x64xf32>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+1 {{cannot prefetch operand 2: loop 'm.h' does not go along its rows}}
  %y = krnl.kernel "rows" loops [m = 256, n = 64, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x64xf16>, tensor<256x64xf32>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), prefetch(2, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %p: tensor<256x64xf32>, %c: tensor<256x64xf32>):
    %t = krnl.temporary : tensor<256x64xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[m, n]) -> (%s = %c[m, n]) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

// -----

func.func @twice(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %v: tensor<64xf32>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-error @+2 {{operand 2 is prefetched already}}
  // expected-note @+1 {{it would be legal before recipe step}}
  %y = krnl.kernel "twice" loops [m = 256, n = 64, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x64xf16>, tensor<64xf32>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), prefetch(2, distance=0, line=32), prefetch(2, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %p: tensor<64xf32>, %c: tensor<256x64xf32>):
    %t = krnl.temporary : tensor<256x64xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x64xf32>, tensor<64xf32>) -> tensor<256x64xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}
