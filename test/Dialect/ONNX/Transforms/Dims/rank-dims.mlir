// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Axes and sizes of the run: their number still says what rank there is.
// CHECK-LABEL: func @from_lengths
// CHECK:         onnx.Squeeze{{.*}} -> tensor<?xf32>
// CHECK:         onnx.Unsqueeze{{.*}} -> tensor<?x?x?x?x?xf32>
// CHECK:         onnx.Expand{{.*}} -> tensor<?x3x4x5xf32>
// CHECK:         onnx.ReduceSum{{.*}} -> tensor<?xf32>
// CHECK:         onnx.ReduceSum{{.*}} -> tensor<?x?x?xf32>
// CHECK:         onnx.Slice{{.*}} -> tensor<?x?x?xf32>
func.func @from_lengths(%x: tensor<3x4x5xf32>, %two: tensor<2xi64>, %four: tensor<4xi64>)
    -> (none, none, none, none, none, none) {
  %0 = onnx.Squeeze(%x) axes(%two) : (tensor<3x4x5xf32>, tensor<2xi64>) -> none
  %1 = onnx.Unsqueeze(%x, %two) : (tensor<3x4x5xf32>, tensor<2xi64>) -> none
  %2 = onnx.Expand(%x, %four) : (tensor<3x4x5xf32>, tensor<4xi64>) -> none
  %3 = onnx.ReduceSum(%x) axes(%two) {keepdims = 0 : i64} : (tensor<3x4x5xf32>, tensor<2xi64>) -> none
  %4 = onnx.ReduceSum(%x) axes(%two) : (tensor<3x4x5xf32>, tensor<2xi64>) -> none
  %5 = onnx.Slice(%x, %two, %two) axes(%two)
      : (tensor<3x4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> none
  return %0, %1, %2, %3, %4, %5 : none, none, none, none, none, none
}

// -----

// No axes at all are all axes, unless the operator says that they are none.
// CHECK-LABEL: func @no_axes
// CHECK:         onnx.ReduceMax{{.*}} -> tensor<f32>
// CHECK:         onnx.ReduceMax{{.*}} -> tensor<?x?xf32>
func.func @no_axes(%x: tensor<3x4xf32>, %none: tensor<0xi64>) -> (none, none) {
  %0 = onnx.ReduceMax(%x) axes(%none) {keepdims = 0 : i64} : (tensor<3x4xf32>, tensor<0xi64>) -> none
  %1 = onnx.ReduceMax(%x) axes(%none) {keepdims = 0 : i64, noop_with_empty_axes = 1 : i64}
      : (tensor<3x4xf32>, tensor<0xi64>) -> none
  return %0, %1 : none, none
}

// -----

// All axes of an unknown rank: without sizes of 1 nothing is left, with them the rank is unknown. A number that is not 1
// keeps no sizes, as onnxruntime has it.
// CHECK-LABEL: func @all_axes
// CHECK:         onnx.ReduceSum{{.*}}keepdims = 0{{.*}} -> tensor<f32>
// CHECK:         onnx.ReduceSum{{.*}} -> tensor<*xf32>
// CHECK:         onnx.ReduceSum{{.*}}keepdims = 2{{.*}} -> tensor<f32>
func.func @all_axes(%x: tensor<*xf32>) -> (none, none, none) {
  %none = onnx.Constant dense<> : tensor<0xi64>
  %0 = onnx.ReduceSum(%x) axes(%none) {keepdims = 0 : i64} : (tensor<*xf32>, tensor<0xi64>) -> none
  %1 = onnx.ReduceSum(%x) axes(%none) {keepdims = 1 : i64} : (tensor<*xf32>, tensor<0xi64>) -> none
  %2 = onnx.ReduceSum(%x) axes(%none) {keepdims = 2 : i64} : (tensor<*xf32>, tensor<0xi64>) -> none
  return %0, %1, %2 : none, none, none
}
