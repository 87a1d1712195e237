// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver3" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=AVX2

// All ops go by eight rows before the next ones: their scores, 32 kB, are what an
// op leaves for the next one. Eight rows 4096 bytes apart are the most that a set of
// the first cache holds. Keys are packed; both products have their tile in registers,
// and so have the largest elements of rows.
// CHECK-LABEL: kernel "known"
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(e, 32) -> (e.o, e.r),
// CHECK-NEXT:    order(b, m.o, e.o, n.o, k, m.r, n.r, e.r),
// CHECK-NEXT:    fuse_outer(b, m.o),
// CHECK-NEXT:    parallel(b, m.o),
// CHECK-NEXT:    0: vectorize(n.r, 16),
// CHECK-NEXT:    0: unroll(n.r, 3),
// CHECK-NEXT:    1: unroll(m.r, 8),
// CHECK-NEXT:    1: vectorize(n.r, 16),
// CHECK-NEXT:    1: unroll(n.r, 3),
// CHECK-NEXT:    3: unroll(m.r, 8),
// CHECK-NEXT:    3: vectorize(n.r, 16),
// CHECK-NEXT:    4: order(m.r, n.o, n.r),
// CHECK-NEXT:    4: vectorize(n.r, 16),
// CHECK-NEXT:    4: unroll(n.r, 3),
// CHECK-NEXT:    5: vectorize(e.r, 16),
// CHECK-NEXT:    5: unroll(e.r, 2),
// CHECK-NEXT:    6: order(n.r, m.r, e.r),
// CHECK-NEXT:    6: unroll(m.r, 8),
// CHECK-NEXT:    6: vectorize(e.r, 16),
// CHECK-NEXT:    6: unroll(e.r, 2),
// CHECK-NEXT:    pack(1, [n.o, k, n.r], transpose=16),
// CHECK-NEXT:    1: order(m.r, n.r, k),
// CHECK-NEXT:    3: order(m.r, n.o, n.r),
// CHECK-NEXT:    6: order(e.o, m.r, e.r, n.o, n.r)
// CHECK-NEXT:  ]
func.func @known(%q: tensor<4x1024x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x32xf32>, %o: tensor<4x1024x32xf32>) -> tensor<4x1024x32xf32> {
  %y = krnl.kernel "known" loops [b = 4, m = 1024, n = 1024, k = 32, e = 32] ins(%q, %k, %v : tensor<4x1024x32xf32>, tensor<4x1024x32xf32>, tensor<4x1024x32xf32>) outs(%o : tensor<4x1024x32xf32>) {
  ^bb0(%x: tensor<4x1024x32xf32>, %w: tensor<4x1024x32xf32>, %z: tensor<4x1024x32xf32>, %c: tensor<4x1024x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<4x1024x1024xf32>
    %t = krnl.temporary : tensor<4x1024xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<4x1024x1024xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<4x1024x32xf32>, tensor<4x1024x32xf32>) -> tensor<4x1024x1024xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<4x1024xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<4x1024x1024xf32>) -> tensor<4x1024xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<4x1024xf32>) -> tensor<4x1024x1024xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<4x1024x32xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<4x1024x1024xf32>, tensor<4x1024x32xf32>) -> tensor<4x1024x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<4x1024x32xf32>
  } -> tensor<4x1024x32xf32>
  return %y : tensor<4x1024x32xf32>
}

// CHECK-LABEL: kernel "open_batch"
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(e, 32) -> (e.o, e.r),
// CHECK:         pack(1, [n.o, k, n.r], transpose=16)
func.func @open_batch(%q: tensor<?x1024x32xf32>, %k: tensor<?x1024x32xf32>, %v: tensor<?x1024x32xf32>, %o: tensor<?x1024x32xf32>) -> tensor<?x1024x32xf32> {
  %c0_1 = arith.constant 0 : index
  %b_size = tensor.dim %q, %c0_1 : tensor<?x1024x32xf32>
  %y = krnl.kernel "open_batch" loops [b = %b_size, m = 1024, n = 1024, k = 32, e = 32] ins(%q, %k, %v : tensor<?x1024x32xf32>, tensor<?x1024x32xf32>, tensor<?x1024x32xf32>) outs(%o : tensor<?x1024x32xf32>) {
  ^bb0(%x: tensor<?x1024x32xf32>, %w: tensor<?x1024x32xf32>, %z: tensor<?x1024x32xf32>, %c: tensor<?x1024x32xf32>, %b_extent: index):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %db = tensor.dim %x, %c0 : tensor<?x1024x32xf32>
    %s = krnl.temporary : tensor<?x1024x1024xf32>
    %t = krnl.temporary : tensor<?x1024xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<?x1024x1024xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<?x1024x32xf32>, tensor<?x1024x32xf32>) -> tensor<?x1024x1024xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<?x1024xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<?x1024x1024xf32>) -> tensor<?x1024xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<?x1024xf32>) -> tensor<?x1024x1024xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<?x1024x32xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<?x1024x1024xf32>, tensor<?x1024x32xf32>) -> tensor<?x1024x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<?x1024x32xf32>
  } -> tensor<?x1024x32xf32>
  return %y : tensor<?x1024x32xf32>
}

