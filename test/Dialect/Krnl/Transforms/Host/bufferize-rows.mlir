// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

// A loop appends to the buffer that it carries, which is only replaced where
// there is no more room; the result shows what has been filled.
// CHECK-LABEL: func @rows
// CHECK:         scf.while (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) : (index, memref<?x4xf32>)
// CHECK:         ^bb0(%[[I:.+]]: index, %[[ROWS:.+]]: memref<?x4xf32>):
// CHECK:           %[[ROOM:.+]] = memref.dim %[[ROWS]]
// CHECK-NEXT:      %[[FULL:.+]] = arith.cmpi sge, %[[I]], %[[ROOM]]
// CHECK:           %[[ALL:.+]] = scf.if %[[FULL]]
// CHECK:             %[[LARGER:.+]] = memref.alloc(
// CHECK:             memref.copy
// CHECK:             krnl.release %[[ROWS]]
// CHECK-NEXT:        scf.yield %[[LARGER]]
// CHECK:             scf.yield %[[ROWS]]
// CHECK:           %[[PLACE:.+]] = krnl.row_view %[[ALL]][%[[I]]]
// CHECK:           memref.copy %arg0, %[[PLACE]]
// CHECK:           scf.yield %{{.+}}, %[[ALL]]
// CHECK:         memref.reinterpret_cast
func.func @rows(%x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = tensor.empty(%c0) : tensor<?x4xf32>
  %r:2 = scf.while (%i = %c0, %rows = %none) : (index, tensor<?x4xf32>) -> (index, tensor<?x4xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %rows : index, tensor<?x4xf32>
  } do {
  ^bb0(%i: index, %rows: tensor<?x4xf32>):
    %next = krnl.append_row %x to %rows[%i] of %n : tensor<4xf32> to tensor<?x4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, tensor<?x4xf32>
  }
  %all = krnl.first_rows %r#1[%r#0] : tensor<?x4xf32>
  return %all : tensor<?x4xf32>
}

// -----

// The size of the rows is read before one is added, which needs no copy.
// CHECK-LABEL: func.func @rows_with_a_size
// CHECK:         scf.while
// CHECK:         ^bb0(%{{.+}}: index, %[[ROWS:.+]]: memref<?x?xf32>):
// CHECK-NEXT:      memref.dim %[[ROWS]], %c1
// CHECK-NOT:       memref.copy %[[ROWS]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[ROWS]]
func.func @rows_with_a_size(%x: tensor<?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %none = tensor.empty(%c0, %c0) : tensor<?x?xf32>
  %r:2 = scf.while (%i = %c0, %rows = %none) : (index, tensor<?x?xf32>) -> (index, tensor<?x?xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %rows : index, tensor<?x?xf32>
  } do {
  ^bb0(%i: index, %rows: tensor<?x?xf32>):
    %known = tensor.dim %rows, %c1 : tensor<?x?xf32>
    %same = arith.cmpi eq, %known, %size : index
    krnl.check %same, "the rows differ in shape"
    %next = krnl.append_row %x to %rows[%i] of %n : tensor<?xf32> to tensor<?x?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, tensor<?x?xf32>
  }
  %all = krnl.first_rows %r#1[%r#0] : tensor<?x?xf32>
  return %all : tensor<?x?xf32>
}

// -----

// With room for all rows from the beginning nothing grows, and what has not been
// written is not copied.
// CHECK-LABEL: func.func @rows_of_known_number
// The buffer of the empty tensor itself has no use.
// CHECK:         memref.alloc() : memref<5x4xf32>
// CHECK-NOT:     memref.copy
// CHECK:         %[[ROWS:[^ ]+]] = memref.alloc() : memref<5x4xf32>
// CHECK-NEXT:    scf.while (%{{.+}} = %c0{{.*}}, %{{.+}} = %[[ROWS]])
// CHECK:         ^bb0(%[[I:.+]]: index, %[[ALL:.+]]: memref<5x4xf32>):
// CHECK-NOT:       memref.alloc
// CHECK:           %[[PLACE:.+]] = krnl.row_view %[[ALL]][%[[I]]]
// CHECK:           memref.copy %arg0, %[[PLACE]]
// CHECK:           scf.yield %{{.+}}, %[[ALL]]
func.func @rows_of_known_number(%x: tensor<4xf32>) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %none = tensor.empty() : tensor<5x4xf32>
  %r:2 = scf.while (%i = %c0, %rows = %none) : (index, tensor<5x4xf32>) -> (index, tensor<5x4xf32>) {
    %more = arith.cmpi slt, %i, %c5 : index
    scf.condition(%more) %i, %rows : index, tensor<5x4xf32>
  } do {
  ^bb0(%i: index, %rows: tensor<5x4xf32>):
    %next = krnl.append_row %x to %rows[%i] of %c5 : tensor<4xf32> to tensor<5x4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, tensor<5x4xf32>
  }
  return %r#1 : tensor<5x4xf32>
}
