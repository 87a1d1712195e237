// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics

// What schemas do not check of ranks, one case for each check.

// expected-note @+2 {{input 'input' of type 'tensor<2x3x4xf32>' comes from here}}
// expected-note @+1 {{input 'condition' of type 'tensor<1x1xi1>' comes from here}}
func.func @exact(%x: tensor<2x3x4xf32>, %w: tensor<1x1xi1>) {
  // expected-error @+1 {{'onnx.Compress' op expects input 'condition' to have rank 1, but it has rank 2}}
  %y = onnx.Compress(%x, %w) : (tensor<2x3x4xf32>, tensor<1x1xi1>) -> tensor<*xf32>
  return
}

// -----

func.func @at_least(%x: tensor<4xf32>) {
  // expected-error @+1 {{'onnx.GlobalMaxPool' op expects input 'X' to have a rank of at least 2, but it has rank 1}}
  %y = onnx.GlobalMaxPool(%x) : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @between(%x: tensor<1x2x3xf32>) {
  // expected-error @+1 {{'onnx.ml.Scaler' op expects input 'X' to have rank 1 to 2, but it has rank 3}}
  %y = onnx.ml.Scaler(%x) {offset = array<f32: 0.0>, scale = array<f32: 1.0>} : (tensor<1x2x3xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+3 {{input 'data' of type 'tensor<2x3xf32>' comes from here}}
// expected-note @+2 {{input 'indices' of type 'tensor<2x3xi64>' comes from here}}
// expected-note @+1 {{input 'updates' of type 'tensor<3xf32>' comes from here}}
func.func @like_another(%x: tensor<2x3xf32>, %u: tensor<3xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'onnx.ScatterElements' op expects input 'updates' to have rank 2, as input 'data' says, but it has rank 1}}
  %y = onnx.ScatterElements(%x, %i, %u) : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+2 {{input 'X' of type 'tensor<3xf32>' comes from here}}
// expected-note @+1 {{input 'slope' of type 'tensor<2x3xf32>' comes from here}}
func.func @broadcast(%x: tensor<3xf32>, %slope: tensor<2x3xf32>) {
  // expected-error @+1 {{'onnx.PRelu' op expects input 'slope' to have at most rank 1, as input 'X' says, but it has rank 2}}
  %y = onnx.PRelu(%x, %slope) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @axis_of_attribute(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'onnx.LpNormalization' op has axis 2 for an operand of rank 2}}
  %y = onnx.LpNormalization(%x) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+1 {{input 'x' of type 'tensor<2x3xf32>' comes from here}}
func.func @axis_of_operand(%x: tensor<2x3xf32>) {
  // expected-note @+1 {{input 'axis' of type 'tensor<i64>' comes from here}}
  %axis = onnx.Constant dense<-3> : tensor<i64>
  // expected-error @+1 {{'onnx.CumSum' op has axis -3 for an operand of rank 2}}
  %y = onnx.CumSum(%x, %axis) : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+2 {{input 'query' of type 'tensor<1x2x8xf32>' comes from here}}
// expected-note @+1 {{input 'key' of type 'tensor<2x8xf32>' comes from here}}
func.func @heads(%q: tensor<1x2x8xf32>, %k: tensor<2x8xf32>) {
  // expected-error @+1 {{does not take rank 2 of input 'key' beside the others}}
  %y = onnx.microsoft.MultiHeadAttention(%q) key(%k) {num_heads = 2 : i64} : (tensor<1x2x8xf32>, tensor<2x8xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+2 {{input 'data' of type 'tensor<2x3x4x5xf32>' comes from here}}
// expected-note @+1 {{input 'indices' of type 'tensor<2x1xi64>' comes from here}}
func.func @batch_dims(%x: tensor<2x3x4x5xf32>, %i: tensor<2x1xi64>) {
  // expected-error @+1 {{'onnx.GatherND' op has 2 batch dimensions for indices of rank 2}}
  %y = onnx.GatherND(%x, %i) {batch_dims = 2 : i64} : (tensor<2x3x4x5xf32>, tensor<2x1xi64>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+3 {{input 'data' of type 'tensor<2xf32>' comes from here}}
// expected-note @+2 {{input 'indices' of type 'tensor<1x5x2xi64>' comes from here}}
// expected-note @+1 {{input 'updates' of type 'tensor<?xf32>' comes from here}}
func.func @tuples(%x: tensor<2xf32>, %i: tensor<1x5x2xi64>, %u: tensor<?xf32>) {
  // expected-error @+1 {{'onnx.ScatterND' op has updates of rank 1 for data of rank 1 and indices of rank 3}}
  %y = onnx.ScatterND(%x, %i, %u) : (tensor<2xf32>, tensor<1x5x2xi64>, tensor<?xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+2 {{input 'x' of type 'tensor<2x3xf32>' comes from here}}
// expected-note @+1 {{input 'y_scale' of type 'tensor<1x2x3xf32>' comes from here}}
func.func @scale(%x: tensor<2x3xf32>, %s: tensor<1x2x3xf32>) {
  // expected-error @+1 {{'onnx.QuantizeLinear' op has a scale of rank 3 for an operand of rank 2}}
  %y = onnx.QuantizeLinear(%x, %s) : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> tensor<*xui8>
  return
}

// -----

func.func @scan(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Scan' op has axis 1 for an operand of rank 1}}
  %y = onnx.Scan(%x) {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 1>} : (tensor<2xf32>) -> tensor<*xf32> body {
  ^bb0(%row: tensor<*xf32>):
    onnx.Yield %row : tensor<*xf32>
  }
  return
}

// -----

// expected-note @+2 {{input 'data' of type 'tensor<2xf32>' comes from here}}
// expected-note @+1 {{input 'axes' of type 'tensor<2xi64>' comes from here}}
func.func @more_axes(%x: tensor<2xf32>, %axes: tensor<2xi64>) {
  // expected-error @+1 {{'onnx.ReduceSum' op has 2 axes for an operand of rank 1}}
  %y = onnx.ReduceSum(%x) axes(%axes) : (tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+1 {{input 'data' of type 'tensor<2x3xf32>' comes from here}}
func.func @elements(%x: tensor<2x3xf32>) {
  // expected-note @+1 {{input 'shape' of type 'tensor<2xi64>' comes from here}}
  %shape = onnx.Constant dense<[4, 2]> : tensor<2xi64>
  // expected-error @+1 {{'onnx.Reshape' op does not give 6 elements a shape of 8}}
  %y = onnx.Reshape(%x, %shape) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+2 {{input 'X' of type 'tensor<2x3xf32>' comes from here}}
// expected-note @+1 {{input 'scales' of type 'tensor<3xf32>' comes from here}}
func.func @resized(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'onnx.Resize' op resizes 3 dimensions of an operand of rank 2}}
  %y = onnx.Resize(%x) scales(%s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @permutation(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{'onnx.Transpose' op has a permutation of 3 axes for an operand of rank 4}}
  %y = onnx.Transpose(%x) {perm = array<i64: 2, 1, 0>} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+1 {{comes from here}}
func.func @rows_by_positions(%x: tensor<2x4x3x8xf32>, %c: tensor<2x3x4xf32>, %p: tensor<2x3xi64>) {
  // expected-error @+1 {{'onnx.RotaryEmbedding' op expects input 'cos_cache' to have rank 2 with position_ids, but it has rank 3}}
  %y = onnx.RotaryEmbedding(%x, %c, %c) position_ids(%p) : (tensor<2x4x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<*xf32>
  return
}

// -----

// expected-note @+1 {{comes from here}}
func.func @rows_of_batches(%x: tensor<2x4x3x8xf32>, %c: tensor<6x4xf32>) {
  // expected-error @+1 {{'onnx.RotaryEmbedding' op expects input 'cos_cache' to have rank 3 without position_ids, but it has rank 2}}
  %y = onnx.RotaryEmbedding(%x, %c, %c) : (tensor<2x4x3x8xf32>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<*xf32>
  return
}
