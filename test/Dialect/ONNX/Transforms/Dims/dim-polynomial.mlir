// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Sums and products have one form: terms of higher degree first, the constant last, equal
// terms added up.
// CHECK-LABEL: func @sums
// CHECK:         onnx.Concat{{.*}}["a * 2 + b"]
// CHECK:         onnx.Concat{{.*}}["a * 2 + b"]
// CHECK:         onnx.Add{{.*}}["a * 2 + b"]
func.func @sums(%x: tensor<?xf32> {onnx.dims = ["a"]}, %y: tensor<?xf32> {onnx.dims = ["b"]}) -> none {
  %0 = onnx.Concat(%x, %y, %x) {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> none
  %1 = onnx.Concat(%y, %x, %x) {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> none
  %2 = onnx.Add(%0, %1) : (none, none) -> none
  return %2 : none
}

// -----

// Whole parts leave a division, and what has a common factor with the divisor loses it:
// (4 a + 3 - 2) floordiv 2 + 1 = 2 a + 1.
// CHECK-LABEL: func @divisions
// CHECK:         onnx.Concat{{.*}}["1", "1", "a * 4 + 3"]
// CHECK:         onnx.MaxPool{{.*}}["1", "1", "a * 2 + 1"]
// CHECK:         onnx.MaxPool{{.*}}["1", "1", "a"]
func.func @divisions(%x: tensor<1x1x?xf32> {onnx.dims = ["", "", "a"]}, %y: tensor<1x1x3xf32>) -> none {
  %0 = onnx.Concat(%x, %x, %x, %x, %y) {axis = 2 : i64}
      : (tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x3xf32>) -> none
  %1 = onnx.MaxPool(%0) {kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (none) -> (none)
  %2 = onnx.MaxPool(%1) {kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (none) -> (none)
  return %2 : none
}

// -----

// An exact division of a product cancels its factor.
// CHECK-LABEL: func @exact
// CHECK:         onnx.Reshape{{.*}}["a * b"]
// CHECK:         onnx.Reshape{{.*}}["b", "a"]
func.func @exact(%x: tensor<?x?xf32> {onnx.dims = ["a", "b"]}) -> none {
  %flat = onnx.Constant dense<-1> : tensor<1xi64>
  %b = onnx.Shape(%x) {start = 1 : i64} : (tensor<?x?xf32>) -> none
  %0 = onnx.Reshape(%x, %flat) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  %1 = onnx.Concat(%b, %flat) {axis = 0 : i64} : (none, tensor<1xi64>) -> none
  %2 = onnx.Reshape(%0, %1) : (none, none) -> none
  return %2 : none
}
