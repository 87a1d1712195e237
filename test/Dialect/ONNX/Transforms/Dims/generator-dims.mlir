// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func @generators
// CHECK:         onnx.Range{{.*}}["n"]
// CHECK:         onnx.ConstantOfShape{{.*}}["n * 4"]
func.func @generators(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}) -> (none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %one = onnx.Constant dense<1> : tensor<i64>
  %shape = onnx.Shape(%x) : (tensor<?x4xf32>) -> none
  %n = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %0 = onnx.Range(%zero, %n, %one) : (tensor<i64>, none, tensor<i64>) -> none
  %size = onnx.Size(%x) : (tensor<?x4xf32>) -> none
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %vector = onnx.Unsqueeze(%size, %axes) : (none, tensor<1xi64>) -> none
  %1 = onnx.ConstantOfShape(%vector) : (none) -> none
  return %0, %1 : none, none
}

// -----

// CHECK-LABEL: func @mel_weights
// CHECK:         onnx.MelWeightMatrix{{.*}} -> tensor<9x?xf32>
func.func @mel_weights(%bins: tensor<i64>, %rate: tensor<i64>, %edge: tensor<f32>) -> none {
  %length = onnx.Constant dense<16> : tensor<i64>
  %0 = onnx.MelWeightMatrix(%bins, %length, %rate, %edge, %edge)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> none
  return %0 : none
}

// -----

// CHECK-LABEL: func @largest_and_one_hot
// CHECK:         onnx.TopK{{.*}}["n", "m"], ["n", "m"]
// CHECK:         onnx.OneHot{{.*}}["n", "m", "8"]
func.func @largest_and_one_hot(%x: tensor<?x8xf32> {onnx.dims = ["n", ""]},
                               %y: tensor<?xf32> {onnx.dims = ["m"]},
                               %i: tensor<?x8xi64> {onnx.dims = ["n", ""]},
                               %values: tensor<2xf32>) -> (none, none, none) {
  %m = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %0:2 = onnx.TopK(%x, %m) : (tensor<?x8xf32>, none) -> (none, none)
  %1 = onnx.OneHot(%i, %m, %values) {axis = 1 : i64} : (tensor<?x8xi64>, none, tensor<2xf32>) -> none
  return %0#0, %0#1, %1 : none, none, none
}

// -----

// A range that counts down, and one whose step is not a constant.
// CHECK-LABEL: func @ranges
// CHECK:         onnx.Range{{.*}}["(n + 1) floordiv 2"]
// CHECK:         onnx.Range{{.*}}["u{{[0-9]+}}"]
func.func @ranges(%x: tensor<?xf32> {onnx.dims = ["n"]}, %step: tensor<i64>) -> (none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %down = onnx.Constant dense<-2> : tensor<i64>
  %shape = onnx.Shape(%x) : (tensor<?xf32>) -> none
  %n = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %0 = onnx.Range(%n, %zero, %down) : (none, tensor<i64>, tensor<i64>) -> none
  %1 = onnx.Range(%zero, %n, %step) : (tensor<i64>, none, tensor<i64>) -> none
  return %0, %1 : none, none
}
