// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi" --krnl-limit-stack | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu" --krnl-limit-stack | FileCheck %s --check-prefixes=CHECK,LARGE

// Tiles of this target may have 1024 bytes of an intermediate on the stack.
// CHECK-LABEL: krnl.kernel "fits"
// CHECK:         recipe [fuse_outer(i)]
func.func @fits(%x: tensor<8x256xf32>, %o: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %y = krnl.kernel "fits" loops [i = 8, j = 256] ins(%x : tensor<8x256xf32>) outs(%o : tensor<8x256xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x256xf32>, %b: tensor<8x256xf32>):
    %t = krnl.temporary : tensor<8x256xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x256xf32>) -> tensor<8x256xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x256xf32>) -> tensor<8x256xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x256xf32>
  } -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}

// CHECK-LABEL: krnl.kernel "exceeds"
// SMALL:         recipe [fuse_outer(i), arena(double)]
// LARGE:         recipe [fuse_outer(i)]
func.func @exceeds(%x: tensor<8x257xf32>, %o: tensor<8x257xf32>) -> tensor<8x257xf32> {
  %y = krnl.kernel "exceeds" loops [i = 8, j = 257] ins(%x : tensor<8x257xf32>) outs(%o : tensor<8x257xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x257xf32>, %b: tensor<8x257xf32>):
    %t = krnl.temporary : tensor<8x257xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x257xf32>
  } -> tensor<8x257xf32>
  return %y : tensor<8x257xf32>
}

// CHECK-LABEL: krnl.kernel "there_already"
// CHECK:         recipe [fuse_outer(i), arena(0)]
func.func @there_already(%x: tensor<8x257xf32>, %o: tensor<8x257xf32>) -> tensor<8x257xf32> {
  %y = krnl.kernel "there_already" loops [i = 8, j = 257] ins(%x : tensor<8x257xf32>) outs(%o : tensor<8x257xf32>)
      recipe [fuse_outer(i), arena(0)] {
  ^bb0(%a: tensor<8x257xf32>, %b: tensor<8x257xf32>):
    %t = krnl.temporary : tensor<8x257xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x257xf32>
  } -> tensor<8x257xf32>
  return %y : tensor<8x257xf32>
}

// Each fits, but not both. The arena has four tiles of "differences", but half a
// tile of the sums that op 0 begins, for each is aligned to 64 bytes.
// CHECK-LABEL: krnl.kernel "exceed_together"
// SMALL:         recipe [block(i, 2) -> (i.o, i.i), fuse_outer(i.o), arena(0)]
// LARGE:         recipe [block(i, 2) -> (i.o, i.i), fuse_outer(i.o)]
func.func @exceed_together(%x: tensor<8x128xf32>, %o: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = krnl.kernel "exceed_together" loops [i = 8, j = 128] ins(%x : tensor<8x128xf32>) outs(%o : tensor<8x128xf32>)
      recipe [block(i, 2) -> (i.o, i.i), fuse_outer(i.o)] {
  ^bb0(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8xf32>
    %u = krnl.temporary : tensor<8x128xf32>
    %z = krnl.compute [i] () -> (%q = %t[i]) : () -> tensor<8xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute "sums" [i | j] (%p = %a[i, j]) -> (%q = %z[i]) : (tensor<8x128xf32>) -> tensor<8xf32> {
      %d = arith.addf %q, %p : f32
      linalg.yield %d : f32
    }
    %v = krnl.compute "differences" [i, j] (%p = %a[i, j], %w = %s[i]) -> (%q = %u[i, j]) : (tensor<8x128xf32>, tensor<8xf32>) -> tensor<8x128xf32> {
      %d = arith.subf %p, %w : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %v[i, j]) -> (%q = %b[i, j]) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x128xf32>
  } -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// One step places both results of an op. Each is aligned to 64 bytes.
// CHECK-LABEL: krnl.kernel "two_results"
// SMALL:         recipe [fuse_outer(i), arena(both)]
// LARGE:         recipe [fuse_outer(i)]
func.func @two_results(%x: tensor<8x129xf32>, %o: tensor<8x129xf32>) -> tensor<8x129xf32> {
  %y = krnl.kernel "two_results" loops [i = 8, j = 129] ins(%x : tensor<8x129xf32>) outs(%o : tensor<8x129xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x129xf32>, %b: tensor<8x129xf32>):
    %t = krnl.temporary : tensor<8x129xf32>
    %u = krnl.temporary : tensor<8x129xf32>
    %s:2 = krnl.compute "both" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j], %w = %u[i, j]) : (tensor<8x129xf32>) -> (tensor<8x129xf32>, tensor<8x129xf32>) {
      %d = arith.addf %p, %p : f32
      linalg.yield %d, %p : f32, f32
    }
    %r = krnl.compute [i, j] (%p = %s#0[i, j], %w = %s#1[i, j]) -> (%q = %b[i, j]) : (tensor<8x129xf32>, tensor<8x129xf32>) -> tensor<8x129xf32> {
      %d = arith.mulf %p, %w : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x129xf32>
  } -> tensor<8x129xf32>
  return %y : tensor<8x129xf32>
}

