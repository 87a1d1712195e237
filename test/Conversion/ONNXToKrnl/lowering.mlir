// RUN: onnx-opt %s --convert-onnx-to-krnl --verify-diagnostics

// Results whose rank inference has not found.
func.func @results(%x: tensor<2x3xf32>, %s: tensor<?xi64>, %u: tensor<4xf32>) {
  // expected-error @+2 {{the operator Expand is not supported}}
  // expected-note @+1 {{the rank of a result is not known}}
  %0 = onnx.Expand(%x, %s) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+2 {{the operator ReduceSum is not supported}}
  // expected-note @+1 {{the rank of a result is not known}}
  %1 = onnx.ReduceSum(%x) axes(%s) {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+2 {{the operator Neg is not supported}}
  // expected-note @+1 {{the rank of a result is not known}}
  %2 = onnx.Neg(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}