// Four rows of 4096 scores are what may lie on the stack.
// CHECK-LABEL: kernel "long_rows"
// CHECK-NEXT:    block(m, 4) -> (m.o, m.r),
func.func @long_rows(%q: tensor<4x1024x32xf32>, %k: tensor<4x4096x32xf32>, %v: tensor<4x4096x32xf32>, %o: tensor<4x1024x32xf32>) -> tensor<4x1024x32xf32> {
  %y = krnl.kernel "long_rows" loops [b = 4, m = 1024, n = 4096, k = 32, e = 32] ins(%q, %k, %v : tensor<4x1024x32xf32>, tensor<4x4096x32xf32>, tensor<4x4096x32xf32>) outs(%o : tensor<4x1024x32xf32>) {
  ^bb0(%x: tensor<4x1024x32xf32>, %w: tensor<4x4096x32xf32>, %z: tensor<4x4096x32xf32>, %c: tensor<4x1024x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<4x1024x4096xf32>
    %t = krnl.temporary : tensor<4x1024xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<4x1024x4096xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<4x1024x32xf32>, tensor<4x4096x32xf32>) -> tensor<4x1024x4096xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<4x1024xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<4x1024x4096xf32>) -> tensor<4x1024xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<4x1024xf32>) -> tensor<4x1024x4096xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<4x1024x32xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<4x1024x4096xf32>, tensor<4x4096x32xf32>) -> tensor<4x1024x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<4x1024x32xf32>
  } -> tensor<4x1024x32xf32>
  return %y : tensor<4x1024x32xf32>
}

// Rows of dynamic length are in memory that the host makes. Of 16 registers one is left
// for the zero that sums begin with, as four rows and three vectors do not, and each tile
// of rows reads all keys from the second cache, for which two rows would wait.
// CHECK-LABEL: kernel "open_length"
// CHECK-NEXT:    block(m, 6) -> (m.o, m.r),
// CHECK:         pack(1, [n.o, k, n.r], transpose=16)
// AVX2-LABEL:  kernel "open_length"
// AVX2-NEXT:     block(m, 6) -> (m.o, m.r),
// AVX2-NEXT:     block(n, 16) -> (n.o, n.r),
// AVX2-NEXT:     block(e, 16) -> (e.o, e.r),
func.func @open_length(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>, %o: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %c0_1 = arith.constant 0 : index
  %b_size = tensor.dim %q, %c0_1 : tensor<?x?x64xf32>
  %c1_1 = arith.constant 1 : index
  %m_size = tensor.dim %q, %c1_1 : tensor<?x?x64xf32>
  %n_size = tensor.dim %k, %c1_1 : tensor<?x?x64xf32>
  %y = krnl.kernel "open_length" loops [b = %b_size, m = %m_size, n = %n_size, k = 64, e = 64] ins(%q, %k, %v : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%o : tensor<?x?x64xf32>) {
  ^bb0(%x: tensor<?x?x64xf32>, %w: tensor<?x?x64xf32>, %z: tensor<?x?x64xf32>, %c: tensor<?x?x64xf32>, %b_extent: index, %m_extent: index, %n_extent: index):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %db = tensor.dim %x, %c0 : tensor<?x?x64xf32>
    %dm = tensor.dim %x, %c1 : tensor<?x?x64xf32>
    %dn = tensor.dim %w, %c1 : tensor<?x?x64xf32>
    %s = krnl.temporary : tensor<?x?x?xf32>
    %t = krnl.temporary : tensor<?x?xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<?x?x?xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<?x?x?xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<?x?xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<?x?x?xf32>) -> tensor<?x?xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<?x?xf32>) -> tensor<?x?x?xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<?x?x64xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<?x?x?xf32>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<?x?x64xf32>
  } -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// Fewer than twelve rows, as a version for few has them: lanes of scores are along their
