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

// Distances are sums of squares of differences, which do not cancel.
// CHECK-LABEL: func @radial(
// CHECK:         krnl.kernel "distances"
// CHECK:           %[[D:.+]] = arith.subf
// CHECK:           arith.mulf %[[D]], %[[D]]
// CHECK:         krnl.kernel "Exp"
// CHECK:         krnl.kernel "Gemm"
func.func @radial(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %y = onnx.ml.SVMRegressor(%x) {coefficients = array<f32: 1.0, -1.0>, kernel_params = array<f32: 0.5, 0.0, 3.0>, kernel_type = "RBF", n_supports = 2 : i64, rho = array<f32: 0.25>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// CHECK-LABEL: func @one_hot(
// CHECK:         krnl.call @onnxc_call_string_index
// CHECK:         krnl.kernel "Equal"
// CHECK:         krnl.check {{.*}} "OneHotEncoder: an element is none of the categories"
func.func @one_hot(%x: tensor<?x1x!onnx.string>) -> tensor<?x1x2xf32> {
  %y = onnx.ml.OneHotEncoder(%x) {cats_strings = ["a", "b"], zeros = 0 : i64} : (tensor<?x1x!onnx.string>) -> tensor<?x1x2xf32>
  return %y : tensor<?x1x2xf32>
}

// CHECK-LABEL: func @zip(
// CHECK:         krnl.call @onnxc_call_zip_map({{.*}}) : (tensor<?x2xf32>, tensor<2xi64>) -> !krnl.obj
func.func @zip(%x: tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>> {
  %y = onnx.ml.ZipMap(%x) {classlabels_int64s = array<i64: 4, 7>} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  return %y : !onnx.seq<!onnx.map<i64, tensor<f32>>>
}

// -----

func.func @coefficients_missing(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  // expected-error @below {{LinearRegressor is not supported}}
  // expected-note @below {{the numbers of coefficients, intercepts, targets and features do not fit together}}
  %y = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0>} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
