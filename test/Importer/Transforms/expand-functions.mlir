// RUN: onnx-opt %s --onnx-expand-functions --split-input-file --verify-diagnostics | FileCheck %s
// RUN: onnx-opt %s --onnx-expand-functions=keep=onnx.Softplus,onnx.Attention,onnx.Gelu --split-input-file | FileCheck %s --check-prefix=KEEP
// RUN: not onnx-opt %s --onnx-expand-functions --split-input-file --remarks-filter=onnx-expand-functions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] ExpandFunction {{.+}} From=Softplus, Into="the body that defines it"

// The constant is cast to the type of the input, which the body depends on.
// CHECK-LABEL: func @context_dependent_body
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf16>
// CHECK-NEXT:    %[[EXP:.+]] = onnx.Exp(%[[X]]) : (tensor<?x4xf16>) -> tensor<?x4xf16>
// CHECK-NEXT:    %[[ONE:.+]] = onnx.Constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[HALF:.+]] = onnx.Cast(%[[ONE]]) {to = 10 : i64}
// CHECK-NEXT:    %[[SUM:.+]] = onnx.Add(%[[EXP]], %[[HALF]])
// CHECK-NEXT:    %[[LOG:.+]] = onnx.Log(%[[SUM]])
// CHECK-NEXT:    return %[[LOG]]
// KEEP: onnx.Softplus
func.func @context_dependent_body(%x: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %y = onnx.Softplus(%x) : (tensor<?x4xf16>) -> tensor<?x4xf16>
  return %y : tensor<?x4xf16>
}

// -----

// Attributes that the operation leaves out have the schema's default in the
// body, whose Reduce operators are of version 13: axes became an input.
// CHECK-LABEL: func @default_attribute
// CHECK:         %[[AXES:.+]] = onnx.Constant dense<[0, 2, 3]> : tensor<3xi64>
// CHECK:         onnx.ReduceMean(%{{.+}}) axes(%[[AXES]])
// CHECK-NOT:     onnx.MeanVarianceNormalization
func.func @default_attribute(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %y = onnx.MeanVarianceNormalization(%x) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

// -----

// The users keep the type that they saw.
// CHECK-LABEL: func @type_of_the_result
// CHECK:         %[[Y:.+]] = onnx.Log({{.+}}) : (tensor<2x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<?x4xf32>
func.func @type_of_the_result(%x: tensor<2x4xf32>) -> tensor<?x4xf32> {
  %y = onnx.Softplus(%x) : (tensor<2x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Nothing that has a body is left: Attention's own body has functions in it.
// CHECK-LABEL: func @bodies_in_bodies
// CHECK-NOT:     onnx.Attention
// CHECK-NOT:     onnx.Softmax
// CHECK:         onnx.Exp
// KEEP-LABEL: func @bodies_in_bodies
// KEEP:         onnx.Attention
func.func @bodies_in_bodies(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32> {
  %y = onnx.Attention(%q, %k, %k) : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// -----

// Operators without a body stay.
// CHECK-LABEL: func @no_body
// CHECK:         onnx.Conv
func.func @no_body(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32> {
  %y = onnx.Conv(%x, %w) : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// -----

// Without knowing the type there is no body for it.
func.func @unknown_type(%x: none) -> none {
  // expected-error@+1 {{cannot be expanded}}
  %y = onnx.Gelu(%x) : (none) -> none
  return %y : none
}
