// RUN: onnx-opt %s --onnx-expand-functions=keep=onnx.Softmax --split-input-file --verify-diagnostics | FileCheck %s

// The graph that the operator carries is between the scores and their softmax;
// for the other one, which it does not carry, there is nothing.
// CHECK-LABEL: func @score_mod
// CHECK:         %[[PRODUCT:.+]] = onnx.MatMul
// CHECK:         %[[SCORES:.+]] = onnx.Cast(%[[PRODUCT]])
// CHECK:         %[[IN:.+]] = onnx.Identity(%[[SCORES]])
// CHECK:         %[[OUT:.+]] = onnx.Tanh(%[[IN]])
// CHECK:         %[[SAME:.+]] = onnx.Identity(%[[OUT]])
// CHECK:         onnx.Softmax(%[[SAME]])
// CHECK-NOT:     FlexAttention
func.func @score_mod(%q: tensor<1x2x3x4xf16>, %k: tensor<1x2x5x4xf16>, %v: tensor<1x2x5x4xf16>) -> tensor<1x2x3x4xf16> {
  %y = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf16>, tensor<1x2x5x4xf16>, tensor<1x2x5x4xf16>) -> tensor<1x2x3x4xf16> prob_mod {
  } score_mod {
  ^bb0(%scores: tensor<?x?x?x?xf32>):
    %0 = onnx.Tanh(%scores) : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    onnx.Yield %0 : tensor<?x?x?x?xf32>
  }
  return %y : tensor<1x2x3x4xf16>
}

// -----

func.func @two_operands(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
  // expected-error @+1 {{carries a graph that does not fit its body: expected one operand and one result}}
  %y = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> prob_mod {
  } score_mod {
  ^bb0(%scores: tensor<?x?x?x?xf32>, %more: tensor<f32>):
    %0 = onnx.Add(%scores, %more) : (tensor<?x?x?x?xf32>, tensor<f32>) -> tensor<?x?x?x?xf32>
    onnx.Yield %0 : tensor<?x?x?x?xf32>
  }
  return %y : tensor<1x2x3x4xf32>
}
