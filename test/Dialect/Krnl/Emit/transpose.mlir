// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/, masked//' %s | onnx-opt --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=PIECES

// Four rows are loaded as they lie and become four columns. What is left, two rows
// of two, is turned as well, the rows that are not there being zeros.
// CHECK-LABEL: func private @kernel_turned_0(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NEXT:    vector.shuffle %{{.+}}, %{{.+}} [0, 4, 2, 6]
// CHECK-NEXT:    vector.shuffle %{{.+}}, %{{.+}} [1, 5, 3, 7]
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 1, 4, 5]
// CHECK-COUNT-4: vector.store %{{.+}}, %arg1
// CHECK-COUNT-2: vector.load %arg0
// CHECK:         vector.maskedstore %arg1
// CHECK:         return
func.func @turned(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = krnl.kernel "turned" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// Without the step, or with other copies, each lane is read by itself.
// CHECK-LABEL: func private @kernel_plain_0(
// CHECK:         vector.gather
// CHECK-LABEL: func private @kernel_two_0(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.load %arg0{{.*}} vector<2xf32>
// CHECK:         return
func.func @plain(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = krnl.kernel "plain" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

func.func @two(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = krnl.kernel "two" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 2), vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// Lanes that are rows of the result wait for each other: seven rows of eight lanes
// become eight lines of seven, which are written with a mask, or in pieces where
// there are none.
// CHECK-LABEL: func private @kernel_results_0(
// CHECK:         %[[MASK:.+]] = arith.constant dense<[true, true, true, true, true, true, true, false]>
// CHECK-NOT:     vector.scatter
// CHECK-COUNT-7: vector.load %arg0{{.*}} vector<8xf32>
// CHECK-NOT:     vector.store
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK:         %[[LINE:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:         vector.maskedstore %arg1[%c0, %c0], %[[MASK]], %[[LINE]]
// CHECK-COUNT-6: vector.maskedstore
// CHECK:         vector.maskedstore %arg1[%c7, %c0], %[[MASK]]
// PIECES-LABEL: func private @kernel_results_0(
// PIECES:        %[[LINE:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 8, 9, 10, 11]
// PIECES:        %[[FOUR:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [0, 1, 2, 3]
// PIECES:        vector.store %[[FOUR]], %arg1[%c0, %c0]
// PIECES:        %[[TWO:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [4, 5]
// PIECES:        vector.store %[[TWO]], %arg1[%c0, %c4]
// PIECES:        %[[ONE:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [6]
// PIECES:        vector.store %[[ONE]], %arg1[%c0, %c6]
// PIECES:        vector.store %{{.+}}, %arg1[%c7, %c6]
// CHECK-NOT:     vector.scatter
// CHECK:         return
func.func @results(%x: tensor<7x8xf32>, %o: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %y = krnl.kernel "results" loops [r = 7, c = 8] ins(%x : tensor<7x8xf32>) outs(%o : tensor<8x7xf32>)
      recipe [unroll(r, 7), vectorize(c, 8), transpose(r, masked)] {
  ^bb0(%a: tensor<7x8xf32>, %b: tensor<8x7xf32>):
    %s = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<7x8xf32>) -> tensor<8x7xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x7xf32>
  } -> tensor<8x7xf32>
  return %y : tensor<8x7xf32>
}

// The rows of the result may be parts of its lines.
// CHECK-LABEL: func private @kernel_part_0(
// CHECK-NOT:     vector.scatter
// CHECK-COUNT-4: vector.load %arg0{{.*}} vector<4xf32>
// CHECK:         vector.store %{{.+}}, %arg1[%c0, %c5]{{.*}} vector<4xf32>
// CHECK:         vector.store %{{.+}}, %arg1[%c3, %c5]{{.*}} vector<4xf32>
// CHECK:         return
func.func @part(%x: tensor<4x4xf32>, %o: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = krnl.kernel "part" loops [r = 4, c = 4] ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x9xf32>)
      recipe [unroll(r, 4), vectorize(c, 4), transpose(r)] {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x9xf32>):
    %s = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[c, r + 5])
        : (tensor<4x4xf32>) -> tensor<4x9xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<4x9xf32>
  } -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// A register tile of four rows of 48 columns, 16 of them a vector: what turns
// them is there once for two columns, which go through the stack, and once for the
// third, where twelve of the lanes are left.
// CHECK-LABEL: func private @kernel_tile_0(
// CHECK:         %[[TILE:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4x32xf32>
// CHECK:         scf.for
// CHECK:           vector.store %{{.+}}, %[[TILE]][%c0, %c0]
// CHECK:           vector.store %{{.+}}, %[[TILE]][%c3, %c16]
// CHECK:           scf.for %[[LANE:.+]] = %c0 to %c32 step %c16
// CHECK:             vector.load %[[TILE]][%c0, %[[LANE]]]
// CHECK:             vector.load %[[TILE]][%c3, %[[LANE]]]
// CHECK:             vector.shuffle %{{.+}}, %{{.+}} [0, 16, 2, 18,
// CHECK-COUNT-16:    vector.store %{{.+}}, %arg2{{.*}} vector<4xf32>
// CHECK-NOT:         vector.store
// CHECK:           }
// CHECK-COUNT-12:  vector.store %{{.+}}, %arg2{{.*}} vector<4xf32>
// CHECK-NOT:       vector.store
// CHECK:         return
func.func @tile(%x: tensor<8x5xf32>, %w: tensor<5x44xf32>, %o: tensor<44x8xf32>) -> tensor<44x8xf32> {
  %y = krnl.kernel "tile" loops [m = 8, n = 44, k = 5] ins(%x, %w : tensor<8x5xf32>, tensor<5x44xf32>) outs(%o : tensor<44x8xf32>)
      recipe [block(n, 48) -> (n.o, n.r), block(m, 4) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o), register_tile(m.r, n.r, lanes=16), transpose(m.r)] {
  ^bb0(%A: tensor<8x5xf32>, %B: tensor<5x44xf32>, %C: tensor<44x8xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[n, m])
        : (tensor<8x5xf32>, tensor<5x44xf32>) -> tensor<44x8xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<44x8xf32>
  } -> tensor<44x8xf32>
  return %y : tensor<44x8xf32>
}

