// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// A loop that always runs M times stacks M slices; one that may stop does not.
// CHECK-LABEL: func @trip_count
// CHECK:         onnx.Loop{{.*}}["n", "4"]
// CHECK:         onnx.Loop{{.*}}["u{{[0-9]+}}", "4"]
func.func @trip_count(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                      %stop: tensor<i1>) -> (none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %true = onnx.Constant dense<true> : tensor<i1>
  %shape = onnx.Shape(%x) : (tensor<?x4xf32>) -> none
  %n = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %0 = onnx.Loop M(%n) cond(%true) : (none, tensor<i1>) -> none body {
  ^bb0(%i: none, %c: none):
    %row = onnx.Gather(%x, %i) : (tensor<?x4xf32>, none) -> none
    onnx.Yield %c, %row : none, none
  }
  %1 = onnx.Loop M(%n) cond(%true) : (none, tensor<i1>) -> none body {
  ^bb0(%i: none, %c: none):
    %row = onnx.Gather(%x, %i) : (tensor<?x4xf32>, none) -> none
    onnx.Yield %stop, %row : tensor<i1>, none
  }
  return %0, %1 : none, none
}

// -----

// Sizes that both branches agree on are kept.
// CHECK-LABEL: func @branches
// CHECK:         onnx.If{{.*}}["n", "u{{[0-9]+}}"]
func.func @branches(%c: tensor<i1>, %x: tensor<?x?xf32> {onnx.dims = ["n", "h"]},
                    %y: tensor<?x?xf32> {onnx.dims = ["n", "w"]}) -> none {
  %0 = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %a = onnx.Neg(%x) : (tensor<?x?xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    %b = onnx.Neg(%y) : (tensor<?x?xf32>) -> none
    onnx.Yield %b : none
  }
  return %0 : none
}

// -----

// A constant condition: the other branch does not count.
// CHECK-LABEL: func @taken_branch
// CHECK:         onnx.If{{.*}}["n", "h"]
func.func @taken_branch(%x: tensor<?x?xf32> {onnx.dims = ["n", "h"]},
                        %y: tensor<?x?xf32> {onnx.dims = ["n", "w"]}) -> none {
  %c = onnx.Constant dense<true> : tensor<i1>
  %0 = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %a = onnx.Neg(%x) : (tensor<?x?xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    %b = onnx.Neg(%y) : (tensor<?x?xf32>) -> none
    onnx.Yield %b : none
  }
  return %0 : none
}

// -----

// State that grows in each iteration has no size that holds for all of them;
// its other sizes stay.
// CHECK-LABEL: func @growing_state
// CHECK:         onnx.Loop{{.*}}["u{{[0-9]+}}", "n"]
func.func @growing_state(%count: tensor<i64>, %x: tensor<1x?xf32> {onnx.dims = ["", "n"]}) -> none {
  %true = onnx.Constant dense<true> : tensor<i1>
  %0 = onnx.Loop M(%count) cond(%true) v_initial(%x) : (tensor<i64>, tensor<i1>, tensor<1x?xf32>) -> none body {
  ^bb0(%i: none, %c: none, %state: none):
    %next = onnx.Concat(%state, %x) {axis = 0 : i64} : (none, tensor<1x?xf32>) -> none
    onnx.Yield %c, %next : none, none
  }
  return %0 : none
}

// -----

// Scan: a state keeps its sizes, slices lose the scanned axis and get it back.
// CHECK-LABEL: func @scan
// CHECK:         onnx.Scan{{.*}}["h"], ["h", "n"]
func.func @scan(%s: tensor<?xf32> {onnx.dims = ["h"]},
                %x: tensor<?x?xf32> {onnx.dims = ["n", "h"]}) -> (none, none) {
  %0:2 = onnx.Scan(%s, %x) {num_scan_inputs = 1 : i64, scan_output_axes = array<i64: 1>}
      : (tensor<?xf32>, tensor<?x?xf32>) -> (none, none) body {
  ^bb0(%state: none, %row: none):
    %next = onnx.Add(%state, %row) : (none, none) -> none
    onnx.Yield %next, %next : none, none
  }
  return %0#0, %0#1 : none, none
}
