// RUN: onnx-opt %s --onnx-expand-gradient --split-input-file --verify-diagnostics | FileCheck %s

// The operands are the points, the tensors of xs, and y.
// CHECK-LABEL: func @product
// CHECK-SAME:    (%[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<3xf32>)
// CHECK:         %[[DY:.+]] = onnx.Expand
// CHECK:         %[[DA:.+]] = onnx.Mul(%[[DY]], %[[B]])
// CHECK:         %[[WIDE:.+]] = onnx.Mul(%[[DY]], %[[A]])
// CHECK:         %[[SUM:.+]] = onnx.ReduceSum(%[[WIDE]]
// CHECK:         %[[DB:.+]] = onnx.Reshape(%[[SUM]]
// CHECK:         return %[[DA]], %[[DB]]
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %y = onnx.Mul(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %d:2 = onnx.training.Gradient(%a, %b, %a, %b, %y) {xs = ["a", "b"], y = "y"} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %d#0, %d#1 : tensor<2x3xf32>, tensor<3xf32>
}

// -----

// At another point, the function is computed again there; without a way from x
// to y nothing changes.
// CHECK-LABEL: func @another_point
// CHECK-SAME:    (%[[X:.+]]: tensor<f32>, %[[P:.+]]: tensor<f32>)
// CHECK:         %[[AT:.+]] = onnx.Exp(%[[P]])
// CHECK:         %[[D:.+]] = onnx.Mul(%{{.+}}, %[[AT]])
// CHECK:         return %[[D]]
func.func @another_point(%x: tensor<f32>, %p: tensor<f32>) -> tensor<f32> {
  %y = onnx.Exp(%x) : (tensor<f32>) -> tensor<f32>
  %d = onnx.training.Gradient(%p, %x, %y) {xs = ["x"], y = "y"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// CHECK-LABEL: func @unrelated
// CHECK:         %[[ZERO:.+]] = onnx.Constant dense<0.000000e+00>
// CHECK:         onnx.Expand(%[[ZERO]]
func.func @unrelated(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %y = onnx.Exp(%z) : (tensor<f32>) -> tensor<f32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @no_rule(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{is between the tensors of a Gradient, and has no rule for it}}
  %y = onnx.Erf(%x) : (tensor<f32>) -> tensor<f32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

func.func @without_tensors(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{needs a point for each of xs and zs}}
  %d = onnx.training.Gradient(%x) {xs = ["x"], y = "y"} : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
