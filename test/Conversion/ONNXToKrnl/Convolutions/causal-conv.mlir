// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The state goes before the operand; the last elements of both are the next
// state.
// CHECK-LABEL: func.func @with_state
// CHECK: krnl.kernel "CausalConvWithState.pad" loops [d0 = 1, d1 = %{{[^],]+}}, d2 = 7]
// CHECK: krnl.kernel "CausalConvWithState" loops [d0 = 1, d1 = %{{[^],]+}}, d2 = 5, k = 3]
// CHECK: krnl.kernel "CausalConvWithState.state"
func.func @with_state(%x: tensor<1x?x5xf32>, %w: tensor<?x1x3xf32>, %past: tensor<1x?x2xf32>) -> (tensor<1x?x5xf32>, tensor<1x?x2xf32>) {
  %y, %state = onnx.CausalConvWithState(%x, %w) past_state(%past) {activation = "silu"} : (tensor<1x?x5xf32>, tensor<?x1x3xf32>, tensor<1x?x2xf32>) -> (tensor<1x?x5xf32>, tensor<1x?x2xf32>)
  return %y, %state : tensor<1x?x5xf32>, tensor<1x?x2xf32>
}
