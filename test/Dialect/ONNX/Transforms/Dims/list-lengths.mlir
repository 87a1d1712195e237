// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// A third size that has to be there says that there is a second one.
// CHECK-LABEL: func @slices
// CHECK:         %[[SECOND:.+]] = onnx.Shape(%arg0) {end = 2 : i64{{.*}}start = 1 : i64}
// CHECK:         onnx.Identity(%[[SECOND]]) : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Shape(%arg0) {end = 3 : i64{{.*}}start = 2 : i64}
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<?x1xf32>
func.func @slices(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %second = onnx.Shape(%x) {start = 1 : i64, end = 2 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %third = onnx.Shape(%x) {start = 2 : i64, end = 3 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %l = onnx.Concat(%third, %one) {axis = 0 : i64} : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %r = onnx.Reshape(%x, %l) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %m = onnx.Concat(%second, %one) {axis = 0 : i64} : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %z = onnx.ConstantOfShape(%m) : (tensor<?xi64>) -> tensor<*xf32>
  return %t, %z : tensor<*xf32>, tensor<*xf32>
}

// -----

// How long the data are says nothing of the rank after run-time axes.
// CHECK-LABEL: func @integers_by_axes
// CHECK-NOT:     -> tensor<0xi64>
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
func.func @integers_by_axes(%x: tensor<?xi64>, %axes: tensor<?xi64>) -> tensor<*xi64> {
  %u = onnx.Unsqueeze(%x, %axes) : (tensor<?xi64>, tensor<?xi64>) -> tensor<*xi64>
  %i = onnx.Transpose(%u) {perm = array<i64: 1, 0>} : (tensor<*xi64>) -> tensor<*xi64>
  return %i : tensor<*xi64>
}
