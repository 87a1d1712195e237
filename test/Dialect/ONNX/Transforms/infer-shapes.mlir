// RUN: onnx-opt %s --onnx-infer-shapes=annotate=false --split-input-file | FileCheck %s

// The schema's own function, with an operand that is a small constant.
// CHECK-LABEL: func @constant_operand
// CHECK:         onnx.ReduceSum{{.*}} -> tensor<2x1x4xf32>
// CHECK:         return {{.*}} : tensor<2x1x4xf32>
func.func @constant_operand(%x: tensor<2x3x4xf32>) -> none {
  %axes = onnx.Constant dense<1> : tensor<1xi64>
  %y = onnx.ReduceSum(%x) axes(%axes) : (tensor<2x3x4xf32>, tensor<1xi64>) -> none
  return %y : none
}

// -----

// What is declared stays where inference knows less, and the other way round.
// CHECK-LABEL: func @merge_with_declared
// CHECK:         onnx.Relu{{.*}} -> tensor<2x3x4xf32>
func.func @merge_with_declared(%x: tensor<?x3x4xf32>) -> tensor<2x?x4xf32> {
  %y = onnx.Relu(%x) : (tensor<?x3x4xf32>) -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// -----

// But not a size of 1 for a dimension of the inputs, which depends on the run:
// exporters write down there that their example was one.
// CHECK-LABEL: func @declared_example
// CHECK-SAME:      -> tensor<?x3x4xf32>
// CHECK:         onnx.Relu{{.*}} -> tensor<?x3x4xf32>
func.func @declared_example(%x: tensor<?x3x4xf32>) -> tensor<1x?x4xf32> {
  %y = onnx.Relu(%x) : (tensor<?x3x4xf32>) -> tensor<1x?x4xf32>
  return %y : tensor<1x?x4xf32>
}

// -----

// An operator without a function: the type variable of its operand.
// CHECK-LABEL: func @type_variable
// CHECK:         onnx.GroupNormalization{{.*}} -> tensor<1x4x?xf32>
func.func @type_variable(%x: tensor<1x4x?xf32>, %s: tensor<4xf32>) -> none {
  %y = onnx.GroupNormalization(%x, %s, %s) {num_groups = 2 : i64}
      : (tensor<1x4x?xf32>, tensor<4xf32>, tensor<4xf32>) -> none
  return %y : none
}

// -----

// An operator that is only a function of others.
// CHECK-LABEL: func @function_body
// CHECK:         onnx.MeanVarianceNormalization{{.*}} -> tensor<1x4x2x2xf32>
func.func @function_body(%x: tensor<1x4x2x2xf32>) -> none {
  %y = onnx.MeanVarianceNormalization(%x) : (tensor<1x4x2x2xf32>) -> none
  return %y : none
}

// -----

// What both branches have in common.
// CHECK-LABEL: func @branches
// CHECK:         onnx.If{{.*}} -> tensor<?x3xf32>
func.func @branches(%c: tensor<i1>, %x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> none {
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    %b = onnx.Relu(%y) : (tensor<4x3xf32>) -> none
    onnx.Yield %b : none
  }
  return %r : none
}

// -----

// A carried value that keeps its shape keeps it; one that grows loses only the
// dimension in which it does. Scanned outputs get a dimension in front.
// CHECK-LABEL: func @loop
// CHECK:         onnx.Loop
// CHECK-SAME:      -> (tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x2x3xf32>)
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<?x3xf32>)
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2x3xf32>) -> (none, none, none) {
  %r:3 = onnx.Loop M(%n) cond(%c) v_initial(%x, %x)
      : (tensor<i64>, tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (none, none, none) body {
  ^bb0(%i: none, %ci: none, %same: none, %growing: none):
    %next = onnx.Relu(%same) : (none) -> none
    %longer = onnx.Concat(%growing, %next) {axis = 0 : i64} : (none, none) -> none
    onnx.Yield %ci, %next, %longer, %next : none, none, none, none
  }
  return %r#0, %r#1, %r#2 : none, none, none
}

// -----

// A body sees slices; the number of them is the output's first dimension.
// CHECK-LABEL: func @scan
// CHECK:         onnx.Scan{{.*}} -> (tensor<3xf32>, tensor<5x3xf32>)
func.func @scan(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (none, none) {
  %r:2 = onnx.Scan(%init, %xs) {num_scan_inputs = 1 : i64}
      : (tensor<3xf32>, tensor<5x3xf32>) -> (none, none) body {
  ^bb0(%s: none, %x: none):
    %n = onnx.Add(%s, %x) : (none, none) -> none
    onnx.Yield %n, %n : none, none
  }
  return %r#0, %r#1 : none, none
}

// -----

// CHECK-LABEL: func @sequence_map
// CHECK:         onnx.SequenceMap{{.*}} -> !onnx.seq<tensor<2x3xf32>>
func.func @sequence_map(%s: !onnx.seq<tensor<2x3xf32>>) -> none {
  %r = onnx.SequenceMap(%s) : (!onnx.seq<tensor<2x3xf32>>) -> none body {
  ^bb0(%x: none):
    %y = onnx.Relu(%x) : (none) -> none
    onnx.Yield %y : none
  }
  return %r : none
}

// -----

// Squeezing without axes gives no rank, whatever the model declares in the end.
// CHECK-LABEL: func @declared_scalar
// CHECK:         onnx.Squeeze{{.*}} -> tensor<*xf32>
// CHECK-NEXT:    onnx.Sigmoid{{.*}} -> tensor<f32>
// CHECK-NEXT:    onnx.Add{{.*}} -> tensor<f32>
func.func @declared_scalar(%x: tensor<?x1xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = onnx.Squeeze(%x) : (tensor<?x1xf32>) -> none
  %1 = onnx.Sigmoid(%0) : (none) -> none
  %2 = onnx.Add(%1, %b) : (none, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A vector that is declared says nothing of what is broadcast to it.
// CHECK-LABEL: func @declared_vector
// CHECK:         onnx.Squeeze{{.*}} -> tensor<*xf32>
func.func @declared_vector(%x: tensor<?x1xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Squeeze(%x) : (tensor<?x1xf32>) -> none
  %1 = onnx.Add(%0, %b) : (none, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What is computed with a size that is not known is not known, whatever other
// operands are empty.
// CHECK-LABEL: @empty_past_and_unknown_values
// CHECK: return %{{.*}} : tensor<1x5x?xf32>
func.func @empty_past_and_unknown_values(
    %q: tensor<1x5x64xf32>, %k: tensor<1x5x?xf32>, %v: tensor<1x5x?xf32>,
    %past: tensor<1x2x0x16xf32>) -> tensor<*xf32> {
  %y, %keys, %values = onnx.Attention(%q, %k, %v) past_key(%past) past_value(%past)
      {q_num_heads = 4 : i64, kv_num_heads = 2 : i64}
      : (tensor<1x5x64xf32>, tensor<1x5x?xf32>, tensor<1x5x?xf32>, tensor<1x2x0x16xf32>, tensor<1x2x0x16xf32>)
      -> tensor<*xf32> present_key tensor<*xf32> present_value tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Axes and steps of unknown rank are not those that are left out: no size is known.
// CHECK-LABEL: func.func @slice_by_lists_of_unknown_rank
// CHECK:         onnx.Slice{{.+}} -> tensor<?x?xf32>
// CHECK:         onnx.Slice{{.+}} -> tensor<?x?xf32>
func.func @slice_by_lists_of_unknown_rank(%x: tensor<3x5xf32>, %list: tensor<*xi64>) -> (tensor<*xf32>, tensor<*xf32>) {
  %s = onnx.Constant dense<0> : tensor<1xi64>
  %e = onnx.Constant dense<5> : tensor<1xi64>
  %a = onnx.Constant dense<1> : tensor<1xi64>
  %y = onnx.Slice(%x, %s, %e) axes(%a) steps(%list) : (tensor<3x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<*xi64>) -> tensor<*xf32>
  %z = onnx.Slice(%x, %s, %e) axes(%list) : (tensor<3x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<*xi64>) -> tensor<*xf32>
  return %y, %z : tensor<*xf32>, tensor<*xf32>
}
