// RUN: onnx-opt %s --verify-roundtrip
// RUN: onnx-opt %s | FileCheck %s
// RUN: onnx-opt %s --mlir-print-op-generic | onnx-opt | FileCheck %s

// Loops by their names: no maps, and no types of elements. Parallel ones come
// before the bar.
// CHECK-LABEL: func @matmul
// CHECK:         krnl.compute "mm" [m, n | k] (%[[A:.+]] = %{{.+}}[m, k], %[[B:.+]] = %{{.+}}[k, n]) -> (%{{.+}} = %{{.+}}[m, n]) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> {
// CHECK-NEXT:      arith.mulf %[[A]], %[[B]] : f32
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = krnl.kernel "mm" loops [m = 4, n = 6, k = 8] ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%o : tensor<4x6xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<8x6xf32>, %c: tensor<4x6xf32>):
    %r = krnl.compute "mm" [m, n | k] (%a = %p[m, k], %b = %q[k, n]) -> (%s = %c[m, n]) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> {
      %u = arith.mulf %a, %b : f32
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4x6xf32>
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Whatever an affine expression can say is an index.
// CHECK-LABEL: func @indices
// CHECK:         krnl.compute [i, d.o | d] (%{{.+}} = %{{.+}}[i * 2 + d.o, d, 3], %{{.+}} = %{{.+}}[-i + 7], %{{.+}} = %{{.+}}[i floordiv 2, i mod 4, i ceildiv 3]) -> (%{{.+}} = %{{.+}}[i, d.o])
func.func @indices(%x: tensor<10x2x4xf32>, %w: tensor<8xf32>, %v: tensor<4x4x3xf32>, %o: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = krnl.kernel "k" loops [i = 4, d = 2, d.o = 3] ins(%x, %w, %v : tensor<10x2x4xf32>, tensor<8xf32>, tensor<4x4x3xf32>) outs(%o : tensor<4x3xf32>) {
  ^bb0(%p: tensor<10x2x4xf32>, %q: tensor<8xf32>, %t: tensor<4x4x3xf32>, %c: tensor<4x3xf32>):
    %r = krnl.compute [i, d.o | d] (%a = %p[i * 2 + d.o, d, 3], %b = %q[7 - i], %e = %t[i floordiv 2, i mod 4, i ceildiv 3]) -> (%s = %c[i, d.o]) : (tensor<10x2x4xf32>, tensor<8xf32>, tensor<4x4x3xf32>) -> tensor<4x3xf32> {
      %u = arith.mulf %a, %b : f32
      %z = arith.addf %s, %u : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Scalars and tensors of rank 0 have no indices; only a reduction has nothing
// before the bar; there may be several outputs, and no loop at all.
// CHECK-LABEL: func @scalars
// CHECK:         krnl.compute [] () -> (%{{.+}} = %{{.+}}) : () -> tensor<f32> {
// CHECK:         %{{.+}}:2 = krnl.compute [| i] (%{{.+}} = %{{.+}}[i], %{{.+}} = %{{.+}}) -> (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) : (tensor<9xf32>, f32) -> (tensor<f32>, tensor<i64>) attributes {note = 1 : i64} {
// CHECK-NEXT:      krnl.index i
func.func @scalars(%x: tensor<9xf32>, %f: f32, %o: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %y:2 = krnl.kernel "k" loops [i = 9] ins(%x, %f : tensor<9xf32>, f32) outs(%o, %n : tensor<f32>, tensor<i64>) {
  ^bb0(%p: tensor<9xf32>, %g: f32, %c: tensor<f32>, %d: tensor<i64>):
    %z = krnl.compute [] () -> (%_ = %c) : () -> tensor<f32> {
      linalg.yield %g : f32
    }
    %r:2 = krnl.compute [| i] (%a = %p[i], %b = %g) -> (%s = %z, %t = %d) : (tensor<9xf32>, f32) -> (tensor<f32>, tensor<i64>) attributes {note = 1 : i64} {
      %at = krnl.index i
      %u = arith.index_cast %at : index to i64
      %v = arith.addf %a, %b : f32
      %w = arith.addf %s, %v : f32
      linalg.yield %w, %u : f32, i64
    }
    krnl.yield %r#0, %r#1 : tensor<f32>, tensor<i64>
  } -> tensor<f32>, tensor<i64>
  return %y#0, %y#1 : tensor<f32>, tensor<i64>
}

// A loop may cover only the beginning of a dimension.
// CHECK-LABEL: func @part
// CHECK:         krnl.compute [i] (%{{.+}} = %{{.+}}[i ...]) -> (%{{.+}} = %{{.+}}[i])
func.func @part(%x: tensor<12xf32>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %y = krnl.kernel "copy" loops [i = 10] ins(%x : tensor<12xf32>) outs(%o : tensor<10xf32>) {
  ^bb0(%p: tensor<12xf32>, %c: tensor<10xf32>):
    %r = krnl.compute [i] (%a = %p[i ...]) -> (%s = %c[i]) : (tensor<12xf32>) -> tensor<10xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// The kernel says how often a loop runs: no operand has to have that size.
// CHECK-LABEL: func @window
// CHECK:         krnl.compute [o | k] (%{{.+}} = %{{.+}}[o + k])
func.func @window(%x: tensor<12xf32>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %y = krnl.kernel "pool" loops [o = 10, k = 3] ins(%x : tensor<12xf32>) outs(%o : tensor<10xf32>) {
  ^bb0(%p: tensor<12xf32>, %c: tensor<10xf32>):
    %r = krnl.compute [o | k] (%a = %p[o + k]) -> (%s = %c[o]) : (tensor<12xf32>) -> tensor<10xf32> {
      %m = arith.maximumf %s, %a : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// A temporary without elements needs no op that writes it.
// CHECK-LABEL: func @empty_temporary
// CHECK:         %[[T:.+]] = krnl.temporary : tensor<0xf32>
// CHECK:         krnl.compute [i] (%{{.+}} = %[[T]][i])
func.func @empty_temporary(%o: tensor<0xf32>) -> tensor<0xf32> {
  %y = krnl.kernel "copy" loops [i = 0] outs(%o : tensor<0xf32>) {
  ^bb0(%c: tensor<0xf32>):
    %t = krnl.temporary : tensor<0xf32>
    %r = krnl.compute [i] (%a = %t[i]) -> (%s = %c[i]) : (tensor<0xf32>) -> tensor<0xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<0xf32>
  } -> tensor<0xf32>
  return %y : tensor<0xf32>
}

// One of its dimensions is 0, the others may be dynamic.
// CHECK-LABEL: func @empty_dynamic_temporary
// CHECK:         %[[T:.+]] = krnl.temporary : tensor<0x?xf32>
// CHECK:         krnl.compute [i, j] (%{{.+}} = %[[T]][i, j])
func.func @empty_dynamic_temporary(%o: tensor<0x?xf32>, %n: index) -> tensor<0x?xf32> {
  %y = krnl.kernel "copy" loops [i = 0, j = %n] outs(%o : tensor<0x?xf32>) {
  ^bb0(%c: tensor<0x?xf32>, %m: index):
    %t = krnl.temporary : tensor<0x?xf32>
    %r = krnl.compute [i, j] (%a = %t[i, j]) -> (%s = %c[i, j]) : (tensor<0x?xf32>) -> tensor<0x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<0x?xf32>
  } -> tensor<0x?xf32>
  return %y : tensor<0x?xf32>
}

// A range may end with a dimension of dynamic size.
// CHECK-LABEL: func @range_to_end
// CHECK:         krnl.compute [p, k] (%{{.+}} = %{{.+}}[p * 16 + k in 0 to ?])
func.func @range_to_end(%x: tensor<?xf32>, %o: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
  %y = krnl.kernel "parts" loops [p = %n, k = 16] ins(%x : tensor<?xf32>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%a: tensor<?xf32>, %c: tensor<?x16xf32>, %m: index):
    %r = krnl.compute [p, k] (%b = %a[p * 16 + k in 0 to ?]) -> (%_ = %c[p, k]) : (tensor<?xf32>) -> tensor<?x16xf32> {
      linalg.yield %b : f32
    }
    krnl.yield %r : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Outside of a range the element is zero.
// CHECK-LABEL: func @range
// CHECK:         krnl.compute [o | k] (%{{.+}} = %{{.+}}[o + k - 1 in 0 to 12])
func.func @range(%x: tensor<12xf32>, %o: tensor<12xf32>) -> tensor<12xf32> {
  %y = krnl.kernel "pool" loops [o = 12, k = 3] ins(%x : tensor<12xf32>) outs(%o : tensor<12xf32>) {
  ^bb0(%p: tensor<12xf32>, %c: tensor<12xf32>):
    %r = krnl.compute [o | k] (%a = %p[o + k - 1 in 0 to 12]) -> (%s = %c[o]) : (tensor<12xf32>) -> tensor<12xf32> {
      %m = arith.addf %s, %a : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<12xf32>
  } -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// Or another one.
// CHECK-LABEL: func @range_else
// CHECK:         krnl.compute [o, i | k] (%{{.+}} = %{{.+}}[o + k - 1 in 0 to 12 else 0xFF800000 : f32, i in 0 to ? else 0xFF800000 : f32], %{{.+}} = %{{.+}}[k in 0 to 3])
func.func @range_else(%x: tensor<12x?xf32>, %w: tensor<3xf32>, %o: tensor<12x?xf32>, %n: index) -> tensor<12x?xf32> {
  %y = krnl.kernel "pool" loops [o = 12, i = %n, k = 3] ins(%x, %w : tensor<12x?xf32>, tensor<3xf32>) outs(%o : tensor<12x?xf32>) {
  ^bb0(%p: tensor<12x?xf32>, %q: tensor<3xf32>, %c: tensor<12x?xf32>, %m: index):
    %r = krnl.compute [o, i | k] (%a = %p[o + k - 1 in 0 to 12 else 0xFF800000 : f32, i in 0 to ? else 0xFF800000 : f32], %b = %q[k in 0 to 3]) -> (%s = %c[o, i]) : (tensor<12x?xf32>, tensor<3xf32>) -> tensor<12x?xf32> {
      %0 = arith.addf %a, %b : f32
      %1 = arith.maximumf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<12x?xf32>
  } -> tensor<12x?xf32>
  return %y : tensor<12x?xf32>
}
