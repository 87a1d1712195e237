// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// An operator of classical models becomes operators of the graph, which are lowered in
// turn; how its scores become probabilities is one function for all of them.
// CHECK-LABEL: func @softmax(
// CHECK:         krnl.kernel "Gemm"
// CHECK:         krnl.kernel "Softmax"
func.func @softmax(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, post_transform = "SOFTMAX", targets = 2 : i64} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// A row whose exponentials sum up to zero is 0.5 everywhere.
// CHECK-LABEL: func @softmax_zero(
// CHECK:         krnl.kernel "ReduceMax"
// CHECK:         krnl.kernel "softmax_zero"
// CHECK:         krnl.kernel "ReduceSum"
// CHECK:         krnl.kernel "softmax_zero"
// CHECK:           arith.constant 5.0{{.*}}e-01 : f32
func.func @softmax_zero(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, post_transform = "SOFTMAX_ZERO", targets = 2 : i64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @probit(
// CHECK:         krnl.kernel "probit"
// CHECK:           math.log
// CHECK-COUNT-2:   math.sqrt
func.func @probit(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0>, post_transform = "PROBIT"} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// -----

func.func @unknown_transform(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
  // expected-error @below {{LinearRegressor is not supported}}
  // expected-note @below {{post_transform is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO and PROBIT}}
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0>, post_transform = "CUBE"} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}
