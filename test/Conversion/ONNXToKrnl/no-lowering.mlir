// RUN: onnx-opt %s --convert-onnx-to-krnl --verify-diagnostics

// All operators without a lowering are named, not only the first.
func.func @two_unknown(%x: tensor<3xf32>) -> (tensor<1x?xi64>, tensor<1x?xi64>) {
  // expected-error @+1 {{the operator NonZero has no lowering yet}}
  %0 = onnx.NonZero(%x) : (tensor<3xf32>) -> tensor<1x?xi64>
  %1 = onnx.Relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error @+1 {{the operator NonZero has no lowering yet}}
  %2 = onnx.NonZero(%1) : (tensor<3xf32>) -> tensor<1x?xi64>
  return %0, %2 : tensor<1x?xi64>, tensor<1x?xi64>
}
