// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Each index is looked up where it is used; negative ones count from the end,
// and what is out of range ends the run.
// CHECK-LABEL: func.func @rows
// CHECK:         krnl.kernel "Gather" loops [d0 = %{{[^],]+}}, d1 = 8]
// CHECK:           %[[I:.+]] = krnl.wrap_index %{{.+}}, %{{.+}}, "an index is out of range"
// CHECK:           tensor.extract %{{.+}}[%[[I]], %{{.+}}] : tensor<4x8xf32>
func.func @rows(%x: tensor<4x8xf32>, %i: tensor<?xi64>) -> tensor<?x8xf32> {
  %y = "onnx.Gather"(%x, %i) : (tensor<4x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @elements
// CHECK:         krnl.kernel "GatherElements" loops [d0 = 2, d1 = 8]
// CHECK:           %[[AT:.+]] = tensor.extract %{{.+}} : tensor<2x8xi32>
// CHECK:           %[[INDEX:.+]] = arith.index_cast %[[AT]] : i32 to index
// CHECK:           krnl.wrap_index %[[INDEX]]
func.func @elements(%x: tensor<4x8xf32>, %i: tensor<2x8xi32>) -> tensor<2x8xf32> {
  %y = "onnx.GatherElements"(%x, %i) : (tensor<4x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// An index of one number names a row, all of which is taken.
// CHECK-LABEL: func.func @tuples
// CHECK:         krnl.kernel "GatherND" loops [d0 = 3, d1 = 8]
// CHECK:           %[[I:.+]] = krnl.wrap_index
// CHECK:           tensor.extract %{{.+}}[%[[I]], %{{.+}}] : tensor<4x8xf32>
func.func @tuples(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) -> tensor<3x8xf32> {
  %y = "onnx.GatherND"(%x, %i) : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// One known index is a place in the tensor, which needs no check.
// CHECK-LABEL: func.func @one_known
// CHECK:         krnl.kernel "Gather" loops [d0 = %{{[^],]+}}, d1 = 8]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d0, 2, d1]) -> (%{{.+}} = %{{.+}}[d0, d1])
func.func @one_known(%x: tensor<?x3x8xf32>) -> tensor<?x8xf32> {
  %i = onnx.Constant dense<-1> : tensor<i64>
  %y = "onnx.Gather"(%x, %i) {axis = 1 : i64} : (tensor<?x3x8xf32>, tensor<i64>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// An index that is out of range ends the run.
// CHECK-LABEL: func.func @one_out_of_range
// CHECK:         krnl.wrap_index %{{.+}}, %{{.+}}, "an index is out of range"
func.func @one_out_of_range(%x: tensor<2x3x8xf32>) -> tensor<2x8xf32> {
  %i = onnx.Constant dense<3> : tensor<i64>
  %y = "onnx.Gather"(%x, %i) {axis = 1 : i64} : (tensor<2x3x8xf32>, tensor<i64>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
