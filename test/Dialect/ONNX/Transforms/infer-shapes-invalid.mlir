// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics

// expected-note @+2 {{input 'X' of type 'tensor<3x4xf32>' comes from here}}
// expected-note @+1 {{input 'W' of type 'tensor<8x4x3x3xf32>' comes from here}}
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
// expected-note @+2 {{input 'X' of type 'tensor<2x3xf32>' comes from here}}
// expected-note @+1 {{input 'W' of type 'tensor<2x3xf32>' comes from here}}
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

// What the schemas leave to the run.
// expected-note @+3 {{input 'X' of type 'tensor<1x2x5x5xf32>' comes from here}}
// expected-note @+2 {{input 'W' of type 'tensor<3x2x3x3xf32>' comes from here}}
// expected-note @+1 {{input 'B' of type 'tensor<3x1xf32>' comes from here}}
func.func @rank_of_bias(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3x1xf32>) -> none {
  // expected-error @below {{'onnx.Conv' op expects input 'B' to have rank 1, but it has rank 2}}
  %y = onnx.Conv(%x, %w) B(%b) : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>, tensor<3x1xf32>) -> none
  return %y : none
}

// -----

// expected-note @+2 {{input 'data' of type 'tensor<3x4xf32>' comes from here}}
// expected-note @+1 {{input 'indices' of type 'tensor<3xi64>' comes from here}}
func.func @rank_of_indices(%x: tensor<3x4xf32>, %i: tensor<3xi64>) -> none {
  // expected-error @below {{'onnx.GatherElements' op expects input 'indices' to have rank 2, as input 'data' says, but it has rank 1}}
  %y = onnx.GatherElements(%x, %i) : (tensor<3x4xf32>, tensor<3xi64>) -> none
  return %y : none
}

// -----

// expected-note @+2 {{input 'data' of type 'tensor<3xf32>' comes from here}}
// expected-note @+1 {{input 'axes' of type 'tensor<2xi64>' comes from here}}
func.func @too_many_axes(%x: tensor<3xf32>, %axes: tensor<2xi64>) -> none {
  // expected-error @below {{'onnx.ReduceSum' op has 2 axes for an operand of rank 1}}
  %y = onnx.ReduceSum(%x) axes(%axes) : (tensor<3xf32>, tensor<2xi64>) -> none
  return %y : none
}

// -----

// expected-note @+2 {{input 'data' of type 'tensor<3xf32>' comes from here}}
// expected-note @+1 {{input 'indices' of type 'tensor<3xi64>' comes from here}}
func.func @axis_of_gather(%x: tensor<3xf32>, %i: tensor<3xi64>) -> none {
  // expected-error @below {{'onnx.GatherElements' op has axis 1 for an operand of rank 1}}
  %y = onnx.GatherElements(%x, %i) {axis = 1 : i64} : (tensor<3xf32>, tensor<3xi64>) -> none
  return %y : none
}

// -----

// A branch that is never taken may be wrong.
func.func @dead_branch(%x: tensor<3xf32>) -> none {
  %c = onnx.Constant dense<true> : tensor<i1>
  %y = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    onnx.Yield %x : tensor<3xf32>
  } else_branch {
    %t = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<3xf32>) -> none
    onnx.Yield %t : none
  }
  return %y : none
}

// -----

func.func @declared_contradicts(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  // expected-warning @below {{is declared to give 'tensor<3x5xf32>' but gives 'tensor<3x4xf32>'}}
  %y = onnx.Relu(%x) : (tensor<3x4xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// The operands are told, with the names of their sizes.
// expected-note @+2 {{input 'A' of type 'tensor<?x3xf32>' comes from here}}
// expected-note @+1 {{input 'B' of type 'tensor<4xf32>' comes from here}}
func.func @operands(%x: tensor<?x3xf32> {onnx.dims = ["batch", ""]}, %w: tensor<4xf32>) {
  // expected-error@+1 {{incompatible dimensions: A is float[batch, 3]; B is float[4]}}
  %0 = onnx.Add(%x, %w) : (tensor<?x3xf32>, tensor<4xf32>) -> none
  return
}

// -----

// Of short lists the numbers are told.
// expected-note @+1 {{input 'input' of type 'tensor<2x3xf32>' comes from here}}
func.func @numbers(%x: tensor<2x3xf32>) {
  // expected-note @+1 {{input 'shape' of type 'tensor<2xi64>' comes from here}}
  %s = onnx.Constant dense<[2, 4]> : tensor<2xi64>
  // expected-error@+1 {{incompatible dimensions: input is float[2, 3]; shape is int64[2] = [2, 4]}}
  %0 = onnx.Expand(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> none
  return
}