// Of dynamic sizes squares are whole or what is left. Blocks are not loops of one
// iteration. Of rows that are left the last one is read again, where there is
// none, and nothing of it is stored.
// CHECK-LABEL: func private @kernel_dynamic_0(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-2: scf.for
// CHECK-NEXT:      arith.muli
// CHECK-COUNT-4:   vector.load %arg0
// CHECK-COUNT-4:   vector.store
// CHECK-NOT:     scf.for
// CHECK:         scf.if
// CHECK:           %[[LAST:.+]] = arith.subi %[[LEFT:.+]], %c1
// CHECK:           vector.load %arg0
// CHECK:           %[[ROW:.+]] = arith.minsi %[[LAST]], %c1
// CHECK:           %[[AT:.+]] = arith.addi %{{.+}}, %[[ROW]]
// CHECK:           vector.load %arg0[%[[AT]], %c0]
// CHECK:           %[[MASK:.+]] = vector.create_mask %[[LEFT]]
// CHECK-COUNT-4:   vector.maskedstore %arg2[%{{.+}}], %[[MASK]],
// CHECK:         return
func.func @dynamic(%x: tensor<?x4xf32>, %o: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x4xf32>
  %y = krnl.kernel "dynamic" loops [c = 4, r = %rows] ins(%x : tensor<?x4xf32>) outs(%o : tensor<4x?xf32>)
      recipe [block(r, 4, tail=peel) -> (r.o, r.i), order(r.o, c, r.i), fuse_outer(r.o), unroll(c, 4), vectorize(r.i, 4), transpose(c)] {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %extent: index):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<?x4xf32>) -> tensor<4x?xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<4x?xf32>
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// Of a dynamic number of lanes all lines are stored, the last first: those
// after the last one in its place, before it is.
// CHECK-LABEL: func private @kernel_rest_0(
// CHECK-NOT:     vector.scatter
// CHECK:         %[[LAST:.+]] = arith.subi %{{.+}}, %c1
// CHECK:         %[[THREE:.+]] = arith.minsi %[[LAST]], %c3
// CHECK:         arith.addi %{{.+}}, %[[THREE]]
// CHECK:         vector.store
// CHECK:         arith.minsi %[[LAST]], %c2
// CHECK:         vector.store
// CHECK:         arith.minsi %[[LAST]], %c1
// CHECK:         vector.store
// CHECK-NOT:     arith.minsi
// CHECK:         vector.store
// CHECK-NOT:     vector.scatter
// CHECK:         return
func.func @rest(%x: tensor<4x?xf32>, %o: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %y = krnl.kernel "rest" loops [r = %n, c = 4] ins(%x : tensor<4x?xf32>) outs(%o : tensor<?x4xf32>)
      recipe [order(c, r), unroll(c, 4), vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %m: index):
    %s = krnl.compute [r, c] (%p = %a[c, r]) -> (%q = %b[r, c])
        : (tensor<4x?xf32>) -> tensor<?x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
