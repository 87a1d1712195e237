// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @branch_takes_values(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.If' op expects its then_branch to take 0 values, but got 1}}
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<2xf32> then_branch {
  ^bb0(%a: tensor<2xf32>):
    onnx.Yield %a : tensor<2xf32>
  } else_branch {
    onnx.Yield %x : tensor<2xf32>
  }
  return
}

// -----

func.func @branch_yields_too_much(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.If' op expects its else_branch to yield 1 values, but got 2}}
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<2xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %x, %x : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// Shapes of the branches may differ, element types may not.
func.func @branch_types(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<2xi64>) {
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<?xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %y : tensor<3xf32>
  }
  // expected-error @+1 {{'onnx.If' op expects value #0 that its else_branch yields to be of type 'tensor<?xf32>' up to its shape, but got 'tensor<2xi64>'}}
  %1 = onnx.If(%c) : (tensor<i1>) -> tensor<?xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    onnx.Yield %z : tensor<2xi64>
  }
  return
}

// -----

func.func @loop_without_result(%n: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Loop' op carries 2 values, but has only 1 results}}
  %0 = onnx.Loop M(%n) v_initial(%x, %x) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    onnx.Yield %c, %a : tensor<i1>, tensor<2xf32>
  }
  return
}

// -----

func.func @loop_body_takes_too_little(%n: tensor<i64>, %x: tensor<2xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{'onnx.Loop' op expects its body to take 3 values, but got 2}}
  %0 = onnx.Loop M(%n) v_initial(%x) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> body {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    onnx.Yield %c, %a : tensor<i1>, tensor<2xf32>
  }
  return
}

// -----

func.func @loop_body_yields_too_little(%n: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Loop' op expects its body to yield 2 values, but got 1}}
  %0 = onnx.Loop M(%n) v_initial(%x) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>):
    onnx.Yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @loop_carries_another_type(%n: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Loop' op expects value #0 that its body takes to be of type 'tensor<2xf32>' up to its shape, but got 'tensor<2xi64>'}}
  %0 = onnx.Loop M(%n) v_initial(%x) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<2xi64>):
    onnx.Yield %c, %a : tensor<i1>, tensor<2xi64>
  }
  return
}

// -----

func.func @scan_of_too_few(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'onnx.Scan' op cannot scan 2 of 1 operands to 1 results}}
  %0 = onnx.Scan(%x) {num_scan_inputs = 2 : i64} : (tensor<4x2xf32>) -> tensor<4x2xf32> body {
  ^bb0(%a: tensor<2xf32>):
    onnx.Yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @scan_body_takes_too_much(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'onnx.Scan' op expects its body to take 1 values, but got 2}}
  %0 = onnx.Scan(%x) {num_scan_inputs = 1 : i64} : (tensor<4x2xf32>) -> tensor<4x2xf32> body {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    onnx.Yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @map_body_yields_too_much(%x: !onnx.seq<tensor<2xf32>>) {
  // expected-error @+1 {{'onnx.SequenceMap' op expects its body to yield 1 values, but got 2}}
  %0 = onnx.SequenceMap(%x) : (!onnx.seq<tensor<2xf32>>) -> !onnx.seq<tensor<2xf32>> body {
  ^bb0(%a: tensor<2xf32>):
    onnx.Yield %a, %a : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

func.func @result_of_a_failure_that_may_not_be(%c: tensor<i1>) -> tensor<2xf32> {
  // expected-error @+1 {{'onnx.Fail' op has results and a condition}}
  %0 = onnx.Fail "too few" if %c : tensor<i1> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
