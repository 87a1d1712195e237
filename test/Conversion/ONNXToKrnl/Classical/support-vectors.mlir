// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

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