// Slices of operands have no place but the stack.
// CHECK-LABEL: krnl.kernel "beside_a_slice"
// SMALL:         recipe [fuse_outer(i), cache(0, at=i), arena(double)]
// LARGE:         recipe [fuse_outer(i), cache(0, at=i)]
func.func @beside_a_slice(%x: tensor<8x160xf32>, %o: tensor<8x160xf32>) -> tensor<8x160xf32> {
  %y = krnl.kernel "beside_a_slice" loops [i = 8, j = 160] ins(%x : tensor<8x160xf32>) outs(%o : tensor<8x160xf32>)
      recipe [fuse_outer(i), cache(0, at=i)] {
  ^bb0(%a: tensor<8x160xf32>, %b: tensor<8x160xf32>):
    %t = krnl.temporary : tensor<8x160xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x160xf32>) -> tensor<8x160xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x160xf32>) -> tensor<8x160xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x160xf32>
  } -> tensor<8x160xf32>
  return %y : tensor<8x160xf32>
}

// A sum that begins with one value in registers has no elements in memory to begin with, whatever its columns are.
// CHECK-LABEL: krnl.kernel "begins"
// CHECK:         recipe [block(n, 64) -> (n.o, n.i), order(n.o, m, n.i, k), fuse_outer(n.o), 1: unroll(m, 8), 1: unroll(n.i, 64), 2: unroll(m, 8), 2: unroll(n.i, 64)]
func.func @begins(%x: tensor<8x64xf32>, %w: tensor<64x1024xf32>, %o: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = krnl.kernel "begins" loops [m = 8, n = 1024, k = 64] ins(%x, %w : tensor<8x64xf32>, tensor<64x1024xf32>) outs(%o : tensor<8x1024xf32>)
      recipe [block(n, 64) -> (n.o, n.i), order(n.o, m, n.i, k), fuse_outer(n.o), 1: unroll(m, 8), 1: unroll(n.i, 64), 2: unroll(m, 8), 2: unroll(n.i, 64)] {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x1024xf32>, %c: tensor<8x1024xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x1024xf32>
    %z = krnl.compute [m, n] () -> (%q = %t[m, n]) : () -> tensor<8x1024xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [m, n | k] (%p = %a[m, k], %v = %b[k, n]) -> (%q = %z[m, n]) : (tensor<8x64xf32>, tensor<64x1024xf32>) -> tensor<8x1024xf32> {
      %d = arith.mulf %p, %v : f32
      %e = arith.addf %q, %d : f32
      linalg.yield %e : f32
    }
    %r = krnl.compute [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<8x1024xf32>) -> tensor<8x1024xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x1024xf32>
  } -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}
