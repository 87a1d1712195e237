// RUN: onnx-opt %s --krnl-fold-copies | FileCheck %s

// What is made elsewhere is copied, and only the elements that the copy does not write
// are filled: the strips beside it along its own loop. Loops are in the order of dimensions.
// CHECK-LABEL: func @both_dimensions
// CHECK:         krnl.kernel "pad" loops [b0_0 = 2, q = 102, i = 8, j = 100] ins(
// CHECK:           krnl.compute [b0_0, q] () -> (%{{.+}} = %{{.+}}[b0_0 ..., q])
// CHECK:           krnl.compute [q] () -> (%{{.+}} = %{{.+}}[10, q])
// CHECK:           krnl.compute [i] () -> (%{{.+}} = %{{.+}}[i + 2, 0])
// CHECK:           krnl.compute [i] () -> (%{{.+}} = %{{.+}}[i + 2, 101])
// CHECK:           krnl.compute [i, j] (%{{.+}} = %{{.+}}[i, j]) -> (%{{.+}} = %{{.+}}[i + 2, j + 1])
// CHECK-NOT:       krnl.compute
func.func @both_dimensions(%x: tensor<8x100xf32>, %z: f32) -> tensor<11x102xf32> {
  %e = tensor.empty() : tensor<11x102xf32>
  %0 = krnl.kernel "pad" loops [p = 11, q = 102, i = 8, j = 100] ins(%x, %z : tensor<8x100xf32>, f32) outs(%e : tensor<11x102xf32>) {
  ^bb0(%a: tensor<8x100xf32>, %v: f32, %o: tensor<11x102xf32>):
    %f = krnl.compute [p, q] () -> (%t = %o[p, q]) : () -> tensor<11x102xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [i, j] (%s = %a[i, j]) -> (%t = %f[i + 2, j + 1]) : (tensor<8x100xf32>) -> tensor<11x102xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<11x102xf32>
  } -> tensor<11x102xf32>
  return %0 : tensor<11x102xf32>
}

// Where the part begins and how long it is are inputs: the strip before it is as long as
// its offset, the one after begins at its end, and their extents are dynamic.
// CHECK-LABEL: func @dynamic_offset
// CHECK-SAME:      %[[N:[^:]+]]: index, %[[LOW:[^:]+]]: index, %[[SIZE:[^:]+]]: index
// CHECK:         %[[END:.+]] = arith.addi %[[N]], %[[LOW]]
// CHECK:         %[[REST:.+]] = arith.subi %[[SIZE]], %[[END]]
// CHECK:         krnl.kernel "pad" loops [i = %[[N]], b0_0 = %[[LOW]], b1_0 = %[[REST]]] ins({{.+}}, %[[END]] :
// CHECK:           krnl.compute [b0_0]
// CHECK-NEXT:        linalg.yield
// CHECK:           krnl.compute [b1_0]
// CHECK:             krnl.scatter_store
// CHECK:           krnl.compute [i]
// CHECK:             krnl.scatter_store
func.func @dynamic_offset(%n: index, %low: index, %size: index, %x: tensor<?xf32>, %z: f32) -> tensor<?xf32> {
  %e = tensor.empty(%size) : tensor<?xf32>
  %0 = krnl.kernel "pad" loops [p = %size, i = %n] ins(%x, %z, %low : tensor<?xf32>, f32, index) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %v: f32, %at: index, %o: tensor<?xf32>, %l: index, %m: index):
    %f = krnl.compute [p] () -> (%t = %o[p]) : () -> tensor<?xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [i] (%s = %a[i]) -> (%t = %f[i ...]) : (tensor<?xf32>) -> tensor<?xf32> {
      %w = krnl.scatter_store %s at [%at] : f32
      linalg.yield %w : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Short rows are written twice rather than strips of single elements.
// CHECK-LABEL: func @short_rows
// CHECK:         krnl.compute [p, q]
// CHECK:         krnl.compute [p, j]
// CHECK-NOT:     krnl.compute
func.func @short_rows(%x: tensor<8x14xf32>, %z: f32) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "pad" loops [p = 8, q = 16, j = 14] ins(%x, %z : tensor<8x14xf32>, f32) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x14xf32>, %v: f32, %o: tensor<8x16xf32>):
    %f = krnl.compute [p, q] () -> (%t = %o[p, q]) : () -> tensor<8x16xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [p, j] (%s = %a[p, j]) -> (%t = %f[p, j + 1]) : (tensor<8x14xf32>) -> tensor<8x16xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Sums are added to what was filled in, and a diagonal is not a box.
