// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// CHECK-LABEL: func @scale_columns
// CHECK:         krnl.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK:         krnl.kernel "Scaler"
// CHECK:           arith.sitofp {{.*}} : i64 to f32
// CHECK:           arith.subf
// CHECK:           arith.mulf
func.func @scale_columns(%x: tensor<3x2xi64>) -> tensor<3x2xf32> {
  %y = onnx.ml.Scaler(%x) {offset = array<f32: 1.0, 2.0>, scale = array<f32: 0.5>} : (tensor<3x2xi64>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: func @impute_nan
// CHECK:         krnl.kernel "Imputer"
// CHECK:           %[[MISSING:.+]] = arith.cmpf uno
// CHECK:           arith.select %[[MISSING]]
func.func @impute_nan(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %y = onnx.ml.Imputer(%x) {imputed_value_floats = array<f32: 7.0, 8.0>, replaced_value_float = 0x7FC00000 : f32} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
