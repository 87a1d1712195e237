// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Lanes two elements apart are two vectors and a shuffle, not a gather. The second
// one ends with the last lane, so that nothing after it is read; of the last four
// lanes it reads nothing.
// CHECK-LABEL: func private @kernel_apart_0(
// CHECK-DAG:     %[[SEVEN:.+]] = arith.constant dense<[true, true, true, true, true, true, true, false,
// CHECK-NOT:     vector.gather
// CHECK:         %[[LOW:.+]] = vector.load %arg0
// CHECK:         %[[HIGH:.+]] = vector.load %arg0
// CHECK:         vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK:         vector.maskedload %arg0[%c96], %[[SEVEN]]
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @apart(%x: tensor<103xf32>, %o: tensor<52xf32>) -> tensor<52xf32> {
  %y = krnl.kernel "apart" loops [i = 52] ins(%x : tensor<103xf32>) outs(%o : tensor<52xf32>)
      recipe [vectorize(i, 16), strided(i, 2)] {
  ^bb0(%a: tensor<103xf32>, %b: tensor<52xf32>):
    %r = krnl.compute [i] (%p = %a[i * 2]) -> (%q = %b[i]) : (tensor<103xf32>) -> tensor<52xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<52xf32>
  } -> tensor<52xf32>
  return %y : tensor<52xf32>
}

