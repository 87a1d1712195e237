// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// Constant weights stay packed: a shift and a mask take a number out of its byte.
// CHECK-LABEL: func @packed(
// CHECK:         krnl.kernel "MatMulNBits" {{.*}}tensor<2x2x8xi8>
// CHECK:           arith.shrui
// CHECK:           arith.andi
func.func @packed(%a: tensor<4x32xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Others become the operators of the function before they are lowered; where they are not,
// the reason is told.

// -----

func.func @scales_of_the_run(%a: tensor<4x32xf32>, %s: tensor<4xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{weights or scales are not constant}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @other_depth(%a: tensor<4x30xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{the last size of A is not K}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x30xf32>, tensor<2x2x8xui8>, tensor<4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @odd_bits(%a: tensor<4x32xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{bits, N, K and block_size do not fit together}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 32 : i64, N = 2 : i64, bits = 3 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @scattered(%a: tensor<4x32xf32>, %g: tensor<32xi32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{blocks are not contiguous}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) g_idx(%g) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>, tensor<32xi32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @zero_points_of_the_run(%a: tensor<4x32xf32>, %z: tensor<2xui8>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{zero points are not constant}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) zero_points(%z) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>, tensor<2xui8>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @bias_of_another_size(%a: tensor<4x32xf32>, %b: tensor<3xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{MatMulNBits is not supported}}
  // expected-note @below {{the bias is not a vector of N elements}}
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) bias(%b) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x8xui8>, tensor<4xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
