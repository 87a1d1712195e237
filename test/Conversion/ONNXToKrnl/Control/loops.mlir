// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// An optional that a loop carries takes the sequence that its body yields; the
// result, which is not an optional, is taken out of it.
// CHECK-LABEL: func.func @optional_state
// CHECK: %[[L:.*]]:3 = scf.while
// CHECK: %[[S:.*]] = krnl.call @onnxc_call_sequence_construct
// CHECK: %[[O:.*]] = krnl.call @onnxc_call_optional(%[[S]]) params [0]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[O]]
// CHECK: krnl.call @onnxc_call_optional_get_element(%[[L]]#2) shared
func.func @optional_state(%m: tensor<i64>, %o: !onnx.opt<!onnx.seq<tensor<f32>>>, %x: tensor<f32>) -> !onnx.seq<tensor<f32>> {
  %r = onnx.Loop M(%m) v_initial(%o) : (tensor<i64>, !onnx.opt<!onnx.seq<tensor<f32>>>) -> !onnx.seq<tensor<f32>> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: !onnx.opt<!onnx.seq<tensor<f32>>>):
    %s = onnx.SequenceConstruct(%x) : (tensor<f32>) -> !onnx.seq<tensor<f32>>
    onnx.Yield %c, %s : tensor<i1>, !onnx.seq<tensor<f32>>
  }
  return %r : !onnx.seq<tensor<f32>>
}

// Rows of unknown size are compared with the first; every iteration looks at the
// deadline.
// CHECK-LABEL: func.func @rows
// CHECK: krnl.call @onnxc_call_poll() stateful : () -> ()
// CHECK: krnl.check %{{.*}}, "Loop: the rows of a scan output differ in shape"
func.func @rows(%m: tensor<i64>, %x: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = onnx.Loop M(%m) : (tensor<i64>) -> tensor<?x?xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.Yield %c, %x : tensor<i1>, tensor<?xf32>
  }
  return %r : tensor<?x?xf32>
}

// A loop that nothing but M ends knows how many rows there will be.
// CHECK-LABEL: func.func @rows_expected
// CHECK: %[[M:.*]] = arith.index_cast
// CHECK: %[[L:.*]]:3 = scf.while
// CHECK: krnl.append_row %arg1 to %{{.*}}[%{{.*}}] of %[[M]] : tensor<2xf32> to tensor<?x2xf32>
// CHECK: krnl.first_rows %[[L]]#2[%[[L]]#0] : tensor<?x2xf32>
func.func @rows_expected(%m: tensor<i64>, %x: tensor<2xf32>) -> tensor<?x2xf32> {
  %r = onnx.Loop M(%m) : (tensor<i64>) -> tensor<?x2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.Yield %c, %x : tensor<i1>, tensor<2xf32>
  }
  return %r : tensor<?x2xf32>
}

// One that a condition may end does not.
// CHECK-LABEL: func.func @rows_not_expected
// CHECK: krnl.append_row %arg1 to %{{.*}}[%{{.*}}] of %c0{{.*}} : tensor<2xf32> to tensor<?x2xf32>
func.func @rows_not_expected(%m: tensor<i64>, %x: tensor<2xf32>, %go: tensor<i1>) -> tensor<?x2xf32> {
  %r = onnx.Loop M(%m) : (tensor<i64>) -> tensor<?x2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.Yield %go, %x : tensor<i1>, tensor<2xf32>
  }
  return %r : tensor<?x2xf32>
}

// Rows of unknown rank are gathered in a sequence, and stacked in the end.
// CHECK-LABEL: func.func @unranked_rows
// CHECK: %[[NONE:.*]] = krnl.call @onnxc_call_sequence_construct() params [0]
// CHECK: %[[L:.*]]:3 = scf.while (%{{.*}}, %{{.*}}, %{{.*}} = %[[NONE]])
// CHECK: %[[S:.*]] = krnl.call @onnxc_call_sequence_insert(%{{.*}}, %{{.*}}) takes [0] params [1]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[S]]
// CHECK: krnl.call @onnxc_call_stack_rows(%[[L]]#2) shared params [1, 0, 0]
func.func @unranked_rows(%m: tensor<i64>, %x: tensor<*xf32>) -> tensor<*xf32> {
  %r = onnx.Loop M(%m) : (tensor<i64>) -> tensor<*xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.Yield %c, %x : tensor<i1>, tensor<*xf32>
  }
  return %r : tensor<*xf32>
}

// Those of a Scan go along the axis that it says, here the last one first.
// CHECK-LABEL: func.func @unranked_scan
// CHECK: krnl.call @onnxc_call_stack_rows(%{{.*}}) shared params [1, -1, 1]
func.func @unranked_scan(%s: tensor<?xf32>, %x: tensor<*xf32>) -> tensor<*xf32> {
  %r = onnx.Scan(%s) {num_scan_inputs = 1 : i64, scan_output_axes = array<i64: -1>, scan_output_directions = array<i64: 1>} : (tensor<?xf32>) -> tensor<*xf32> body {
  ^bb0(%e: tensor<f32>):
    onnx.Yield %x : tensor<*xf32>
  }
  return %r : tensor<*xf32>
}
