// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics

func.func @operand(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+2 {{'onnx.Neg' op needs to know the rank of input 'X'}}
  // expected-note @+1 {{where these are sizes of inputs, --shape or --dim can give them}}
  %0 = onnx.Neg(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @condition(%c: tensor<*xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{'onnx.If' op needs to know the rank of input 'cond'}}
  // expected-note @+1 {{where these are sizes of inputs, --shape or --dim can give them}}
  %0 = onnx.If(%c) : (tensor<*xi1>) -> tensor<2xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @position(%s: !onnx.seq<tensor<2xf32>>, %p: tensor<*xi64>) -> tensor<2xf32> {
  // expected-error @+2 {{'onnx.SequenceAt' op needs to know the rank of input 'position'}}
  // expected-note @+1 {{where these are sizes of inputs, --shape or --dim can give them}}
  %0 = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<2xf32>>, tensor<*xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @without_types(%x: tensor<3x4xf32>) -> none {
  // expected-error @+1 {{'onnx.NonZero' op has a value whose type has not been inferred}}
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> none
  // expected-error @+1 {{'onnx.Transpose' op has a value whose type has not been inferred}}
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (none) -> none
  return %1 : none
}

// -----

func.func @unused(%x: tensor<2x3xf32>, %shape: tensor<2xi64>) {
  // expected-error @+1 {{'onnx.Expand' op has a value whose type has not been inferred}}
  %0 = onnx.Expand(%x, %shape) : (tensor<2x3xf32>, tensor<2xi64>) -> none
  return
}
