// RUN: onnx-opt %s --onnx-expand-gradient --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Each branch goes back in a branch, under the same condition.
// CHECK-LABEL: func @branches
// CHECK-SAME:    (%[[C:.+]]: tensor<i1>, %[[X:.+]]: tensor<3xf32>)
// CHECK:         onnx.If(%[[C]])
// CHECK:         %[[D:.+]] = onnx.If(%[[C]])
// CHECK:           onnx.Yield
// CHECK:         } else_branch {
// CHECK:           %[[E:.+]] = onnx.Exp(%[[X]])
// CHECK:           onnx.Mul(%{{.+}}, %[[E]])
// CHECK:         return %[[D]]
func.func @branches(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %y = onnx.If(%c) : (tensor<i1>) -> tensor<3xf32> then_branch {
    %1 = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
    onnx.Yield %1 : tensor<3xf32>
  } else_branch {
    %1 = onnx.Exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
    onnx.Yield %1 : tensor<3xf32>
  }
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// The loop puts aside what each iteration began with; a Scan goes back over that,
// last iteration first.
// CHECK-LABEL: func @iterations
// CHECK:         %[[L:.+]]:3 = onnx.Loop
// CHECK:         onnx.Scan({{.*}}%[[L]]#1, %[[L]]#2
// CHECK-SAME:      scan_input_directions = array<i64: 1, 1>
func.func @iterations(%m: tensor<i64>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %y = onnx.Loop M(%m) v_initial(%x) : (tensor<i64>, tensor<3xf32>) -> tensor<3xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<3xf32>):
    %t = onnx.Sin(%s) : (tensor<3xf32>) -> tensor<3xf32>
    onnx.Yield %c, %t : tensor<i1>, tensor<3xf32>
  }
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @sequence_state(%m: tensor<i64>, %x: tensor<3xf32>, %s: !onnx.seq<tensor<3xf32>>) -> tensor<3xf32> {
  // expected-error @+1 {{has a gradient where all loop-carried values are tensors of known ranks only}}
  %q, %y = onnx.Loop M(%m) v_initial(%s, %x) : (tensor<i64>, !onnx.seq<tensor<3xf32>>, tensor<3xf32>) -> (!onnx.seq<tensor<3xf32>>, tensor<3xf32>) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %p: !onnx.seq<tensor<3xf32>>, %v: tensor<3xf32>):
    %t = onnx.Sin(%v) : (tensor<3xf32>) -> tensor<3xf32>
    onnx.Yield %c, %p, %t : tensor<i1>, !onnx.seq<tensor<3xf32>>, tensor<3xf32>
  }
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}
