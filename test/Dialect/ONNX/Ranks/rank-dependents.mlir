// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// Sequences of maps, which models may not return from an If, come out of
// variants.
// CHECK-LABEL: func @maps
// CHECK:         onnx.If{{.*}}onnx.alternatives{{.*}} -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
func.func @maps(%x: tensor<*xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>> {
  %y = onnx.ml.ZipMap(%x) {classlabels_int64s = array<i64: 3, 4>} : (tensor<*xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  return %y : !onnx.seq<!onnx.map<i64, tensor<f32>>>
}

// -----

// The length of one slice says how long all lists are that are joined of it:
// two variants, one in the other's else, and not two for each list.
// CHECK-LABEL: func @one_length
// CHECK:         onnx.alternatives
// CHECK-NOT:     onnx.alternatives
// CHECK:         return
func.func @one_length(%x: tensor<*xf32>, %d: tensor<2x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %two = onnx.Constant dense<[2, 3]> : tensor<2xi64>
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %size = onnx.Shape(%x) {end = 1 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %a = onnx.Concat(%size, %two) {axis = 0 : i64} : (tensor<?xi64>, tensor<2xi64>) -> tensor<?xi64>
  %b = onnx.Concat(%one, %size, %two) {axis = 0 : i64} : (tensor<1xi64>, tensor<?xi64>, tensor<2xi64>) -> tensor<?xi64>
  %e = onnx.Expand(%d, %a) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  %f = onnx.Expand(%d, %b) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  %s = onnx.Softmax(%e) : (tensor<*xf32>) -> tensor<*xf32>
  return %s, %f : tensor<*xf32>, tensor<*xf32>
}
