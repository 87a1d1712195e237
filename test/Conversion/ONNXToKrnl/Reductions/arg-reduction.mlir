// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The last of the smallest: places that are none are before all others.
// CHECK-LABEL: func.func @last_of_the_smallest
// CHECK:         krnl.kernel "ArgMin" loops [d0 = %{{[^],]+}}, d1 = 8]
// CHECK:           %[[MOST:.+]] = arith.constant 2147483647 : i32
// CHECK:             linalg.yield %[[MOST]]
// CHECK:             arith.minsi {{.+}} : i32
// CHECK:           %[[NONE:.+]] = arith.constant -1 : i64
// CHECK:             krnl.index d1
// CHECK:             arith.select %{{.+}}, %{{.+}}, %[[NONE]]
// CHECK-NEXT:        arith.maxsi {{.+}} : i64
// CHECK:         tensor.reshape {{.+}} -> tensor<?xi64>
func.func @last_of_the_smallest(%x: tensor<?x8xi32>) -> tensor<?xi64> {
  %y = "onnx.ArgMin"(%x) {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<?x8xi32>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// An empty axis has no largest element.
// CHECK-LABEL: func.func @axis_of_the_run
// CHECK:         krnl.check %{{.+}}, "the axis is empty, so that no element is an extreme"
// CHECK:         krnl.kernel "ArgMax" loops [d0 = 2, d1 = %{{[^],]+}}]
func.func @axis_of_the_run(%x: tensor<2x?xf32>) -> tensor<2x1xi64> {
  %y = "onnx.ArgMax"(%x) {axis = 1 : i64} : (tensor<2x?xf32>) -> tensor<2x1xi64>
  return %y : tensor<2x1xi64>
}

// Windows carry the largest element and its place side by side.
// CHECK-LABEL: func.func @places_of_a_pool
// CHECK:         krnl.kernel "MaxPool" loops [d0 = 1, d1 = 1, d2 = 2, d3 = 2, k0 = 2, k1 = 2]
// CHECK:           linalg.yield %{{.+}}, %{{.+}} : f32, i64
func.func @places_of_a_pool(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) {
  %y, %i = "onnx.MaxPool"(%x) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  return %y, %i : tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>
}
