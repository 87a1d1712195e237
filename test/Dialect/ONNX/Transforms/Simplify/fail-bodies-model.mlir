// RUN: onnx-opt %s --onnx-simplify=annotate=false --verify-diagnostics

// A model file has no operator for the failure.
// expected-note @+1 {{input 'data' of type 'tensor<2x3xf32>' comes from here}}
func.func @then_branch(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  // expected-note @+1 {{input 'axes' of type 'tensor<1xi64>' comes from here}}
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    // expected-error @+1 {{must be 1}}
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
    onnx.Yield %a : none
  } else_branch {
    onnx.Yield %x : tensor<2x3xf32>
  }
  return %r : none
}
