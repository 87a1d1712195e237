// RUN: onnx-opt %s --onnx-expand-functions --verify-diagnostics

// What is refused says why.
func.func @refused_form(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{cannot be expanded: only one dimension, one side and no normalization are supported}}
  %y = onnx.microsoft.Rfft(%x) {signal_ndim = 2 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
