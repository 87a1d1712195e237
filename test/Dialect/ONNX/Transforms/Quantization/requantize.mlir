// RUN: onnx-opt %s --onnx-fuse-quantization --split-input-file | FileCheck %s

// Bytes are moved, and those that are quantised as before are not touched.
// CHECK-LABEL: func.func @movement
// CHECK:         %[[T:.+]] = onnx.Transpose(%arg0) {{.*}} : (tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK-NEXT:    return %[[T]]
func.func @movement(%x: tensor<2x3xui8>) -> tensor<3x2xui8> {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %z = onnx.Constant dense<9> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %s) x_zero_point(%z) : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xf32>
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = onnx.QuantizeLinear(%1, %s) y_zero_point(%z) : (tensor<3x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x2xui8>
  return %2 : tensor<3x2xui8>
}

// -----

// A negative scale turns the order over, so that the largest number is not the
// largest byte; and another zero point makes other bytes.
// CHECK-LABEL: func.func @left_alone
// CHECK:         onnx.MaxPool({{.*}} -> tensor<1x1x3xf32>
// CHECK:         onnx.QuantizeLinear
func.func @left_alone(%x: tensor<1x1x6xui8>) -> tensor<1x1x3xui8> {
  %s = onnx.Constant dense<-0.3> : tensor<f32>
  %z = onnx.Constant dense<9> : tensor<ui8>
  %y = onnx.Constant dense<8> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %s) x_zero_point(%z) : (tensor<1x1x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x6xf32>
  %1 = onnx.MaxPool(%0) {kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x1x6xf32>) -> tensor<1x1x3xf32>
  %2 = onnx.QuantizeLinear(%1, %s) y_zero_point(%y) : (tensor<1x1x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x3xui8>
  return %2 : tensor<1x1x3xui8>
}

// -----

// Of a table only the rows that a run picks are dequantised.
// CHECK-LABEL: func.func @rows_of_a_table
// CHECK:         %[[ROWS:.+]] = onnx.Gather(%{{.+}}, %arg0) {{.*}}(tensor<30x4xi8>, tensor<2xi64>) -> tensor<2x4xi8>
// CHECK:         onnx.DequantizeLinear(%[[ROWS]],
func.func @rows_of_a_table(%i: tensor<2xi64>) -> tensor<2x4xf32> {
  %t = onnx.Constant dense<3> : tensor<30x4xi8>
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %0 = onnx.DequantizeLinear(%t, %s) : (tensor<30x4xi8>, tensor<f32>) -> tensor<30x4xf32>
  %1 = onnx.Gather(%0, %i) {axis = 0 : i64} : (tensor<30x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// A Relu before bytes that begin at zero cuts nothing off that they do not; one before
// signed bytes does.
// CHECK-LABEL: func.func @relu
// CHECK:         %[[R:.+]] = onnx.Relu(%arg0)
// CHECK:         onnx.QuantizeLinear(%arg0, {{.*}}-> tensor<4xui8>
// CHECK:         onnx.QuantizeLinear(%[[R]], {{.*}}-> tensor<4xi8>
func.func @relu(%x: tensor<4xf32>) -> (tensor<4xui8>, tensor<4xi8>) {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %z = onnx.Constant dense<0> : tensor<ui8>
  %y = onnx.Constant dense<0> : tensor<i8>
  %0 = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.QuantizeLinear(%0, %s) y_zero_point(%z) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  %2 = onnx.QuantizeLinear(%0, %s) y_zero_point(%y) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  return %1, %2 : tensor<4xui8>, tensor<4xi8>
}

// -----

// The scale of the result goes into those of the terms; numbers of other operators would
// have to be multiplied.
// CHECK-LABEL: func.func @factor
// CHECK-DAG:     %[[ONE:.+]] = onnx.Constant dense<1.000000e+00> : tensor<f32>
// CHECK:         onnx.QuantizeLinear(%{{.+}}, %[[ONE]]
// CHECK:         %[[Y:.+]] = onnx.Exp
// CHECK:         onnx.QuantizeLinear(%[[Y]], %[[S:.+]])
func.func @factor(%a: tensor<4xui8>, %b: tensor<4xui8>, %c: tensor<4xf32>) -> (tensor<4xui8>, tensor<4xui8>) {
  %s = onnx.Constant dense<0.5> : tensor<f32>
  %t = onnx.Constant dense<0.25> : tensor<f32>
  %0 = onnx.DequantizeLinear(%a, %s) : (tensor<4xui8>, tensor<f32>) -> tensor<4xf32>
  %1 = onnx.DequantizeLinear(%b, %t) : (tensor<4xui8>, tensor<f32>) -> tensor<4xf32>
  %2 = onnx.Add(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = onnx.QuantizeLinear(%2, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  %4 = onnx.Exp(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = onnx.QuantizeLinear(%4, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  return %3, %5 : tensor<4xui8>, tensor<4xui8>
}
