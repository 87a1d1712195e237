// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation" --split-input-file --verify-diagnostics | FileCheck %s

// A branch for other sizes: only runs that take it fail.
// CHECK-LABEL: func @then_branch
// CHECK-SAME:    %[[X:.+]]: tensor<2x3xf32>, %[[C:.+]]: tensor<i1>) -> tensor<2x3xf32>
// CHECK-NEXT:    onnx.Fail "{{.*}}must be 1{{.*}}" if %[[C]] : tensor<i1>
// CHECK-NEXT:    %[[R:.+]] = onnx.Relu(%[[X]])
// CHECK-NEXT:    return %[[R]]
func.func @then_branch(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    // expected-warning @+1 {{must be 1}}
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
    %b = onnx.Neg(%a) : (none) -> none
    onnx.Yield %b : none
  } else_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  }
  return %r : none
}

// -----

// CHECK-LABEL: func @else_branch
// CHECK-SAME:    %[[C:[^ ]+]]: tensor<i1>
// CHECK-NEXT:    %[[N:.+]] = onnx.Not(%[[C]])
// CHECK-NEXT:    onnx.Fail "{{.*}}" if %[[N]] : tensor<i1>
// CHECK-NEXT:    return %arg0
func.func @else_branch(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    onnx.Yield %x : tensor<2x3xf32>
  } else_branch {
    // expected-warning @+1 {{a run that comes to this node fails}}
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
    onnx.Yield %a : none
  }
  return %r : none
}

// -----

// The branch around both is one that a run may take.
// CHECK-LABEL: func @both_branches
// CHECK-SAME:    %[[C:[^ ]+]]: tensor<i1>, %[[D:[^ ]+]]: tensor<i1>
// CHECK-NEXT:    onnx.Fail "{{.*}}" if %[[C]] : tensor<i1>
// CHECK-NEXT:    return %arg0
func.func @both_branches(%x: tensor<2x3xf32>, %c: tensor<i1>, %d: tensor<i1>) -> none {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %i = onnx.If(%d) : (tensor<i1>) -> none then_branch {
      // expected-warning @+1 {{a run that comes to this node fails}}
      %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
      onnx.Yield %a : none
    } else_branch {
      // expected-warning @+1 {{a run that comes to this node fails}}
      %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
      onnx.Yield %a : none
    }
    onnx.Yield %i : none
  } else_branch {
    onnx.Yield %x : tensor<2x3xf32>
  }
  return %r : none
}

// -----

// A loop may end before its first iteration.
// CHECK-LABEL: func @loop
// CHECK:         onnx.Loop
// CHECK:           %[[R:.+]]:2 = onnx.Fail "{{.*}}" -> tensor<i1>, tensor<2x3xf32>
// CHECK-NEXT:      onnx.Yield %[[R]]#0, %[[R]]#1
func.func @loop(%m: tensor<i64>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.Loop M(%m) v_initial(%x) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2x3xf32>):
    // expected-warning @+1 {{a run that comes to this node fails}}
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    %n = onnx.Add(%a, %v) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.Yield %c, %n : tensor<i1>, tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// Each run makes three iterations.
// expected-note @+1 {{input 'data' of type 'tensor<2x3xf32>' comes from here}}
func.func @certain_loop(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %m = onnx.Constant dense<3> : tensor<i64>
  // expected-note @+1 {{input 'axes' of type 'tensor<1xi64>' comes from here}}
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.Loop M(%m) v_initial(%x) : (tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2x3xf32>):
    // expected-error @+1 {{must be 1}}
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    %n = onnx.Add(%a, %v) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.Yield %c, %n : tensor<i1>, tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// A branch that makes a tensor which no memory holds.
// CHECK-LABEL: func @too_large
// CHECK-SAME:    %[[X:.+]]: tensor<2x3xf32>, %[[C:.+]]: tensor<i1>
// CHECK-NEXT:    onnx.Fail "a tensor of type f32[2, 3, 9000000000, 9000] is too large: at most {{[0-9]+}} bytes" if %[[C]]
// CHECK-NEXT:    onnx.Relu(%[[X]])
func.func @too_large(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %sizes = onnx.Constant dense<[2, 3, 9000000000, 9000]> : tensor<4xi64>
  %axes = onnx.Constant dense<[2, 3]> : tensor<2xi64>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %u = onnx.Unsqueeze(%x, %axes) : (tensor<2x3xf32>, tensor<2xi64>) -> none
    // expected-warning @+1 {{a run that comes to this node fails: a tensor of type f32[2, 3, 9000000000, 9000] is too large}}
    %a = onnx.Expand(%u, %sizes) : (none, tensor<4xi64>) -> none
    %b = onnx.ReduceSum(%a) axes(%axes) {keepdims = 0 : i64} : (none, tensor<2xi64>) -> none
    onnx.Yield %b : none
  } else_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  }
  return %r : none
}

// -----

// Ranks that do not fit.
// CHECK-LABEL: func @other_rank
// CHECK-SAME:    %[[X:.+]]: tensor<2x3xf32>, %[[C:.+]]: tensor<i1>
// CHECK-NEXT:    onnx.Fail "invalid attribute perm {0, 2, 1}, input shape = {2, 3}: data is float[2, 3]" if %[[C]]
// CHECK-NEXT:    onnx.Relu(%[[X]])
func.func @other_rank(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    // expected-warning @+1 {{a run that comes to this node fails}}
    %a = onnx.Transpose(%x) {perm = array<i64: 0, 2, 1>} : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  }
  return %r : none
}

// -----

// A node that is wrong whatever the sizes are makes the model wrong.
func.func @wrong_node(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    // expected-error @+1 {{equation has '1' where a letter or '...' is expected}}
    %a = onnx.Einsum(%x) {equation = "1j->j"} : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    onnx.Yield %x : tensor<2x3xf32>
  }
  return %r : none
}

// -----

// Of alternatives the one that cannot be goes, without a word.
// CHECK-LABEL: func @alternatives
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<2x3xf32>
// CHECK-NEXT:    %[[R:.+]] = onnx.Relu(%[[X]])
// CHECK-NEXT:    return %[[R]]
func.func @alternatives(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %r = onnx.If(%c) {onnx.alternatives} : (tensor<i1>) -> none then_branch {
    %a = onnx.Squeeze(%x) axes(%axes) : (tensor<2x3xf32>, tensor<1xi64>) -> none
    onnx.Yield %a : none
  } else_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  }
  return %r : none
}
