// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// The chain's last launch writes the graph output itself; names and types of
// the border become attributes.
// CHECK-LABEL: func @output_in_place(%arg0: memref<64xf32>)
// CHECK-SAME:    krnl.inputs = [{dims = ["n"], name = "x", type = tensor<64xf32>}]
// CHECK-SAME:    krnl.outputs = [{name = "y", type = tensor<64xf32>}]
// CHECK:         %[[T:.+]] = memref.alloc() : memref<64xf32>
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[T]] :
// CHECK:         %[[Y:.+]] = krnl.output 0() : memref<64xf32>
// CHECK:         krnl.launch @k ins(%[[T]] : {{.+}}) outs(%[[Y]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @output_in_place(%x: tensor<64xf32> {onnx.name = "x", onnx.dims = ["n"]})
    -> (tensor<64xf32> {onnx.name = "y"}) {
  %t = arith.constant 4 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %1 = krnl.launch @k ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// A reshaped output is written through its old shape.
// CHECK-LABEL: func @output_through_reshape
// CHECK:         %[[Y:.+]] = krnl.output 0() : memref<8x8xf32>
// CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %[[Y]]
// CHECK:         krnl.launch @k {{.+}} outs(%[[FLAT]] : memref<64xf32>)
// CHECK-NOT:     memref.copy
func.func @output_through_reshape(%x: tensor<64xf32>) -> tensor<8x8xf32> {
  %t = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// What the last launch writes over is in the graph output from the first.
// CHECK-LABEL: func @output_written_over
// CHECK:         %[[Y:.+]] = krnl.output 0() : memref<8x8xf32>
// CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %[[Y]]
// CHECK:         krnl.launch @k {{.+}} outs(%[[FLAT]] : memref<64xf32>)
// CHECK:         krnl.launch @k {{.+}} outs(%[[FLAT]] : memref<64xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @output_written_over(%x: tensor<64xf32>) -> tensor<8x8xf32> {
  %t = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %1 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%0 : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// An input that is written over is copied there; a result that is returned, too,
// keeps its own output.
// CHECK-LABEL: func @copy_written_over
// CHECK:         %[[Y:.+]] = krnl.output 1() : memref<64xf32>
// CHECK-NEXT:    memref.copy %arg0, %[[Y]]
// CHECK-NEXT:    krnl.launch @k {{.+}} outs(%[[Y]] :
// CHECK-NEXT:    %[[Z:.+]] = krnl.output 0() : memref<64xf32>
// CHECK-NEXT:    memref.copy %[[Y]], %[[Z]]
// CHECK-NEXT:    krnl.launch @k {{.+}} outs(%[[Z]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @copy_written_over(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = arith.constant 1 : index
  %0 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %1 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%0 : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return %1, %0 : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// An input, a constant and a value given twice are copied.
// CHECK-LABEL: module
// CHECK-SAME:    krnl.weights = [{offset = 0 : i64, value = dense<1.000000e+00> : tensor<64xf32>}]
// CHECK-SAME:    krnl.weights_bytes = 256
// CHECK-LABEL: func @outputs_that_are_copied
// CHECK-DAG:     %[[W:.+]] = krnl.weight_view[0] : memref<64xf32>
// CHECK-DAG:     %[[Y2:.+]] = krnl.output 2() : memref<64xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[Y2]] :
// CHECK:         %[[Y0:.+]] = krnl.output 0()
// CHECK-NEXT:    memref.copy %arg0, %[[Y0]]
// CHECK-NEXT:    %[[Y1:.+]] = krnl.output 1()
// CHECK-NEXT:    memref.copy %[[W]], %[[Y1]]
// CHECK-NEXT:    %[[Y3:.+]] = krnl.output 3()
// CHECK-NEXT:    memref.copy %[[Y2]], %[[Y3]]
func.func @outputs_that_are_copied(%x: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %t = arith.constant 1 : index
  %w = krnl.constant dense<1.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%w : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return %x, %w, %0, %0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// A destination with elements that somebody still reads is copied first; one
// that nobody else reads is overwritten.
// CHECK-LABEL: func @destination_with_elements
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[A:.+]] :
// CHECK:         %[[C:.+]] = memref.alloc
// CHECK:         memref.copy %[[A]], %[[C]]
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[C]] :
// CHECK:         krnl.launch @k ins(%[[A]] : {{.+}}) outs(%[[C]] :
func.func @destination_with_elements(%x: tensor<64xf32>) {
  %t = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %a = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %b = krnl.launch @k ins(%x : tensor<64xf32>) outs(%a : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %c = krnl.launch @k ins(%a : tensor<64xf32>) outs(%b : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A loop owns what it carries: the input is copied in, the body's own result is
// handed over, and the result is copied out.
// CHECK-LABEL: func @loop
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         %[[INIT:.+]] = memref.alloc
// CHECK:         memref.copy %arg0, %[[INIT]]
// CHECK:         %[[R:.+]] = scf.for {{.+}} iter_args(%[[A:.+]] = %[[INIT]]) -> (memref<?xf32>)
// CHECK:           %[[B:.+]] = memref.alloc(%[[N]])
// CHECK:           krnl.launch @k ins(%[[A]] : {{.+}}) outs(%[[B]] :
// CHECK:           scf.yield %[[B]]
// CHECK:         %[[Y:.+]] = krnl.output 0
// CHECK:         memref.copy %[[R]], %[[Y]]
func.func @loop(%x: tensor<?xf32>, %count: tensor<index>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %trips = tensor.extract %count[] : tensor<index>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A branch hands over its own result, and a copy of what is not its own.
// CHECK-LABEL: func @branch
// CHECK:         %[[R:.+]] = scf.if %{{.+}} -> (memref<?xf32>)
// CHECK:           %[[B:.+]] = memref.alloc
// CHECK:           krnl.launch @k {{.+}} outs(%[[B]] :
// CHECK:           scf.yield %[[B]]
// CHECK:         else
// CHECK:           %[[C:.+]] = memref.alloc
// CHECK:           memref.copy %arg0, %[[C]]
// CHECK:           scf.yield %[[C]]
// CHECK:         krnl.launch @k ins(%[[R]] :
func.func @branch(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.launch @k ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A branch that gives a graph output makes it in each way.
// CHECK-LABEL: func @output_of_branch
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         scf.if %{{.+}} {
// CHECK:           %[[Y:.+]] = krnl.output 0(%[[N]]) : memref<?xf32>
// CHECK-NEXT:      krnl.launch @k {{.+}} outs(%[[Y]] :
// CHECK-NEXT:    } else {
// CHECK:           %[[Z:.+]] = krnl.output 0(%{{.+}}) : memref<?xf32>
// CHECK-NEXT:      memref.copy %arg0, %[[Z]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @output_of_branch(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A reshape between dynamic sizes that are known before the launch: the output has
// these sizes, and the launch sees it with its own.
// CHECK-LABEL: func @output_through_dynamic_reshape
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         %[[Y:.+]] = krnl.output 0(%{{.+}}) : memref<?x4xf32>
// CHECK:         %[[O:.+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]]]
// CHECK:         krnl.launch @k {{.+}} outs(%[[O]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @output_through_dynamic_reshape(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rows = arith.divui %n, %c4 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  %shape = tensor.from_elements %rows, %c4 : tensor<2xindex>
  %y = tensor.reshape %b(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A check behind the launch may find that the output has fewer elements.
// CHECK-LABEL: func @reshape_checked_behind
// CHECK:         krnl.launch @k {{.+}} outs(%[[B:.+]] :
// CHECK:         krnl.check
// CHECK:         %[[Y:.+]] = krnl.output 0
// CHECK-NEXT:    memref.copy
func.func @reshape_checked_behind(%x: tensor<?xf32>, %rows: tensor<index>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = tensor.extract %rows[] : tensor<index>
  %e = tensor.empty(%n) : tensor<?xf32>
  %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  %count = arith.muli %r, %c4 : index
  %fits = arith.cmpi eq, %count, %n : index
  krnl.check %fits, "the sizes differ"
  %shape = tensor.from_elements %r, %c4 : tensor<2xindex>
  %y = tensor.reshape %b(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// Whatever is checked behind the launch: the output has as many elements.
// CHECK-LABEL: func @reshape_of_a_product
// CHECK:         %[[Y:.+]] = krnl.output 0(%{{.+}}) : memref<?x4xf32>
// CHECK:         %[[O:.+]] = memref.reinterpret_cast %[[Y]]
// CHECK:         krnl.launch @k {{.+}} outs(%[[O]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @reshape_of_a_product(%x: tensor<?xf32>, %rows: tensor<index>) -> tensor<?x4xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = tensor.extract %rows[] : tensor<index>
  %half = arith.muli %c2, %r : index
  %n = arith.muli %half, %c2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %b = krnl.launch @k ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
  %fits = arith.cmpi sge, %r, %c2 : index
  krnl.check %fits, "too few rows"
  %shape = tensor.from_elements %r, %c4 : tensor<2xindex>
  %y = tensor.reshape %b(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A while loop: carried in, through the condition, and out.
// CHECK-LABEL: func @while_loop
// CHECK:         %[[R:.+]] = scf.while (%[[A:.+]] = %{{.+}}) : (memref<i64>) -> memref<i64>
// CHECK:           %[[V:.+]] = memref.load %[[A]][]
// CHECK:           scf.condition(%{{.+}}) %[[A]]
// CHECK:         ^bb0(%[[B:.+]]: memref<i64>):
// CHECK:           %[[NEXT:.+]] = memref.alloc() : memref<i64>
// CHECK:           memref.store %{{.+}}, %[[NEXT]][]
// CHECK:           scf.yield %[[NEXT]]
func.func @while_loop(%x: tensor<i64>) -> tensor<i64> {
  %c10 = arith.constant 10 : i64
  %r = scf.while (%a = %x) : (tensor<i64>) -> tensor<i64> {
    %v = tensor.extract %a[] : tensor<i64>
    %less = arith.cmpi slt, %v, %c10 : i64
    scf.condition(%less) %a : tensor<i64>
  } do {
  ^bb0(%b: tensor<i64>):
    %v = tensor.extract %b[] : tensor<i64>
    %w = arith.addi %v, %v : i64
    %next = tensor.from_elements %w : tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %r : tensor<i64>
}

// -----

// Reshapes of all kinds are the same buffer with other sizes.
// CHECK-LABEL: func @views
// CHECK-DAG:     %[[N:.+]] = memref.dim %arg0, %c0
// CHECK:         %[[FLAT:.+]] = arith.muli %{{.+}}, %c4
// CHECK:         memref.reinterpret_cast %arg0 to offset: [0], sizes: [%[[FLAT]]], strides: [1]
// CHECK:         memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg1, 2, 2], strides: [4, 2, 1]
// CHECK:         memref.reinterpret_cast %arg0 to offset: [0], sizes: [4, %arg1], strides: [%arg1, 1]
func.func @views(%x: tensor<?x4xf32>, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %b = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  %shape = tensor.from_elements %c4, %n : tensor<2xindex>
  %c = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<4x?xf32>
  %0 = tensor.extract %a[%c0] : tensor<?xf32>
  %1 = tensor.extract %b[%c0, %c0, %c0] : tensor<?x2x2xf32>
  %2 = tensor.extract %c[%c0, %c0] : tensor<4x?xf32>
  return %0, %1, %2 : f32, f32, f32
}

// -----

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

// -----

func.func @no_host_op(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tensor.empty() : tensor<2xf32>
  // expected-error @+1 {{cannot be part of the host program on tensors}}
  %1 = linalg.exp ins(%x : tensor<2xf32>) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