// sums, those of four rows and four keys side by side, and nothing is packed. Of rows
// that are left, two are side by side.
// CHECK-LABEL: kernel "few_rows"
// CHECK-NEXT:    block(m, 4) -> (m.o, m.r),
// CHECK:         1: order(m.r, n.r, k),
// CHECK-NEXT:    1: unroll(m.r, 4, tail=[2]),
// CHECK-NEXT:    1: unroll(n.r, 4),
// CHECK-NEXT:    1: vectorize(k, 16),
// CHECK-NOT:     pack
// CHECK:       ]
func.func @few_rows(%q: tensor<4x?x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x32xf32>, %o: tensor<4x?x32xf32>) -> tensor<4x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %q, %c1 : tensor<4x?x32xf32>
  %y = krnl.kernel "few_rows" loops [b = 4, m = %size < 12, n = 1024, k = 32, e = 32] ins(%q, %k, %v : tensor<4x?x32xf32>, tensor<4x1024x32xf32>, tensor<4x1024x32xf32>) outs(%o : tensor<4x?x32xf32>) {
  ^bb0(%x: tensor<4x?x32xf32>, %w: tensor<4x1024x32xf32>, %z: tensor<4x1024x32xf32>, %c: tensor<4x?x32xf32>, %rows: index):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<4x?x1024xf32>
    %t = krnl.temporary : tensor<4x?xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<4x?x1024xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<4x?x32xf32>, tensor<4x1024x32xf32>) -> tensor<4x?x1024xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<4x?xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<4x?x1024xf32>) -> tensor<4x?xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<4x?xf32>) -> tensor<4x?x1024xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<4x?x32xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<4x?x1024xf32>, tensor<4x1024x32xf32>) -> tensor<4x?x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<4x?x32xf32>
  } -> tensor<4x?x32xf32>
  return %y : tensor<4x?x32xf32>
}

// Six of 1022 rows are left after tiles of eight: a tile of their own.
// CHECK-LABEL: kernel "rest"
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK:         1: unroll(m.r, 8, tail=[6]),
// CHECK:         6: unroll(m.r, 8, tail=[6]),
func.func @rest(%q: tensor<4x1022x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x32xf32>, %o: tensor<4x1022x32xf32>) -> tensor<4x1022x32xf32> {
  %y = krnl.kernel "rest" loops [b = 4, m = 1022, n = 1024, k = 32, e = 32] ins(%q, %k, %v : tensor<4x1022x32xf32>, tensor<4x1024x32xf32>, tensor<4x1024x32xf32>) outs(%o : tensor<4x1022x32xf32>) {
  ^bb0(%x: tensor<4x1022x32xf32>, %w: tensor<4x1024x32xf32>, %z: tensor<4x1024x32xf32>, %c: tensor<4x1022x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<4x1022x1024xf32>
    %t = krnl.temporary : tensor<4x1022xf32>
    %0 = krnl.compute [b, m, n] () -> (%_ = %s[b, m, n]) : () -> tensor<4x1022x1024xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%a = %x[b, m, k], %b = %w[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<4x1022x32xf32>, tensor<4x1024x32xf32>) -> tensor<4x1022x1024xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [b, m] () -> (%_ = %t[b, m]) : () -> tensor<4x1022xf32> { linalg.yield %lowest : f32 }
    %3 = krnl.compute [b, m | n] (%a = %1[b, m, n]) -> (%d = %2[b, m])
        : (tensor<4x1022x1024xf32>) -> tensor<4x1022xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %4 = krnl.compute [b, m, n] (%a = %3[b, m]) -> (%d = %1[b, m, n])
        : (tensor<4x1022xf32>) -> tensor<4x1022x1024xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [b, m, e] () -> (%_ = %c[b, m, e]) : () -> tensor<4x1022x32xf32> { linalg.yield %zero : f32 }
    %6 = krnl.compute [b, m, e | n] (%a = %4[b, m, n], %b = %z[b, n, e]) -> (%d = %5[b, m, e])
        : (tensor<4x1022x1024xf32>, tensor<4x1024x32xf32>) -> tensor<4x1022x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %6 : tensor<4x1022x32xf32>
  } -> tensor<4x1022x32xf32>
  return %y : tensor<4x1022x32xf32>
}