// CHECK-LABEL: func @reads_the_fill
// CHECK-COUNT-2: krnl.compute [p, q]
func.func @reads_the_fill(%x: tensor<8x100xf32>, %z: f32) -> tensor<8x100xf32> {
  %e = tensor.empty() : tensor<8x100xf32>
  %0 = krnl.kernel "add" loops [p = 8, q = 100] ins(%x, %z : tensor<8x100xf32>, f32) outs(%e : tensor<8x100xf32>) {
  ^bb0(%a: tensor<8x100xf32>, %v: f32, %o: tensor<8x100xf32>):
    %f = krnl.compute [p, q] () -> (%t = %o[p, q]) : () -> tensor<8x100xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [p, q] (%s = %a[p, q]) -> (%t = %f[p, q]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %w = arith.addf %s, %t : f32
      linalg.yield %w : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %0 : tensor<8x100xf32>
}

// CHECK-LABEL: func @diagonal
// CHECK:         krnl.compute [p, q]
// CHECK:         krnl.compute [i]
// CHECK-NOT:     krnl.compute
func.func @diagonal(%x: tensor<100xf32>, %z: f32) -> tensor<100x100xf32> {
  %e = tensor.empty() : tensor<100x100xf32>
  %0 = krnl.kernel "diagonal" loops [p = 100, q = 100, i = 100] ins(%x, %z : tensor<100xf32>, f32) outs(%e : tensor<100x100xf32>) {
  ^bb0(%a: tensor<100xf32>, %v: f32, %o: tensor<100x100xf32>):
    %f = krnl.compute [p, q] () -> (%t = %o[p, q]) : () -> tensor<100x100xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [i] (%s = %a[i]) -> (%t = %f[i, i]) : (tensor<100xf32>) -> tensor<100x100xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<100x100xf32>
  } -> tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}

// A strip for each dimension, and loops over all of them in each: code that grows with the
// square of their number, so the whole is filled where many have borders.
// CHECK-LABEL: func @of_rank_6
// CHECK-COUNT-7:   krnl.compute
// CHECK-NOT:       krnl.compute
func.func @of_rank_6(%x: tensor<8x8x8x8x8x8x100xf32>, %z: f32) -> tensor<9x9x9x9x9x9x100xf32> {
  %e = tensor.empty() : tensor<9x9x9x9x9x9x100xf32>
  %0 = krnl.kernel "pad" loops [p0 = 9, p1 = 9, p2 = 9, p3 = 9, p4 = 9, p5 = 9, i0 = 8, i1 = 8, i2 = 8, i3 = 8, i4 = 8, i5 = 8, q = 100] ins(%x, %z : tensor<8x8x8x8x8x8x100xf32>, f32) outs(%e : tensor<9x9x9x9x9x9x100xf32>) {
  ^bb0(%a: tensor<8x8x8x8x8x8x100xf32>, %v: f32, %o: tensor<9x9x9x9x9x9x100xf32>):
    %f = krnl.compute [p0, p1, p2, p3, p4, p5, q] () -> (%t = %o[p0, p1, p2, p3, p4, p5, q]) : () -> tensor<9x9x9x9x9x9x100xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [i0, i1, i2, i3, i4, i5, q] (%s = %a[i0, i1, i2, i3, i4, i5, q]) -> (%t = %f[i0 + 1, i1 + 1, i2 + 1, i3 + 1, i4 + 1, i5 + 1, q]) : (tensor<8x8x8x8x8x8x100xf32>) -> tensor<9x9x9x9x9x9x100xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<9x9x9x9x9x9x100xf32>
  } -> tensor<9x9x9x9x9x9x100xf32>
  return %0 : tensor<9x9x9x9x9x9x100xf32>
}

// CHECK-LABEL: func @of_rank_7
// CHECK-COUNT-2:   krnl.compute
// CHECK-NOT:       krnl.compute
func.func @of_rank_7(%x: tensor<8x8x8x8x8x8x8x100xf32>, %z: f32) -> tensor<9x9x9x9x9x9x9x100xf32> {
  %e = tensor.empty() : tensor<9x9x9x9x9x9x9x100xf32>
  %0 = krnl.kernel "pad" loops [p0 = 9, p1 = 9, p2 = 9, p3 = 9, p4 = 9, p5 = 9, p6 = 9, i0 = 8, i1 = 8, i2 = 8, i3 = 8, i4 = 8, i5 = 8, i6 = 8, q = 100] ins(%x, %z : tensor<8x8x8x8x8x8x8x100xf32>, f32) outs(%e : tensor<9x9x9x9x9x9x9x100xf32>) {
  ^bb0(%a: tensor<8x8x8x8x8x8x8x100xf32>, %v: f32, %o: tensor<9x9x9x9x9x9x9x100xf32>):
    %f = krnl.compute [p0, p1, p2, p3, p4, p5, p6, q] () -> (%t = %o[p0, p1, p2, p3, p4, p5, p6, q]) : () -> tensor<9x9x9x9x9x9x9x100xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [i0, i1, i2, i3, i4, i5, i6, q] (%s = %a[i0, i1, i2, i3, i4, i5, i6, q]) -> (%t = %f[i0 + 1, i1 + 1, i2 + 1, i3 + 1, i4 + 1, i5 + 1, i6 + 1, q]) : (tensor<8x8x8x8x8x8x8x100xf32>) -> tensor<9x9x9x9x9x9x9x100xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<9x9x9x9x9x9x9x100xf32>
  } -> tensor<9x9x9x9x9x9x9x100xf32>
  return %0 : tensor<9x9x9x9x9x9x9x100xf32>
}
