// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// As many sizes as the shape of another tensor has: its rank follows.
// CHECK-LABEL: func @shape_of_another
// CHECK:         onnx.Identity(%{{.*}} : (tensor<*xf32>) -> tensor<?x?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @shape_of_another(%x: tensor<*xf32>, %y: tensor<?xf32>) -> tensor<*xf32> {
  %l = onnx.Shape(%x) : (tensor<*xf32>) -> tensor<?xi64>
  %r = onnx.Expand(%y, %l) : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  return %t : tensor<*xf32>
}

// -----

// Four dimensions come of four sizes, so that each slice of the shape has one.
// CHECK-LABEL: func @lengths
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Concat{{.*}} -> tensor<4xi64>
// CHECK-NOT:     onnx.If
func.func @lengths(%x: tensor<*xf32>) -> tensor<*xf32> {
  %h = onnx.Constant dense<[3, -1]> : tensor<2xi64>
  %b = onnx.Shape(%x) {end = 1 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %q = onnx.Shape(%x) {start = -2 : i64, end = -1 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %l = onnx.Concat(%b, %q, %h) {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>, tensor<2xi64>) -> tensor<?xi64>
  %r = onnx.Reshape(%x, %l) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  return %t : tensor<*xf32>
}
