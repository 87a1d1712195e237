// RUN: onnx-opt %s --onnx-fuse-quantization --split-input-file | FileCheck %s

// A convolution of dequantised bytes: borders hold the zero point, the sums of
// products have no zero point; what it adds is a sum over the weights. The scale
// of the result is part of the others, and a Relu that cuts off nothing more
// than the bytes do is gone.
// CHECK-LABEL: func.func @conv
// CHECK-DAG:     %[[ONE:.+]] = onnx.Constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[PADDED:.+]] = onnx.Pad(%arg0,
// CHECK:         %[[SUMS:.+]] = onnx.ConvInteger(%[[PADDED]], %{{.+}}) {{.*}}pads = array<i64: 0, 0, 0, 0>
// CHECK:         %[[OF_W:.+]] = onnx.ReduceSum(
// CHECK:         %[[ABOVE:.+]] = onnx.Sub(%[[SUMS]],
// CHECK:         %[[REAL:.+]] = onnx.Cast(%[[ABOVE]]) {to = 1 : i64}
// CHECK:         %[[SCALED:.+]] = onnx.Mul(%[[REAL]],
// CHECK:         %[[SHIFTED:.+]] = onnx.Add(%[[SCALED]],
// CHECK-NOT:     onnx.Relu
// CHECK:         onnx.QuantizeLinear(%[[SHIFTED]], %[[ONE]])
func.func @conv(%x: tensor<1x8x6x6xui8>) -> tensor<1x4x6x6xui8> {
  %w = onnx.Constant dense<3> : tensor<4x8x3x3xi8>
  %b = onnx.Constant dense<2.0> : tensor<4xf32>
  %xs = onnx.Constant dense<0.5> : tensor<f32>
  %xz = onnx.Constant dense<7> : tensor<ui8>
  %ws = onnx.Constant dense<[0.5, 0.25, 0.125, 2.0]> : tensor<4xf32>
  %ys = onnx.Constant dense<0.25> : tensor<f32>
  %yz = onnx.Constant dense<0> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %xs) x_zero_point(%xz) : (tensor<1x8x6x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8x6x6xf32>
  %1 = onnx.DequantizeLinear(%w, %ws) {axis = 0 : i64} : (tensor<4x8x3x3xi8>, tensor<4xf32>) -> tensor<4x8x3x3xf32>
  %2 = onnx.Conv(%0, %1) B(%b) {dilations = array<i64: 1, 1>, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %3 = onnx.Relu(%2) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %4 = onnx.QuantizeLinear(%3, %ys) y_zero_point(%yz) : (tensor<1x4x6x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x6x6xui8>
  return %4 : tensor<1x4x6x6xui8>
}
