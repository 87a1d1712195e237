// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Quanta of both operands are multiples of one of the result, and the zero
// points are one constant: 7 - (0.5 * 3 + 0.25 * 4). Each product and its sum
// round once.
// CHECK-LABEL: func.func @sum
// CHECK:         krnl.kernel "microsoft.QLinearAdd" loops [d0 = 2, d1 = 4]
// CHECK:           %[[FIXED:.+]] = arith.constant 4.500000e+00 : f32
// CHECK:           %[[SECOND:.+]] = arith.constant 2.500000e-01 : f32
// CHECK:           %[[B:.+]] = arith.mulf %{{.+}}, %[[SECOND]] fastmath<contract>
// CHECK:           %[[REST:.+]] = arith.addf %[[B]], %[[FIXED]] fastmath<contract>
// CHECK:           %[[FIRST:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:           %[[A:.+]] = arith.mulf %{{.+}}, %[[FIRST]] fastmath<contract>
// CHECK:           %[[SUM:.+]] = arith.addf %[[A]], %[[REST]] fastmath<contract>
// CHECK:           %[[LEAST:.+]] = arith.select %{{.+}}, %[[SUM]],
// CHECK:           %[[BYTE:.+]] = arith.select %{{.+}}, %[[LEAST]],
// CHECK:           math.roundeven %[[BYTE]]
func.func @sum(%a: tensor<2x4xui8>, %b: tensor<2x4xui8>) -> tensor<2x4xui8> {
  %as = onnx.Constant dense<0.25> : tensor<f32>
  %az = onnx.Constant dense<3> : tensor<ui8>
  %bs = onnx.Constant dense<0.125> : tensor<f32>
  %bz = onnx.Constant dense<4> : tensor<ui8>
  %cs = onnx.Constant dense<0.5> : tensor<f32>
  %cz = onnx.Constant dense<7> : tensor<ui8>
  %c = onnx.microsoft.QLinearAdd(%a, %as) A_zero_point(%az) B(%b) B_scale(%bs) B_zero_point(%bz) C_scale(%cs) C_zero_point(%cz) : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  return %c : tensor<2x4xui8>
}

// The operand that has one element for each row of the other is added first,
// whichever it is; a zero point that is left out is 0.
// CHECK-LABEL: func.func @rows_of_the_second
// CHECK:           %[[A:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:           arith.mulf %{{.+}}, %[[A]] fastmath<contract>
// CHECK:           %[[B:.+]] = arith.constant 4.000000e+00 : f32
// CHECK:           arith.mulf %{{.+}}, %[[B]] fastmath<contract>
func.func @rows_of_the_second(%a: tensor<2x1xui8>, %b: tensor<2x4xui8>) -> tensor<2x4xui8> {
  %as = onnx.Constant dense<0.25> : tensor<f32>
  %bs = onnx.Constant dense<2.0> : tensor<f32>
  %cs = onnx.Constant dense<0.5> : tensor<f32>
  %c = onnx.microsoft.QLinearAdd(%a, %as) B(%b) B_scale(%bs) C_scale(%cs) : (tensor<2x1xui8>, tensor<f32>, tensor<2x4xui8>, tensor<f32>, tensor<f32>) -> tensor<2x4xui8>
  return %c : tensor<2x4xui8>
}
