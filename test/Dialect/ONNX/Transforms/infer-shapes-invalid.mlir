// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics

func.func @schema_rejects(%x: tensor<3x4xf32>, %w: tensor<8x4x3x3xf32>) -> none {
  // expected-error @below {{'onnx.Conv' op input tensor must have at least 3 dimensions}}
  %y = onnx.Conv(%x, %w) : (tensor<3x4xf32>, tensor<8x4x3x3xf32>) -> none
  return %y : none
}

// -----

// The library would run forever on it.
func.func @equation(%x: tensor<3x4xf32>) -> none {
  // expected-error @below {{'onnx.Einsum' op equation has ';' where a letter or '...' is expected}}
  %y = onnx.Einsum(%x) {equation = "i;->i"} : (tensor<3x4xf32>) -> none
  return %y : none
}

// -----

// Errors in a body are reported once, though it is visited several times.
func.func @in_a_body(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2x3xf32>) -> none {
  %r = onnx.Loop M(%n) cond(%c) v_initial(%x)
      : (tensor<i64>, tensor<i1>, tensor<2x3xf32>) -> none body {
  ^bb0(%i: none, %ci: none, %v: none):
    // expected-error @below {{'onnx.Conv' op input tensor must have at least 3 dimensions}}
    %y = onnx.Conv(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> none
    onnx.Yield %ci, %v : none, none
  }
  return %r : none
}

// -----

func.func @declared_contradicts(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  // expected-warning @below {{is declared to give 'tensor<3x5xf32>' but gives 'tensor<3x4xf32>'}}
  %y = onnx.Relu(%x) : (tensor<3x4xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
