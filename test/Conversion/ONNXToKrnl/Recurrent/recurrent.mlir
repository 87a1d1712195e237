// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The input is contracted once, the state at every step.
// CHECK-LABEL: func.func @rnn
// CHECK: krnl.kernel "project" loops [t = 7, m = 2, n = 4, k = 3]
// CHECK: scf.while
// CHECK: krnl.kernel "recur" loops [m = 2, n = 4, k = 4]
// CHECK: krnl.kernel "gates" loops [m = 2, n = 4]
// CHECK: math.tanh
// CHECK: scf.yield
// CHECK: krnl.kernel "states"
func.func @rnn(%x: tensor<7x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<1x2x4xf32> {
  %h = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64} : (tensor<7x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> Y_h tensor<1x2x4xf32>
  return %h : tensor<1x2x4xf32>
}
