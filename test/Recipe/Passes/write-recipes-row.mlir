// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=PAIRS

// One row times a constant matrix: the matrix is stored in panels of four vectors,
// in the order in which they are read, however its dimensions lie. What follows
// the sums takes them from registers.
// CHECK-LABEL: kernel "linear"
// CHECK-NEXT:    block(n, 64) -> (n.p, n.r),
// CHECK-NEXT:    order(n.p, k, n.r),
// CHECK-NEXT:    fuse_outer(n.p),
// CHECK-NEXT:    parallel(n.p),
// CHECK-NEXT:    vectorize(n.r, 16),
// CHECK-NEXT:    unroll(n.r, 4),
// CHECK-NEXT:    pack(1, [n.p, k, n.r]),
// CHECK-NEXT:    order(n.r, k)
// CHECK-NEXT:  ]
func.func @linear(%x: tensor<256xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %w = krnl.constant dense<1.0> : tensor<1000x256xf32>
  %y = krnl.kernel "linear" loops [n = 1000, k = 256]
      ins(%x, %w : tensor<256xf32>, tensor<1000x256xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<256xf32>, %b: tensor<1000x256xf32>, %c: tensor<1000xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<1000xf32>
    %f = krnl.compute [n] () -> (%_ = %e[n]) : () -> tensor<1000xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [n | k] (%p = %a[k], %q = %b[n, k]) -> (%r = %f[n])
        : (tensor<256xf32>, tensor<1000x256xf32>) -> tensor<1000xf32> {
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %r, %m : f32
      linalg.yield %t : f32
    }
    %g = krnl.compute [n] (%p = %s[n]) -> (%q = %c[n]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.maximumf %p, %zero : f32
      linalg.yield %m : f32
    }
    krnl.yield %g : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// A matrix that is not a constant stays as it is.
// CHECK-LABEL: kernel "given"
// CHECK-NOT:     pack
func.func @given(%x: tensor<256xf32>, %w: tensor<1000x256xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = krnl.kernel "given" loops [n = 1000, k = 256]
      ins(%x, %w : tensor<256xf32>, tensor<1000x256xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<256xf32>, %b: tensor<1000x256xf32>, %c: tensor<1000xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n] () -> (%_ = %c[n]) : () -> tensor<1000xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [n | k] (%p = %a[k], %q = %b[n, k]) -> (%r = %f[n])
        : (tensor<256xf32>, tensor<1000x256xf32>) -> tensor<1000xf32> {
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %r, %m : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// Bytes are taken four at a time; the panels have the groups of each column in a
// line.
// CHECK-LABEL: kernel "bytes"
// CHECK-NEXT:    block(n, 64) -> (n.p, n.r),
// CHECK-NEXT:    block(k, 4) -> (k.o, k.q),
// CHECK-NEXT:    order(n.p, k.o, k.q, n.r),
// CHECK:         pack(1, [n.p, k.o, n.r, k.q]),
// CHECK-NEXT:    1: dot(k.q),
// CHECK-NEXT:    order(n.r, k.o, k.q)
// CHECK-NEXT:  ]
// Of these small bytes the sums of pairs of four groups fit 16 bits.
// PAIRS-LABEL: kernel "bytes"
// PAIRS:         1: dot(k.q, sums=i16),
// PAIRS-NEXT:    1: unroll(k.o, 4),
func.func @bytes(%x: tensor<256xi8>, %o: tensor<1000xi32>) -> tensor<1000xi32> {
  %w = krnl.constant dense<1> : tensor<1000x256xi8>
  %y = krnl.kernel "bytes" loops [n = 1000, k = 256]
      ins(%x, %w : tensor<256xi8>, tensor<1000x256xi8>) outs(%o : tensor<1000xi32>) {
  ^bb0(%a: tensor<256xi8>, %b: tensor<1000x256xi8>, %c: tensor<1000xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [n] () -> (%_ = %c[n]) : () -> tensor<1000xi32> { linalg.yield %zero : i32 }
    %s = krnl.compute [n | k] (%p = %a[k], %q = %b[n, k]) -> (%r = %f[n])
        : (tensor<256xi8>, tensor<1000x256xi8>) -> tensor<1000xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %r, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %s : tensor<1000xi32>
  } -> tensor<1000xi32>
  return %y : tensor<1000xi32>
}

// No sum of larger bytes fits: they are extended in pairs, those of the row once for a panel.
// PAIRS-LABEL: kernel "large_bytes"
// PAIRS:         block(k, 2) -> (k.o, k.q),
// PAIRS:         pack(1, [n.p, k.o, n.r, k.q]),
// PAIRS-NEXT:    1: dot(k.q),
// PAIRS-NEXT:    1: cache(0, at=n.p, as=i16),
// PAIRS-NEXT:    1: unroll(k.o, 2),
// PAIRS-NEXT:    order(n.r, k.o, k.q)
func.func @large_bytes(%x: tensor<256xi8>, %o: tensor<960xi32>) -> tensor<960xi32> {
  %w = krnl.constant dense<127> : tensor<960x256xi8>
  %y = krnl.kernel "large_bytes" loops [n = 960, k = 256]
      ins(%x, %w : tensor<256xi8>, tensor<960x256xi8>) outs(%o : tensor<960xi32>) {
  ^bb0(%a: tensor<256xi8>, %b: tensor<960x256xi8>, %c: tensor<960xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [n] () -> (%_ = %c[n]) : () -> tensor<960xi32> { linalg.yield %zero : i32 }
    %s = krnl.compute [n | k] (%p = %a[k], %q = %b[n, k]) -> (%r = %f[n])
        : (tensor<256xi8>, tensor<960x256xi8>) -> tensor<960xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %r, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %s : tensor<960xi32>
  } -> tensor<960xi32>
  return %y : tensor<960xi32>
}
