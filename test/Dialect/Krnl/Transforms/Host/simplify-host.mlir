// RUN: onnx-opt %s --krnl-simplify-host | FileCheck %s

// The size folds into the type of the tensor outside; the copy inside the
// kernel stays, which the general canonicalizer would erase.
// CHECK-LABEL: func @sizes_fold_copies_stay
// CHECK-NOT:     arith.addi
// CHECK:         tensor.empty() : tensor<4xf32>
// CHECK:         krnl.kernel "copy"
// CHECK:           krnl.compute
// CHECK:             linalg.yield
func.func @sizes_fold_copies_stay(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant 2 : index
  %four = arith.addi %two, %two : index
  %o = tensor.empty(%four) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?xf32>
  %y = krnl.kernel "copy" loops [i = %i_size] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Bytes of sizes that are known: 2 * 3 floats in a buffer of 64 bytes, and more
// than any buffer where no memory holds them.
// CHECK-LABEL: func.func @known_bytes
// CHECK-DAG:     %[[FEW:.+]] = arith.constant 64 : index
// CHECK-DAG:     %[[MUCH:.+]] = arith.constant 140737488355328 : index
// CHECK:         %[[OPEN:.+]] = krnl.buffer_bytes(%{{.+}}) : memref<?xf32>
// CHECK:         return %[[FEW]], %{{c64.*}}, %[[MUCH]], %[[OPEN]]
func.func @known_bytes(%n: index) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %huge = arith.constant 2305843009213693952 : index
  %a = krnl.buffer_bytes(%c2) : memref<?x3xf32>
  %b = krnl.buffer_bytes(%c0) : memref<?x3xf32>
  %c = krnl.buffer_bytes(%huge, %c0) : memref<?x?xf32>
  %d = krnl.buffer_bytes(%n) : memref<?xf32>
  return %a, %b, %c, %d : index, index, index, index
}

// What a condition means inside of its branches is not looked for: each scf.if
// would look at all users of the condition, of which there may be thousands.
// CHECK-LABEL: func.func @conditions_stay
// CHECK-SAME:    (%[[OK:.+]]: i1, %[[X:.+]]: i1)
// CHECK:         scf.if %[[OK]]
// CHECK:           krnl.check %[[OK]], "again"
func.func @conditions_stay(%ok: i1, %x: i1) {
  scf.if %ok {
    krnl.check %x, "other"
    krnl.check %ok, "again"
  }
  return
}

// What was multiplied is divided again: 12 by 4. Other quotients stay.
// CHECK-LABEL: func.func @quotients
// CHECK:         %[[REST:.+]] = arith.muli %arg0, %c3
// CHECK:         %[[OTHER:.+]] = arith.floordivsi
// CHECK:         return %[[REST]], %arg0, %[[OTHER]]
func.func @quotients(%n: index) -> (index, index, index) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c12 = arith.constant 12 : index
  %whole = arith.muli %n, %c12 : index
  %rest = arith.floordivsi %whole, %c4 : index
  %all = arith.floordivsi %whole, %c12 : index
  %other = arith.floordivsi %whole, %c5 : index
  return %rest, %all, %other : index, index, index
}
