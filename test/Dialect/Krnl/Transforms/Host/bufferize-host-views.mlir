// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

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

func.func private @k(memref<?x?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// So it is where collapsed loops have written the result, and its sizes are found
// again.
// CHECK-LABEL: func @output_through_dynamic_expansion
// CHECK:         %[[Y:.+]] = krnl.output 0(%{{.+}}, %{{.+}}) : memref<?x?xf32>
// CHECK:         %[[O:.+]] = memref.reinterpret_cast %[[Y]] {{.+}} to memref<?xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[O]] :
// CHECK-NOT:     memref.copy
func.func @output_through_dynamic_expansion(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %t : tensor<?x?xf32>
  %mn = arith.muli %m, %n : index
  %e = tensor.empty(%mn) : tensor<?xf32>
  %0 = krnl.launch @k ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) tiles(%t) -> tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A check after the launch may find that the output has fewer elements.
// CHECK-LABEL: func @reshape_checked_after
// CHECK:         krnl.launch @k {{.+}} outs(%[[B:.+]] :
// CHECK:         krnl.check
// CHECK:         %[[Y:.+]] = krnl.output 0
// CHECK-NEXT:    memref.copy
func.func @reshape_checked_after(%x: tensor<?xf32>, %rows: tensor<index>) -> tensor<?x4xf32> {
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

// Whatever is checked after the launch: the output has as many elements.
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
