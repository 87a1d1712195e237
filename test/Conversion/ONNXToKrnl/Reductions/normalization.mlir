// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Statistics and results are one kernel, the wanted statistics results of it.
// CHECK-LABEL: func @layer
// CHECK:         krnl.kernel "LayerNormalization"
// CHECK-SAME:    d0 = 2, d1 = 8
// CHECK:         math.sqrt
// CHECK:         krnl.yield %{{.+}}, %{{.+}}, %{{.+}}
// CHECK-NOT:     krnl.kernel
func.func @layer(%x: tensor<2x8xf32>, %s: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %y, %m, %i = "onnx.LayerNormalization"(%x, %s) {operandSegmentSizes = array<i32: 1, 1, 0>, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return %y, %m, %i : tensor<2x8xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// The extreme of a row, then the first place that has it.
// CHECK-LABEL: func @arg_max
// CHECK:         krnl.kernel "ArgMax"
// CHECK:         arith.maximumf
// CHECK:         krnl.index d1
// CHECK:         arith.minsi
// CHECK:         krnl.yield
func.func @arg_max(%x: tensor<2x8xf32>) -> tensor<2x1xi64> {
  %y = "onnx.ArgMax"(%x) {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x1xi64>
  return %y : tensor<2x1xi64>
}

// CHECK-LABEL: func @global_lp
// CHECK:         krnl.kernel "GlobalLpPool"
// CHECK:         math.powf
// CHECK:         math.powf
func.func @global_lp(%x: tensor<2x3x?xf32>) -> tensor<2x3x1xf32> {
  %y = "onnx.GlobalLpPool"(%x) {p = 3 : i64} : (tensor<2x3x?xf32>) -> tensor<2x3x1xf32>
  return %y : tensor<2x3x1xf32>
}
