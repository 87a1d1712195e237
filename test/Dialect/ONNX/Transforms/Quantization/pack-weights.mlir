// RUN: onnx-opt %s --onnx-fuse-quantization --split-input-file | FileCheck %s

// Two columns of four weights in blocks of two, from [K, N]: adjacent elements along K
// share a byte, and count from the middle of their range: -8 is 0, 7 is 15.
// CHECK-LABEL: func.func @blocks
// CHECK-DAG:     %[[W:.+]] = onnx.Constant dense<{{\[\[\[}}144], [251]], {{\[\[}}120], [249]]]> : tensor<2x2x1xui8>
// CHECK-DAG:     %[[S:.+]] = onnx.Constant dense<[1.000000e+00, 3.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK:         onnx.microsoft.MatMulNBits(%arg0, %[[W]], %[[S]]) {K = 4 : i64, N = 2 : i64, block_size = 2 : i64}
// CHECK-NOT:     onnx.MatMul
func.func @blocks(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = onnx.Constant dense<[[-8, 0], [1, -1], [3, 1], [7, 7]]> : tensor<4x2xi4>
  %s = onnx.Constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %d = onnx.DequantizeLinear(%w, %s) {axis = 0 : i64, block_size = 2 : i64} : (tensor<4x2xi4>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %y = onnx.MatMul(%x, %d) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Bytes with one scale for each row of a transposed matrix: a block is a column.
// Their zero points are not those in the middle, and the bias comes along.
// CHECK-LABEL: func.func @rows_of_bytes
// CHECK-DAG:     %[[W:.+]] = onnx.Constant dense<{{\[\[\[}}129, 130, 131]], {{\[\[}}132, 133, 134]]]> : tensor<2x1x3xui8>
// CHECK-DAG:     %[[Z:.+]] = onnx.Constant dense<[128, 138]> : tensor<2xui8>
// CHECK:         onnx.microsoft.MatMulNBits(%arg0, %[[W]], %{{.+}}) zero_points(%[[Z]]) bias(%{{.+}}) {{{.*}}bits = 8 : i64, block_size = 3 : i64
func.func @rows_of_bytes(%x: tensor<5x3xf32>) -> tensor<5x2xf32> {
  %w = onnx.Constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %s = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = onnx.Constant dense<[0, 10]> : tensor<2xi8>
  %c = onnx.Constant dense<[0.5, 0.25]> : tensor<2xf32>
  %d = onnx.DequantizeLinear(%w, %s) x_zero_point(%z) {axis = 0 : i64} : (tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x3xf32>
  %y = onnx.Gemm(%x, %d) C(%c) {transB = 1 : i64} : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// -----

// Unsigned numbers without a zero point count from zero.
// CHECK-LABEL: func.func @from_zero
// CHECK-DAG:     %[[Z:.+]] = onnx.Constant dense<0> : tensor<2xui8>
// CHECK:         onnx.microsoft.MatMulNBits({{.+}}) zero_points(%[[Z]])
func.func @from_zero(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = onnx.Constant dense<3> : tensor<4x2xui4>
  %s = onnx.Constant dense<1.0> : tensor<f32>
  %d = onnx.DequantizeLinear(%w, %s) : (tensor<4x2xui4>, tensor<f32>) -> tensor<4x2xf32>
  %y = onnx.MatMul(%x, %d) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Scales along the depth without blocks, and blocks across the columns, belong to
// no part of the sum.
// CHECK-LABEL: func.func @other_blocks
// CHECK-NOT:     MatMulNBits
func.func @other_blocks(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = onnx.Constant dense<3> : tensor<4x2xi4>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  %t = onnx.Constant dense<1.0> : tensor<4x1xf32>
  %d = onnx.DequantizeLinear(%w, %s) {axis = 0 : i64} : (tensor<4x2xi4>, tensor<4xf32>) -> tensor<4x2xf32>
  %e = onnx.DequantizeLinear(%w, %t) {axis = 1 : i64, block_size = 2 : i64} : (tensor<4x2xi4>, tensor<4x1xf32>) -> tensor<4x2xf32>
  %y = onnx.MatMul(%x, %d) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %z = onnx.MatMul(%x, %e) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
}
