// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// params: 1 is f32. A loop may append without copying, so insertions take the
// sequence; an element is shared with it, so nothing writes it.
// CHECK-LABEL: func.func @elements
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[P:.*]]: tensor<i64>)
// CHECK: %[[S:.*]] = krnl.call @onnxc_call_sequence_construct(%[[X]]) params [1]
// CHECK: %[[I:.*]] = krnl.call @onnxc_call_sequence_insert(%[[S]], %[[X]]) takes [0] params [1]
// CHECK: %[[AT:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[E:.*]] = krnl.call @onnxc_call_sequence_erase(%[[I]], %[[AT]]) takes [0]
// CHECK: krnl.call @onnxc_call_sequence_at(%[[E]], %{{.*}}) shared params [1] : (!krnl.obj, index) -> tensor<?xf32>
func.func @elements(%x: tensor<?xf32>, %p: tensor<i64>) -> tensor<?xf32> {
  %s = onnx.SequenceConstruct(%x) : (tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
  %i = onnx.SequenceInsert(%s, %x) : (!onnx.seq<tensor<?xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
  %e = onnx.SequenceErase(%i) position(%p) : (!onnx.seq<tensor<?xf32>>, tensor<i64>) -> !onnx.seq<tensor<?xf32>>
  %r = onnx.SequenceAt(%e, %p) : (!onnx.seq<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// bool and int8 look alike in buffers: the call is told which it is (9).
// CHECK-LABEL: func.func @bools
// CHECK: krnl.call @onnxc_call_sequence_construct(%{{.*}}) params [9] : (tensor<2xi8>)
func.func @bools(%x: tensor<2xi1>) -> !onnx.seq<tensor<2xi1>> {
  %s = onnx.SequenceConstruct(%x) : (tensor<2xi1>) -> !onnx.seq<tensor<2xi1>>
  return %s : !onnx.seq<tensor<2xi1>>
}

// A position of unknown size is one number, or the run ends.
// CHECK-LABEL: func.func @odd_position
// CHECK: krnl.check %{{.*}}, "a position in a sequence is one number"
func.func @odd_position(%s: !onnx.seq<tensor<?xf32>>, %p: tensor<?xi64>) -> tensor<?xf32> {
  %r = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<?xf32>>, tensor<?xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @map
// CHECK: %[[N:.*]] = krnl.call @onnxc_call_sequence_length
// CHECK: %[[EMPTY:.*]] = krnl.call @onnxc_call_sequence_construct() params [0]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[S:.*]] = %[[EMPTY]])
// CHECK: krnl.call @onnxc_call_sequence_at(%{{.*}}, %[[I]]) shared params [1]
// CHECK: %[[NEXT:.*]] = krnl.call @onnxc_call_sequence_insert(%[[S]], %{{.*}}) takes [0] params [1]
// CHECK: scf.yield %[[NEXT]]
func.func @map(%s: !onnx.seq<tensor<?xf32>>) -> !onnx.seq<tensor<?xf32>> {
  %r = onnx.SequenceMap(%s) : (!onnx.seq<tensor<?xf32>>) -> !onnx.seq<tensor<?xf32>> body {
  ^bb0(%x: tensor<?xf32>):
    %y = onnx.Neg(%x) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.Yield %y : tensor<?xf32>
  }
  return %r : !onnx.seq<tensor<?xf32>>
}

// What is not an optional is always there.
// CHECK-LABEL: func.func @optionals
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[O:.*]]: !krnl.obj)
// CHECK: krnl.call @onnxc_call_optional_has_element(%[[O]])
// CHECK: krnl.call @onnxc_call_optional_get_element(%[[O]]) shared params [1] : (!krnl.obj) -> tensor<2xf32>
// CHECK-NOT: krnl.call
// CHECK: return
func.func @optionals(%x: tensor<2xf32>, %o: !onnx.opt<tensor<2xf32>>) -> (tensor<i1>, tensor<2xf32>, tensor<i1>, tensor<2xf32>) {
  %0 = onnx.OptionalHasElement(%o) : (!onnx.opt<tensor<2xf32>>) -> tensor<i1>
  %1 = onnx.OptionalGetElement(%o) : (!onnx.opt<tensor<2xf32>>) -> tensor<2xf32>
  %2 = onnx.OptionalHasElement(%x) : (tensor<2xf32>) -> tensor<i1>
  %3 = onnx.OptionalGetElement(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<i1>, tensor<2xf32>, tensor<i1>, tensor<2xf32>
}

// A tensor of unknown rank is an object.
// CHECK-LABEL: func.func @unknown_rank
// CHECK-SAME: (%[[X:.*]]: !krnl.obj
// CHECK: krnl.call @onnxc_call_boxed_shape(%[[X]]) shared params [7, 0, 9223372036854775807]
// CHECK: krnl.call @onnxc_call_boxed_reshape(%[[X]], %{{.*}}) shared params [1, 0]
func.func @unknown_rank(%x: tensor<*xf32>, %s: tensor<2xi64>) -> (tensor<?xi64>, tensor<?x?xf32>) {
  %0 = onnx.Shape(%x) : (tensor<*xf32>) -> tensor<?xi64>
  %1 = onnx.Reshape(%x, %s) : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?xi64>, tensor<?x?xf32>
}

// Where a branch takes a rank for granted, the run checks it.
// CHECK-LABEL: func.func @cast_to_rank
// CHECK-SAME: (%[[X:.*]]: !krnl.obj, %[[S:.*]]: tensor<?xi64>
// CHECK: krnl.call @onnxc_call_unbox(%[[X]]) shared params [1, 0] : (!krnl.obj) -> tensor<?x?xf32>
// CHECK: krnl.check {{.*}}"a value has another size than declared in the graph"
// CHECK: tensor.cast %[[S]] : tensor<?xi64> to tensor<3xi64>
func.func @cast_to_rank(%x: tensor<*xf32>, %s: tensor<?xi64>) -> (tensor<?x?xf32>, tensor<3xi64>) {
  %0 = onnx.Identity(%x) : (tensor<*xf32>) -> tensor<?x?xf32>
  %1 = onnx.Identity(%s) : (tensor<?xi64>) -> tensor<3xi64>
  return %0, %1 : tensor<?x?xf32>, tensor<3xi64>
}
