// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics
//
// Of operands that disagree notes say where each comes from.

// expected-note @+1 {{input 'B' of type 'tensor<4xf32>' comes from here}}
func.func @broadcast(%x: tensor<2x3xf32>, %w: tensor<4xf32>) {
  // expected-note @+1 {{input 'A' of type 'tensor<2x3xf32>' comes from here}}
  %e = onnx.Exp(%x) : (tensor<2x3xf32>) -> none
  // expected-error @+1 {{incompatible dimensions}}
  %0 = onnx.Add(%e, %w) : (none, tensor<4xf32>) -> none
  return
}

// -----

// One operand disagrees with attributes alone.
func.func @alone(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{perm}}
  %0 = onnx.Transpose(%x) {perm = array<i64: 0>} : (tensor<2x3xf32>) -> none
  return
}
