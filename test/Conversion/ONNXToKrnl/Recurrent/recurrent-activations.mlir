// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// Names are compared without case; alpha and beta go to the activations that take them,
// in their order, and others have defaults.
// CHECK-LABEL: func.func @gru
// CHECK-DAG:     arith.constant 2.500000e-01 : f32
// CHECK-DAG:     arith.constant 5.000000e-01 : f32
// CHECK:         arith.minimumf
// CHECK-NOT:     math.tanh
// CHECK-DAG:     arith.constant 7.500000e-01 : f32
// CHECK:         math.exp
func.func @gru(%x: tensor<7x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x2x4xf32> {
  %h = onnx.GRU(%x, %w, %r) {hidden_size = 4 : i64, linear_before_reset = 1 : i64, activations = ["hardSIGMOID", "Elu"], activation_alpha = array<f32: 0.25, 0.75>} : (tensor<7x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> Y_h tensor<1x2x4xf32>
  return %h : tensor<1x2x4xf32>
}

// -----

// Each direction has its own.
// CHECK-LABEL: func.func @directions
// CHECK:         math.tanh
// CHECK:         scf.while
// CHECK:         arith.maximumf
// CHECK-NOT:     math.tanh
func.func @directions(%x: tensor<7x2x3xf32>, %w: tensor<2x4x3xf32>, %r: tensor<2x4x4xf32>) -> tensor<2x2x4xf32> {
  %h = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64, direction = "bidirectional", activations = ["Tanh", "Relu"]} : (tensor<7x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>) -> Y_h tensor<2x2x4xf32>
  return %h : tensor<2x2x4xf32>
}

// -----

func.func @unknown(%x: tensor<7x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<1x2x4xf32> {
  // expected-error @below {{RNN is not supported}}
  // expected-note @below {{unknown activation, or another number of them}}
  %h = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64, activations = ["Wave"]} : (tensor<7x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> Y_h tensor<1x2x4xf32>
  return %h : tensor<1x2x4xf32>
}
