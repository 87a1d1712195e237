// RUN: onnx-opt %s --split-input-file --verify-diagnostics --verify-roundtrip
//
// Products of matrices by the threads of a warp: 16 rows by 8 columns of sums.

// Two copies of eight threads of rows, four threads of two lanes of columns.
func.func @half(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %y = krnl.kernel "half" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
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

// Columns that are unrolled.
func.func @brain(%x: tensor<32x64xbf16>, %w: tensor<64x16xbf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %y = krnl.kernel "brain" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xbf16>, tensor<64x16xbf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xbf16>, tensor<64x16xbf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

// Eight products of f32, in either order of the sum.
func.func @single(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %y = krnl.kernel "single" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf32>, tensor<64x16xf32>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 8) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x64xf32>, %b: tensor<64x16xf32>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %0, %e : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

// 32 products of bytes.
func.func @bytes(%x: tensor<32x64xi8>, %w: tensor<64x16xi8>, %o: tensor<32x16xi32>) -> tensor<32x16xi32> {
  %y = krnl.kernel "bytes" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xi8>, tensor<64x16xi8>) outs(%o : tensor<32x16xi32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 32) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x64xi8>, %b: tensor<64x16xi8>, %c: tensor<32x16xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xi8>, tensor<64x16xi8>) -> tensor<32x16xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %e, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<32x16xi32>
  } -> tensor<32x16xi32>
  return %y : tensor<32x16xi32>
}

// -----

func.func @depth(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'k.i' has not always 16 iterations}}
  %y = krnl.kernel "depth" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 8) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
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

func.func @rest(%x: tensor<32x72xf16>, %w: tensor<72x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'k.i' has not always 16 iterations}}
  %y = krnl.kernel "rest" loops [m = 32, n = 16, k = 72] ins(%x, %w : tensor<32x72xf16>, tensor<72x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x72xf16>, %b: tensor<72x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x72xf16>, tensor<72x16xf16>) -> tensor<32x16xf32> {
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

// 40 = 2 * 16 + 8.
func.func @rest_of_rows(%x: tensor<40x64xf16>, %w: tensor<64x16xf16>, %o: tensor<40x16xf32>) -> tensor<40x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'm.h' has not always 2 iterations}}
  %y = krnl.kernel "rest_of_rows" loops [m = 40, n = 16, k = 64] ins(%x, %w : tensor<40x64xf16>, tensor<64x16xf16>) outs(%o : tensor<40x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<40x64xf16>, %b: tensor<64x16xf16>, %c: tensor<40x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<40x64xf16>, tensor<64x16xf16>) -> tensor<40x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<40x16xf32>
  } -> tensor<40x16xf32>
  return %y : tensor<40x16xf32>
}

// -----

func.func @maximum(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: it does not sum up products of two inputs of the kernel or shared results, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "maximum" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
  ^bb0(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>, %c: tensor<32x16xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.maximumf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x16xf32>
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// -----

func.func @written_out(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'm.h' is not unrolled}}
  %y = krnl.kernel "written_out" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
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

func.func @lanes(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'n.c' is not unrolled}}
  %y = krnl.kernel "lanes" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
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

func.func @mapped(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loops 'm.g' and 'n.t' are not the last mapped loops}}
  %y = krnl.kernel "mapped" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k.i)] {
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

func.func @swapped(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{op 'mm' cannot use products of matrices: loop 'm.g' does not index one of the factors alone}}
  %y = krnl.kernel "swapped" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.c, 2), mma(n.c, m.g, n.t, m.h, k.i)] {
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

func.func @reduced(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{loop 'n.c' is already unrolled or vectorized}}
  %y = krnl.kernel "reduced" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, k.i, n.c)] {
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
  // expected-error @+1 {{loop 'n.c' is listed twice}}
  %y = krnl.kernel "twice" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, n.c)] {
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

func.func @four(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{expected copies and threads of rows, threads and copies of columns, and products, but got 4 loops}}
  %y = krnl.kernel "four" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c)] {
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

func.func @unknown(%x: tensor<32x64xf16>, %w: tensor<64x16xf16>, %o: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{recipe step 13 'mma}}
  %y = krnl.kernel "unknown" loops [m = 32, n = 16, k = 64] ins(%x, %w : tensor<32x64xf16>, tensor<64x16xf16>) outs(%o : tensor<32x16xf32>)
      recipe [block(m, 16) -> (m.o, m.b), block(m.b, 8) -> (m.h, m.g), block(n, 8) -> (n.o, n.b), block(n.b, 2) -> (n.t, n.c), block(k, 16) -> (k.o, k.i),
              order(m.o, n.o, m.g, n.t, m.h, n.c, k.o, k.i), fuse_outer(m.o, n.o, m.g, n.t), parallel(m.o, n.o),
              map(m.g, thread), map(n.t, thread), unroll(m.h, 2), vectorize(n.c, 2), mma(m.h, m.g, n.t, n.c, k)] {
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
