// RUN: onnx-opt %s --onnx-infer-shapes | FileCheck %s

// A list that a loop appends to has elements of the rank that is appended.
// CHECK-LABEL: func.func @list
// CHECK: onnx.SequenceEmpty {{.*}} -> !onnx.seq<tensor<?xf32>>
// CHECK: ^bb0({{.*}}: !onnx.seq<tensor<?xf32>>)
// CHECK: onnx.SequenceAt{{.*}} -> tensor<?xf32>
func.func @list(%m: tensor<i64>, %x: tensor<?xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  %s = onnx.SequenceEmpty : () -> !onnx.seq<tensor<*xf32>>
  %l = onnx.Loop M(%m) v_initial(%s) : (tensor<i64>, !onnx.seq<tensor<*xf32>>) -> !onnx.seq<tensor<*xf32>> body {
  ^bb0(%j: tensor<i64>, %c: tensor<i1>, %a: !onnx.seq<tensor<*xf32>>):
    %b = onnx.SequenceInsert(%a, %x) : (!onnx.seq<tensor<*xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<*xf32>>
    onnx.Yield %c, %b : tensor<i1>, !onnx.seq<tensor<*xf32>>
  }
  %y = onnx.SequenceAt(%l, %i) : (!onnx.seq<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Elements of different sizes agree on what both know; of different ranks on
// nothing.
// CHECK-LABEL: func.func @elements
// CHECK: onnx.SequenceEmpty {{.*}} -> !onnx.seq<tensor<?x3xf32>>
// CHECK: onnx.SequenceEmpty {{.*}} -> !onnx.seq<tensor<*xf32>>
func.func @elements(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %z: tensor<3xf32>) -> (!onnx.seq<tensor<*xf32>>, !onnx.seq<tensor<*xf32>>) {
  %0 = onnx.SequenceEmpty : () -> !onnx.seq<tensor<*xf32>>
  %1 = onnx.SequenceInsert(%0, %x) : (!onnx.seq<tensor<*xf32>>, tensor<2x3xf32>) -> !onnx.seq<tensor<*xf32>>
  %2 = onnx.SequenceInsert(%1, %y) : (!onnx.seq<tensor<*xf32>>, tensor<4x3xf32>) -> !onnx.seq<tensor<*xf32>>
  %3 = onnx.SequenceEmpty : () -> !onnx.seq<tensor<*xf32>>
  %4 = onnx.SequenceInsert(%3, %x) : (!onnx.seq<tensor<*xf32>>, tensor<2x3xf32>) -> !onnx.seq<tensor<*xf32>>
  %5 = onnx.SequenceInsert(%4, %z) : (!onnx.seq<tensor<*xf32>>, tensor<3xf32>) -> !onnx.seq<tensor<*xf32>>
  return %2, %5 : !onnx.seq<tensor<*xf32>>, !onnx.seq<tensor<*xf32>>
}

// Nobody knows what else comes into an optional.
// CHECK-LABEL: func.func @optional
// CHECK: onnx.SequenceEmpty {{.*}} -> !onnx.seq<tensor<*xf32>>
func.func @optional(%x: tensor<2xf32>) -> !onnx.opt<!onnx.seq<tensor<*xf32>>> {
  %0 = onnx.SequenceEmpty : () -> !onnx.seq<tensor<*xf32>>
  %1 = onnx.SequenceInsert(%0, %x) : (!onnx.seq<tensor<*xf32>>, tensor<2xf32>) -> !onnx.seq<tensor<*xf32>>
  %2 = onnx.Optional(%1) : (!onnx.seq<tensor<*xf32>>) -> !onnx.opt<!onnx.seq<tensor<*xf32>>>
  return %2 : !onnx.opt<!onnx.seq<tensor<*xf32>>>
}
