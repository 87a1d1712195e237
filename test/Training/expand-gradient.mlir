// RUN: onnx-opt %s --onnx-expand-gradient --split-input-file --verify-diagnostics | FileCheck %s

// The operands are the points, the tensors of xs, and y. What was broadcast is
// summed up.
// CHECK-LABEL: func @product
// CHECK-SAME:    (%[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<3xf32>)
// CHECK:         %[[DY:.+]] = onnx.Expand
// CHECK:         %[[DA:.+]] = onnx.Mul(%[[DY]], %[[B]])
// CHECK:         %[[WIDE:.+]] = onnx.Mul(%[[DY]], %[[A]])
// CHECK:         %[[DB:.+]] = onnx.ReduceSum(%[[WIDE]]) {{.*}}keepdims = 0
// CHECK:         return %[[DA]], %[[DB]]
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %y = onnx.Mul(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %d:2 = onnx.training.Gradient(%a, %b, %a, %b, %y) {xs = ["a", "b"], y = "y"} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %d#0, %d#1 : tensor<2x3xf32>, tensor<3xf32>
}

// -----

// Sizes that are equal in every run are not compared in the run.
// CHECK-LABEL: func @same_unknown_size
// CHECK-NOT:     onnx.NonZero
// CHECK:         return
func.func @same_unknown_size(%a: tensor<?x3xf32>, %b: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %e = onnx.Exp(%a) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %s = onnx.Add(%e, %b) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %y = onnx.Mul(%s, %a) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %d:2 = onnx.training.Gradient(%a, %b, %a, %b, %y) {xs = ["a", "b"], y = "y"} : (tensor<?x3xf32>, tensor<3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>)
  return %d#0, %d#1 : tensor<?x3xf32>, tensor<3xf32>
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

// An operator without a rule becomes what its schema says it is.
// CHECK-LABEL: func @by_its_body
// CHECK-NOT:     onnx.Mish
// CHECK:         onnx.Tanh
func.func @by_its_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Mish(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Or a composition of ours: in training, statistics of the batch are means.
// CHECK-LABEL: func @by_a_composition
// CHECK-NOT:     onnx.BatchNormalization
// CHECK:         onnx.ReduceMean
func.func @by_a_composition(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %y, %m, %v = onnx.BatchNormalization(%x, %s, %s, %s, %s) {training_mode = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32> running_mean tensor<3xf32> running_var tensor<3xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %d : tensor<2x3x4xf32>
}

// -----

// What does not lead to y needs no rule, and integers end the way.
// CHECK-LABEL: func @beside_the_way
// CHECK:         onnx.Unique
func.func @beside_the_way(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %u = onnx.Unique(%x) : (tensor<4xf32>) -> tensor<?xf32>
  %i = onnx.Cast(%x) {to = 7 : i64} : (tensor<4xf32>) -> tensor<4xi64>
  %f = onnx.Cast(%i) {to = 1 : i64} : (tensor<4xi64>) -> tensor<4xf32>
  %y = onnx.Mul(%f, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d, %u : tensor<4xf32>, tensor<?xf32>
}

// -----

func.func @no_rule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is between the tensors of a Gradient, and has no rule for it}}
  %y = onnx.Unique(%x) : (tensor<4xf32>) -> tensor<?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @sequences(%x: tensor<4xf32>, %i: tensor<i64>) -> tensor<4xf32> {
  // expected-error @+1 {{is between the tensors of a Gradient, and has no rule for it}}
  %s = onnx.SequenceConstruct(%x) : (tensor<4xf32>) -> !onnx.seq<tensor<4xf32>>
  %y = onnx.SequenceAt(%s, %i) : (!onnx.seq<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @without_tensors(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{needs a point for each of xs and zs}}
  %d = onnx.training.Gradient(%x) {xs = ["x"], y = "y"} : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

func.func @no_float(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  // expected-error @+1 {{y is not a tensor of floats}}
  %d = onnx.training.Gradient(%x, %x, %n) {xs = ["x"], y = "y"} : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<f32>
  return %d : tensor<f32>
}
