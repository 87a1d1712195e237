// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @views
// CHECK:         %[[S:.+]] = onnx.Constant dense<[-1, 12]> : tensor<2xi64>
// CHECK-NEXT:    %[[R:.+]] = onnx.Reshape(%arg0, %[[S]])
// CHECK-NEXT:    return %[[R]]
func.func @views(%x: tensor<?x1x3x4xf32>) -> none {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Squeeze(%x) axes(%one) : (tensor<?x1x3x4xf32>, tensor<1xi64>) -> none
  %1 = onnx.Unsqueeze(%0, %one) : (none, tensor<1xi64>) -> none
  %2 = onnx.Flatten(%1) : (none) -> none
  return %2 : none
}

// -----

// No constant says two unknown sizes that are not those of the data.
// CHECK-LABEL: func @two_unknown
// CHECK:         onnx.Unsqueeze
func.func @two_unknown(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  return %0 : none
}

// -----

// CHECK-LABEL: func @cancel_two_unknown
// CHECK-NEXT:    return %arg0
func.func @cancel_two_unknown(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  %1 = onnx.Squeeze(%0) axes(%zero) : (none, tensor<1xi64>) -> none
  return %1 : none
}

// -----

// The zero copies a size of what it is applied to: the pair stays.
// CHECK-LABEL: func @copies_a_size
// CHECK-COUNT-2: onnx.Reshape
func.func @copies_a_size(%x: tensor<?x?x4xf32>, %s: tensor<2xi64>) -> none {
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?x4xf32>, tensor<2xi64>) -> none
  %copy = onnx.Constant dense<[0, 2, -1]> : tensor<3xi64>
  %1 = onnx.Reshape(%0, %copy) : (none, tensor<3xi64>) -> none
  return %1 : none
}

// -----

// Squeeze says that the size is 1; a Reshape to [-1] would forget it.
// CHECK-LABEL: func @squeeze_unknown
// CHECK:         onnx.Squeeze
func.func @squeeze_unknown(%x: tensor<4x?xf32>) -> none {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Squeeze(%x) axes(%one) : (tensor<4x?xf32>, tensor<1xi64>) -> none
  return %0 : none
}

// -----

// CHECK-LABEL: func @other_axes
// CHECK:         onnx.Unsqueeze
// CHECK:         onnx.Squeeze
func.func @other_axes(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  %1 = onnx.Squeeze(%0) axes(%one) : (none, tensor<1xi64>) -> none
  return %1 : none
}
