// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// CHECK-LABEL: func.func @relu
// CHECK:         krnl.kernel "Relu" loops [d0 = 4]
// CHECK:           arith.maximumf
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Of what is not taken no power becomes infinite; near 0 no digits are lost.
// CHECK-LABEL: func.func @elu
// CHECK:         krnl.kernel "Elu"
// CHECK:           %[[X:.+]] = arith.extf
// CHECK:           %[[NOT_POSITIVE:.+]] = arith.minimumf %[[X]]
// CHECK:           math.expm1 %[[NOT_POSITIVE]]
// CHECK:           arith.select
// CHECK:           arith.truncf
func.func @elu(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = "onnx.Elu"(%x) {alpha = 2.0 : f32} : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// CHECK-LABEL: func.func @gelu_of_tanh
// CHECK:         krnl.kernel "Gelu"
// CHECK-NOT:       math.erf
// CHECK:           math.tanh
func.func @gelu_of_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.Gelu"(%x) {approximate = "tanh"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
