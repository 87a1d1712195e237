// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

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

// A destination with elements that somebody still reads is copied first; one
// that nothing else reads is overwritten.
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

func.func private @k(memref<64xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A new tensor whose size has become known has no elements to copy.
// CHECK-LABEL: func @new_tensor_of_known_size
// CHECK-NOT:     memref.copy
// CHECK:         krnl.launch @k
// CHECK-NOT:     memref.copy
// CHECK:         krnl.launch @k
// CHECK:         return
func.func @new_tensor_of_known_size(%x: tensor<64xf32>) -> tensor<?xf32> {
  %t = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %d = tensor.cast %e : tensor<64xf32> to tensor<?xf32>
  %a = krnl.launch @k ins(%x : tensor<64xf32>) outs(%d : tensor<?xf32>) tiles(%t) -> tensor<?xf32>
  %b = tensor.cast %a : tensor<?xf32> to tensor<64xf32>
  %c = krnl.launch @k ins(%b : tensor<64xf32>) outs(%d : tensor<?xf32>) tiles(%t) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// What is read before the launch alone is overwritten, also by a view of it. A read
// after it, and a loop that takes the buffer, keep the elements.
// CHECK-LABEL: func @destination_read_before
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[A:.+]] :
// CHECK:         memref.load %{{.+}}[
// CHECK:         krnl.launch @k ins(%[[A]] :
// CHECK-NOT:     memref.copy
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[A]] :
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[D:.+]] :
// CHECK:         memref.copy %[[D]], %[[E:.+]] :
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[E]] :
// CHECK:         memref.load %{{.+}}[
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[H:.+]] :
// CHECK:         scf.for
// CHECK:         memref.copy %[[H]], %[[I:.+]] :
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[I]] :
func.func @destination_read_before(%x: tensor<64xf32>) {
  %t = arith.constant 1 : index
  %n = arith.constant 8 : index
  %e = tensor.empty() : tensor<64xf32>
  %a = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %rows = tensor.expand_shape %a [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %element = tensor.extract %rows[%t, %t] : tensor<8x8xf32>
  %read = krnl.launch @k ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %b = krnl.launch @k ins(%x : tensor<64xf32>) outs(%a : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %d = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %view = tensor.expand_shape %d [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %f = krnl.launch @k ins(%x : tensor<64xf32>) outs(%d : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %late = tensor.extract %view[%t, %t] : tensor<8x8xf32>
  %h = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %carried = scf.for %i = %t to %n step %t iter_args(%its = %h) -> tensor<64xf32> {
    scf.yield %its : tensor<64xf32>
  }
  %j = krnl.launch @k ins(%x : tensor<64xf32>) outs(%h : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %last = krnl.launch @k ins(%carried : tensor<64xf32>) outs(%j : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// So is what a loop carries, whose size and elements are read before, and whose
// size may be read after. A read of elements after it keeps them.
// CHECK-LABEL: func @carried_read_before
// CHECK:         scf.while
// CHECK:         ^bb0(%[[I:.+]]: index, %[[A:.+]]: memref<?xf32>, %[[B:.+]]: memref<?xf32>):
// CHECK-DAG:       memref.load %[[A]][%[[I]]]
// CHECK-DAG:       memref.dim %[[A]]
// CHECK:           krnl.launch @k ins(%[[X:.+]] : {{.+}}) outs(%[[A]] :
// CHECK:           memref.copy %[[B]], %[[C:.+]] :
// CHECK:           krnl.launch @k ins(%[[X]] : {{.+}}) outs(%[[C]] :
// CHECK:           memref.load %[[B]][%[[I]]]
func.func @carried_read_before(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %x, %b = %x) : (index, tensor<?xf32>, tensor<?xf32>) -> (index, tensor<?xf32>, tensor<?xf32>) {
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %a, %b : index, tensor<?xf32>, tensor<?xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %element = tensor.extract %a[%i] : tensor<?xf32>
    %zero = arith.constant 0.0 : f32
    %is_zero = arith.cmpf oeq, %element, %zero : f32
    krnl.check %is_zero, "not zero"
    %c = krnl.launch @k ins(%x : tensor<?xf32>) outs(%a : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    %size = tensor.dim %a, %c0 : tensor<?xf32>
    %is_some = arith.cmpi sgt, %size, %c0 : index
    krnl.check %is_some, "empty"
    %d = krnl.launch @k ins(%x : tensor<?xf32>) outs(%b : tensor<?xf32>) tiles(%n) -> tensor<?xf32>
    %old = tensor.extract %b[%i] : tensor<?xf32>
    %is_old = arith.cmpf oeq, %old, %zero : f32
    krnl.check %is_old, "not zero"
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %c, %d : index, tensor<?xf32>, tensor<?xf32>
  }
  return
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// A loop takes over the buffer that it gets a view of, but for one that it gets
// twice, or that is read after.
// CHECK-LABEL: func @view_is_carried
// CHECK:         %[[INIT:.+]] = memref.alloc
// CHECK-NEXT:    memref.copy %arg0, %[[INIT]]
// CHECK-NEXT:    scf.for {{.+}} = %[[INIT]]
// CHECK:           krnl.launch @k ins({{.+}}) outs(%[[R:.+]] :
// CHECK-NEXT:      %[[VIEW:.+]] = memref.{{.+}} %[[R]]
// CHECK-NEXT:      scf.yield %[[VIEW]]
// CHECK-LABEL: func @view_is_carried_twice
// CHECK:         scf.for
// CHECK:           krnl.launch @k ins({{.+}}) outs(%[[R:.+]] :
// CHECK-NEXT:      %[[VIEW:.+]] = memref.{{.+}} %[[R]]
// CHECK-NEXT:      %[[A:.+]] = memref.alloc
// CHECK-NEXT:      memref.copy %[[VIEW]], %[[A]]
// CHECK-NEXT:      %[[B:.+]] = memref.alloc
// CHECK-NEXT:      memref.copy %[[R]], %[[B]]
// CHECK-NEXT:      scf.yield %[[A]], %[[B]]
func.func @view_is_carried(%x: tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> tensor<8x8xf32> {
    %line = tensor.collapse_shape %a [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
    %e = tensor.empty() : tensor<64xf32>
    %b = krnl.launch @k ins(%line : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%c1) -> tensor<64xf32>
    %next = tensor.expand_shape %b [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
    scf.yield %next : tensor<8x8xf32>
  }
  return
}

func.func @view_is_carried_twice(%x: tensor<8x8xf32>, %y: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x, %l = %y) -> (tensor<8x8xf32>, tensor<64xf32>) {
    %line = tensor.collapse_shape %a [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
    %e = tensor.empty() : tensor<64xf32>
    %b = krnl.launch @k ins(%line : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%c1) -> tensor<64xf32>
    %next = tensor.expand_shape %b [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
    scf.yield %next, %b : tensor<8x8xf32>, tensor<64xf32>
  }
  return
}