// Lanes that have one element each of whole rows: both instances of the unrolled loop take theirs of the same
// two vectors. The last ones are under a mask that ends with the last lane.
// CHECK-LABEL: func private @kernel_whole_rows_0(
// CHECK-NOT:     vector.gather
// CHECK:         %[[LOW:.+]] = vector.load %arg0
// CHECK:         %[[HIGH:.+]] = vector.load %arg0
// CHECK-NOT:     vector.load %arg0
// CHECK-DAG:     vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]
// CHECK-DAG:     vector.shuffle %[[LOW]], %[[HIGH]] [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK:         vector.maskedload %arg0[%c32, %c0]
// CHECK:         return
func.func @whole_rows(%x: tensor<40x2xf32>, %o: tensor<40xf32>) -> tensor<40xf32> {
  %y = krnl.kernel "whole_rows" loops [i = 40, p = 2] ins(%x : tensor<40x2xf32>) outs(%o : tensor<40xf32>)
      recipe [unroll(p, 2), vectorize(i, 16), strided(i, 2)] {
  ^bb0(%a: tensor<40x2xf32>, %b: tensor<40xf32>):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<40xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [i | p] (%e = %a[i, p]) -> (%s = %z[i]) : (tensor<40x2xf32>) -> tensor<40xf32> {
      %t = arith.addf %s, %e : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<40xf32>
  } -> tensor<40xf32>
  return %y : tensor<40xf32>
}

// The columns of a window that moves by two share what they read: 57 elements for 28
// results, of which the last vector ends with the last one. The third column is the
// first a lane further.
// CHECK-LABEL: func private @kernel_window_0(
// CHECK-DAG:     %[[X0:.+]] = vector.load %arg0[%c0]
// CHECK-DAG:     %[[X16:.+]] = vector.load %arg0[%c16]
// CHECK-DAG:     %[[X32:.+]] = vector.load %arg0[%c32]
// CHECK-DAG:     %[[X41:.+]] = vector.load %arg0[%c41]
// CHECK-DAG:     %[[EVEN:.+]] = vector.shuffle %[[X16]], %[[X0]] [16, 18, 20, 22, 24, 26, 28, 30, 0, 2, 4, 6, 8, 10, 12, 14]
// CHECK-DAG:     %[[LAST:.+]] = vector.shuffle %[[X41]], %[[X32]] [16, 18, 20, 22, 24, 1, 3, 5, 7, 9, 11, 13, 15, 15, 15, 15]
// CHECK-DAG:     vector.shuffle %[[X16]], %[[X0]] [17, 19, 21, 23, 25, 27, 29, 31, 1, 3, 5, 7, 9, 11, 13, 15]
// CHECK-DAG:     vector.shuffle %[[EVEN]], %[[LAST]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
// CHECK-DAG:     vector.shuffle %[[LAST]], %[[LAST]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 12, 12, 12]
// CHECK-NOT:     vector.load %arg0
// CHECK:         return
func.func @window(%x: tensor<57xf32>, %f: tensor<3xf32>, %o: tensor<28xf32>) -> tensor<28xf32> {
  %y = krnl.kernel "window" loops [i = 28, k = 3] ins(%x, %f : tensor<57xf32>, tensor<3xf32>) outs(%o : tensor<28xf32>)
      recipe [unroll(k, 3), vectorize(i, 16), unroll(i, 2), interleave(k)] {
  ^bb0(%a: tensor<57xf32>, %c: tensor<3xf32>, %b: tensor<28xf32>):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<28xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [i | k] (%p = %a[i * 2 + k], %w = %c[k]) -> (%s = %z[i]) : (tensor<57xf32>, tensor<3xf32>) -> tensor<28xf32> {
      %m = arith.mulf %p, %w : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<28xf32>
  } -> tensor<28xf32>
  return %y : tensor<28xf32>
}

// All that a row of few elements has is in one vector under a mask.
// CHECK-LABEL: func private @kernel_short_row_0(
// CHECK-DAG:     %[[TEN:.+]] = arith.constant dense<[true, true, true, true, true, true, true, true, true, true, false,
// CHECK:         %[[ROW:.+]] = vector.maskedload %arg0[%c0], %[[TEN]]
// CHECK:         vector.shuffle %[[ROW]], %[[ROW]] [0, 2, 4, 6, 8,
// CHECK:         vector.shuffle %[[ROW]], %[[ROW]] [1, 3, 5, 7, 9,
// CHECK-NOT:     vector.maskedload %arg0
// CHECK:         return
func.func @short_row(%x: tensor<10xf32>, %o: tensor<5xf32>) -> tensor<5xf32> {
  %y = krnl.kernel "short row" loops [i = 5, k = 2] ins(%x : tensor<10xf32>) outs(%o : tensor<5xf32>)
      recipe [unroll(k, 2), vectorize(i, 16), interleave(k)] {
  ^bb0(%a: tensor<10xf32>, %b: tensor<5xf32>):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<5xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [i | k] (%p = %a[i * 2 + k]) -> (%s = %z[i]) : (tensor<10xf32>) -> tensor<5xf32> {
      %t = arith.maximumf %s, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<5xf32>
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// What a dynamic number of results leaves is read once as well, all of it under
// masks of its elements: two for each result, and one more.
// CHECK-LABEL: func private @kernel_dynamic_row_0(
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : index
// CHECK:         vector.load %arg0
// CHECK:         %[[LEFT:.+]] = arith.subi
// CHECK:         %[[TWICE:.+]] = arith.muli %[[LEFT]], %[[C2]]
// CHECK:         %[[ALL:.+]] = arith.addi %[[TWICE]], %[[C1]]
// CHECK:         vector.create_mask %[[ALL]]
// CHECK-COUNT-3: vector.maskedload %arg0
// CHECK-NOT:     vector.maskedload %arg0
// CHECK:         vector.maskedstore
func.func @dynamic_row(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y = krnl.kernel "dynamic row" loops [i = %n, k = 3] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>)
      recipe [unroll(k, 3), vectorize(i, 16), interleave(k)] {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %n_extent: index):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<?xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [i | k] (%p = %a[i * 2 + k]) -> (%s = %z[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %t = arith.maximumf %s, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// The elements between are left as they are.
// CHECK-LABEL: func private @kernel_between_0(
// CHECK-DAG:     %[[MASK:.+]] = arith.constant dense<[true, false, true, false,
// CHECK-NOT:     vector.scatter
// CHECK:         %[[SPREAD:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK:         vector.maskedstore %arg1[%{{.+}}, %c0], %[[MASK]], %[[SPREAD]]
// CHECK:         vector.maskedstore %arg1[%{{.+}}, %c16], %[[MASK]]
// CHECK-NOT:     vector.scatter
// CHECK:         return
func.func @between(%x: tensor<64xf32>, %o: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %y = krnl.kernel "between" loops [i = 64] ins(%x : tensor<64xf32>) outs(%o : tensor<64x2xf32>)
      recipe [vectorize(i, 16), strided(i, 2)] {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64x2xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i, 0]) : (tensor<64xf32>) -> tensor<64x2xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<64x2xf32>
  } -> tensor<64x2xf32>
  return %y : tensor<64x2xf32>
}

// What lies between the lanes is written by the copies of another loop: two vectors
// become one that is twice as long. The last 8 lanes are 16 elements.
// CHECK-LABEL: func private @kernel_filled_0(
// CHECK:         %[[LOW:.+]] = vector.shuffle %[[V:.+]], %[[V]] [0, 16, 1, 17, 2, 18, 3, 19,
// CHECK:         vector.store %[[LOW]]
// CHECK:         %[[HIGH:.+]] = vector.shuffle %[[V]], %[[V]] [8, 24, 9, 25,
// CHECK:         vector.store %[[HIGH]], %arg1[%{{.+}}, %c16]
// CHECK:         vector.maskedload
// CHECK:         vector.store %{{.+}}, %arg1[%c32, %c0]
// CHECK-NEXT:    }
func.func @filled(%x: tensor<40xf32>, %o: tensor<40x2xf32>) -> tensor<40x2xf32> {
  %y = krnl.kernel "filled" loops [i = 40, r = 2] ins(%x : tensor<40xf32>) outs(%o : tensor<40x2xf32>)
      recipe [order(r, i), unroll(r, 2), vectorize(i, 16), interleave(r)] {
  ^bb0(%a: tensor<40xf32>, %b: tensor<40x2xf32>):
    %t = krnl.compute [i, r] (%p = %a[i]) -> (%q = %b[i, r]) : (tensor<40xf32>) -> tensor<40x2xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %t : tensor<40x2xf32>
  } -> tensor<40x2xf32>
  return %y : tensor<40x2xf32>
}

// Without the step each vector leaves the elements between as they are.
// CHECK-LABEL: func private @kernel_apart_stores_0(
// CHECK:         vector.shuffle %[[V:.+]], %[[V]] [0, 0, 1, 1, 2, 2,
// CHECK:         vector.maskedstore
// CHECK-NOT:     vector.store
// CHECK:         return
func.func @apart_stores(%x: tensor<40xf32>, %o: tensor<40x2xf32>) -> tensor<40x2xf32> {
  %y = krnl.kernel "apart stores" loops [i = 40, r = 2] ins(%x : tensor<40xf32>) outs(%o : tensor<40x2xf32>)
      recipe [order(r, i), unroll(r, 2), vectorize(i, 16), strided(i, 2)] {
  ^bb0(%a: tensor<40xf32>, %b: tensor<40x2xf32>):
    %t = krnl.compute [i, r] (%p = %a[i]) -> (%q = %b[i, r]) : (tensor<40xf32>) -> tensor<40x2xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %t : tensor<40x2xf32>
  } -> tensor<40x2xf32>
  return %y : tensor<40x2xf32>
}

// Without the step lanes are loaded one by one.
// CHECK-LABEL: func private @kernel_gathered_0(
// CHECK:         vector.gather
// CHECK:         return
func.func @gathered(%x: tensor<103xf32>, %o: tensor<52xf32>) -> tensor<52xf32> {
  %y = krnl.kernel "gathered" loops [i = 52] ins(%x : tensor<103xf32>) outs(%o : tensor<52xf32>)
      recipe [vectorize(i, 16)] {
  ^bb0(%a: tensor<103xf32>, %b: tensor<52xf32>):
    %r = krnl.compute [i] (%p = %a[i * 2]) -> (%q = %b[i]) : (tensor<103xf32>) -> tensor<52xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<52xf32>
  } -> tensor<52xf32>
  return %y : tensor<52xf32>
}
