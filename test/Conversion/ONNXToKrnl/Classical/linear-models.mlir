// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @linear(
// CHECK:         krnl.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK:         krnl.kernel "Gemm"
// CHECK:         krnl.kernel "ArgMax"
// CHECK:         krnl.call @onnxc_call_string_constant
// CHECK:         krnl.kernel "Gather"
// CHECK:         krnl.kernel "Sigmoid"
func.func @linear(%x: tensor<?x2xf32>) -> (tensor<?x!onnx.string>, tensor<?x2xf32>) {
  %y, %z = onnx.ml.LinearClassifier(%x) {classlabels_strings = ["no", "yes"], coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, intercepts = array<f32: 0.0, 1.0>, post_transform = "LOGISTIC"} : (tensor<?x2xf32>) -> (tensor<?x!onnx.string>, tensor<?x2xf32>)
  return %y, %z : tensor<?x!onnx.string>, tensor<?x2xf32>
}

// -----

func.func @coefficients_missing(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  // expected-error @below {{LinearRegressor is not supported}}
  // expected-note @below {{the numbers of coefficients, intercepts, targets and features do not fit together}}
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// One score for two labels decides between them: its opposite is that of the first.
// CHECK-LABEL: func @two_labels_of_one_score(
// CHECK:         krnl.kernel "Gemm"
// CHECK:         krnl.constant dense<{{.*}}-1.0{{.*}}, 1.0{{.*}}> : tensor<1x2xf32>
// CHECK:         krnl.kernel "Mul"
// CHECK:         krnl.kernel "ArgMax"
func.func @two_labels_of_one_score(%x: tensor<4x3xf64>) -> (tensor<4xi64>, tensor<4x2xf32>) {
  %y, %z = onnx.ml.LinearClassifier(%x) {classlabels_ints = array<i64: 5, 6>, coefficients = array<f32: 1.0, 2.0, 3.0>, intercepts = array<f32: 0.5>} : (tensor<4x3xf64>) -> (tensor<4xi64>, tensor<4x2xf32>)
  return %y, %z : tensor<4xi64>, tensor<4x2xf32>
}

// -----

// f64 features are multiplied as such, and the scores rounded.
// CHECK-LABEL: func @doubles(
// CHECK:         krnl.kernel "Gemm" {{.*}}tensor<4x3xf64>
// CHECK:         krnl.kernel "Cast"
// CHECK:           arith.truncf {{.*}} : f64 to f32
func.func @doubles(%x: tensor<4x3xf64>) -> tensor<4x1xf32> {
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0, 3.0>} : (tensor<4x3xf64>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// -----

func.func @label_missing(%x: tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>) {
  // expected-error @below {{LinearClassifier is not supported}}
  // expected-note @below {{a score has no label}}
  %y, %z = onnx.ml.LinearClassifier(%x) {classlabels_ints = array<i64: 5, 6, 7>, coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, intercepts = array<f32: 0.5, 0.5>} : (tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>)
  return %y, %z : tensor<4xi64>, tensor<4x2xf32>
}

// -----

func.func @intercept_missing(%x: tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>) {
  // expected-error @below {{LinearClassifier is not supported}}
  // expected-note @below {{the numbers of coefficients, intercepts, labels and features do not fit together}}
  %y, %z = onnx.ml.LinearClassifier(%x) {classlabels_ints = array<i64: 5, 6>, coefficients = array<f32: 1.0, 2.0, 3.0>} : (tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>)
  return %y, %z : tensor<4xi64>, tensor<4x2xf32>
}

// -----

func.func @cube(%x: tensor<4x2x2xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{LinearRegressor is not supported}}
  // expected-note @below {{expects rows of features}}
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0>} : (tensor<4x2x2xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
