// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Negative axes count from the end.
// CHECK-LABEL: func @axes
// CHECK:         onnx.Concat{{.*}}["a", "4", "b * 2"]
// CHECK:         onnx.Concat{{.*}}["a * 2", "4", "b"]
func.func @axes(%x: tensor<?x4x?xf32> {onnx.dims = ["a", "", "b"]}) -> (none, none) {
  %0 = onnx.Concat(%x, %x) {axis = -1 : i64} : (tensor<?x4x?xf32>, tensor<?x4x?xf32>) -> none
  %1 = onnx.Concat(%x, %x) {axis = -3 : i64} : (tensor<?x4x?xf32>, tensor<?x4x?xf32>) -> none
  return %0, %1 : none, none
}

// -----

// Elements of a list that is not a constant have names: two tensors that are made of them
// have the same sizes.
// CHECK-LABEL: func @elements
// CHECK:         onnx.Expand{{.*}}["[[SIZE:[^"]+]]"]
// CHECK:         onnx.ConstantOfShape{{.*}}["[[SIZE]]"]
func.func @elements(%x: tensor<1xf32>, %s: tensor<1xi64>) -> (none, none) {
  %0 = onnx.ConstantOfShape(%s) : (tensor<1xi64>) -> none
  %1 = onnx.Expand(%0, %s) : (none, tensor<1xi64>) -> none
  %2 = onnx.ConstantOfShape(%s) : (tensor<1xi64>) -> none
  return %1, %2 : none, none
}

// -----

// Constants of floats: scales.
// CHECK-LABEL: func @floats
// CHECK:         onnx.Resize{{.*}}["1", "1", "a * 2"]
func.func @floats(%x: tensor<1x1x?xf32> {onnx.dims = ["", "", "a"]}) -> none {
  %s = onnx.Constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %0 = onnx.Resize(%x) scales(%s) : (tensor<1x1x?xf32>, tensor<3xf32>) -> none
  return %0 : none
}
