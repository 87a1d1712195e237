// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks --verify-diagnostics | FileCheck %s

// Elementwise: one dimension does for every rank.
// CHECK-LABEL: func @chain_is_flat
// CHECK:         %[[SHAPE:.+]] = onnx.Shape(%arg0)
// CHECK:         %[[FLAT:.+]] = onnx.Reshape(%arg0, %{{.+}}) {{.*}} -> tensor<?xf32>
// CHECK:         %[[E:.+]] = onnx.Exp(%[[FLAT]])
// CHECK-NEXT:    %[[N:.+]] = onnx.Neg(%[[E]])
// CHECK-NEXT:    %[[Y:.+]] = onnx.Reshape(%[[N]], %[[SHAPE]]) {allowzero = 1 : i64{{.*}} -> tensor<*xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain_is_flat(%x: tensor<*xf32> {onnx.name = "x"}) -> tensor<*xf32> {
  %0 = onnx.Exp(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Neg(%0) : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// Two ranks would make 81 variants: eight dimensions do for all of them.
// CHECK-LABEL: func @broadcast_is_padded
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Add(%{{.+}}, %{{.+}}) {{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         onnx.Reshape({{.*}} -> tensor<*xf32>
func.func @broadcast_is_padded(%x: tensor<*xf32> {onnx.name = "x"}, %y: tensor<*xf32> {onnx.name = "y"}) -> tensor<*xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A permutation has one rank only: the input is of that rank.
// CHECK-LABEL: func @only_rank_is_assumed
// CHECK-SAME:    tensor<?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @only_rank_is_assumed(%x: tensor<*xf32> {onnx.name = "x"}) -> tensor<*xf32> {
  %0 = onnx.Transpose(%x) {perm = array<i64: 2, 0, 1>} : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// The branches say which ranks there are: two variants. What comes after the
// rank has gone is there once.
// CHECK-LABEL: func @ranks_of_branches
// CHECK:         %[[X:.+]] = onnx.If(%arg2)
// CHECK:         onnx.Equal
// CHECK:         %[[Y:.+]] = onnx.If(%{{.+}}) {{.*}}onnx.rank_switch
// CHECK:           onnx.Identity(%[[X]]) {{.*}} -> tensor<?xf32>
// CHECK:           onnx.Softmax
// CHECK:         } else_branch {
// CHECK:           onnx.Identity(%[[X]]) {{.*}} -> tensor<?x?xf32>
// CHECK:           onnx.Softmax
// CHECK-NOT:     onnx.Softmax
// CHECK:         onnx.Reshape(%[[Y]]
// CHECK-NEXT:    onnx.Exp({{.*}}tensor<2x?xf32>
func.func @ranks_of_branches(%a: tensor<?xf32> {onnx.name = "a"}, %b: tensor<?x?xf32> {onnx.name = "b"}, %c: tensor<i1> {onnx.name = "c"}) -> tensor<*xf32> {
  %x = onnx.If(%c) : (tensor<i1>) -> tensor<*xf32> then_branch {
    onnx.Yield %a : tensor<?xf32>
  } else_branch {
    onnx.Yield %b : tensor<?x?xf32>
  }
  %y = onnx.Softmax(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %s = onnx.Constant dense<[2, -1]> : tensor<2xi64>
  %z = onnx.Reshape(%y, %s) : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %e = onnx.Exp(%z) : (tensor<*xf32>) -> tensor<*xf32>
  return %e : tensor<*xf32>
}

// -----

// How many axes there are says which rank the result has.
// CHECK-LABEL: func @rank_from_length
// CHECK:         onnx.Shape(%arg1) {end = 1 : i64}
// CHECK:         onnx.Equal
// CHECK:         onnx.Unsqueeze(%arg0, %{{.+}}) {{.*}} -> tensor<?x?xf32>
// CHECK:         onnx.Unsqueeze(%arg0, %{{.+}}) {{.*}} -> tensor<?x?x?xf32>
func.func @rank_from_length(%x: tensor<?xf32> {onnx.name = "x"}, %axes: tensor<?xi64> {onnx.name = "axes"}) -> tensor<*xf32> {
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %1 = onnx.Softmax(%0) : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

func.func @no_rank(%x: tensor<*xf32> {onnx.name = "x"}) -> (tensor<*xf32>, tensor<*xf32>) {
  // expected-error @+2 {{'onnx.Transpose' op accepts no rank up to 8 of operand #0}}
  // expected-note @+1 {{of 8: has a permutation of 3 axes for an operand of rank 8}}
  %0 = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Transpose(%x) {perm = array<i64: 2, 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// -----

// A scale broadcasts to the data: it takes the rank of that, without variants.
// CHECK-LABEL: @scale_of_unknown_rank
// CHECK-NOT: onnx.If
// CHECK: %[[SCALE:.*]] = onnx.Reshape(%{{.*}}, %{{.*}}) {allowzero = 1 : i64{{.*}}} : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK: onnx.RMSNormalization(%{{.*}}, %[[SCALE]])
func.func @scale_of_unknown_rank(%x: tensor<3x8xf32>, %s: tensor<*xf32>) -> tensor<3x8xf32> {
  %y = onnx.RMSNormalization(%x, %s) : (tensor<3x8xf32>, tensor<*xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// Without axes the unknown size may be 1, which drops it. The last cast knows the
// other ranks, for the message of a run with none of them.
// CHECK-LABEL: func @behind_squeeze
// CHECK:         onnx.Identity{{.*}} : (tensor<*xf32>) -> tensor<?xf32>
// CHECK:       else_branch
// CHECK:         onnx.Identity{{.*}}onnx.rank_choices = array<i64: 1, 2>{{.*}} -> tensor<?x3xf32>
func.func @behind_squeeze(%x: tensor<?x1x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %s = onnx.Squeeze(%x) : (tensor<?x1x3xf32>) -> tensor<*xf32>
  %a, %b = onnx.Split(%s) {axis = -1 : i64, num_outputs = 2 : i64} : (tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// -----

// Two unknown ranks: one product on eight dimensions, no variants. A vector on the
// right is a column, and a scalar fails in Gather.
// CHECK-LABEL: func @product
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Gather
// CHECK:         onnx.MatMul{{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @product(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %r = onnx.MatMul(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Four dimensions come of four sizes, so that each slice of the shape has one.
// CHECK-LABEL: func @lengths
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Concat{{.*}} -> tensor<4xi64>
// CHECK-NOT:     onnx.If
func.func @lengths(%x: tensor<*xf32>) -> tensor<*xf32> {
  %h = onnx.Constant dense<[3, -1]> : tensor<2xi64>
  %b = onnx.Shape(%x) {end = 1 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %q = onnx.Shape(%x) {start = -2 : i64, end = -1 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %l = onnx.Concat(%b, %q, %h) {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>, tensor<2xi64>) -> tensor<?xi64>
  %r = onnx.Reshape(%x, %l) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  return %t : tensor<*xf32>
}

// -----

// As many sizes as the shape of another tensor has: its rank follows.
// CHECK-LABEL: func @shape_of_another
// CHECK:         onnx.Identity(%{{.*}} : (tensor<*xf32>) -> tensor<?x?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @shape_of_another(%x: tensor<*xf32>, %y: tensor<?xf32>) -> tensor<*xf32> {
  %l = onnx.Shape(%x) : (tensor<*xf32>) -> tensor<?xi64>
  %r = onnx.Expand(%y, %l) : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  return %t : tensor<*xf32>
}

// -----

// How long the data are says nothing of the rank behind run-time axes.
// CHECK-LABEL: func @integers_by_axes
// CHECK-NOT:     -> tensor<0xi64>
// CHECK:         onnx.Identity{{.*}} : (tensor<?xi64>) -> tensor<1xi64>
func.func @integers_by_axes(%x: tensor<?xi64>, %axes: tensor<?xi64>) -> tensor<*xi64> {
  %u = onnx.Unsqueeze(%x, %axes) : (tensor<?xi64>, tensor<?xi64>) -> tensor<*xi64>
  %i = onnx.Transpose(%u) {perm = array<i64: 1, 0>} : (tensor<*xi64>) -> tensor<*xi64>
  return %i : tensor<*xi64>
}

// -----

// A third size that has to be there says that there is a second one.
// CHECK-LABEL: func @slices
// CHECK:         %[[SECOND:.+]] = onnx.Shape(%arg0) {end = 2 : i64{{.*}}start = 1 : i64}
// CHECK:         onnx.Identity(%[[SECOND]]) : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Shape(%arg0) {end = 3 : i64{{.*}}start = 2 : i64}
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<?x1xf32>
func.func @slices(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %second = onnx.Shape(%x) {start = 1 : i64, end = 2 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %third = onnx.Shape(%x) {start = 2 : i64, end = 3 : i64} : (tensor<*xf32>) -> tensor<?xi64>
  %l = onnx.Concat(%third, %one) {axis = 0 : i64} : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %r = onnx.Reshape(%x, %l) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %t = onnx.Transpose(%r) {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %m = onnx.Concat(%second, %one) {axis = 0 : i64} : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %z = onnx.ConstantOfShape(%m) : (tensor<?xi64>) -> tensor<*xf32>
  return %t, %z : tensor<*xf32>, tensor<*xf32>
}

// -----

// Two dimensions behind the Reshape, whatever the rank before: MatMul is in no
// variant of it.
// CHECK-LABEL: func @region_ends
// CHECK:         onnx.If
// CHECK:           onnx.Softmax
// CHECK:         onnx.MatMul(%{{.+}}, %arg1)
// CHECK-NOT:     onnx.MatMul
func.func @region_ends(%x: tensor<*xf32>, %w: tensor<8x8xf32>, %sizes: tensor<2xi64>) -> tensor<*xf32> {
  %s = onnx.Softmax(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %r = onnx.Reshape(%s, %sizes) : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %y = onnx.MatMul(%r, %w) : (tensor<?x?xf32>, tensor<8x8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A slice along axis 6 has seven dimensions at least: others are no variants.
// CHECK-LABEL: func @axis_of_slice
// CHECK-NOT:     tensor<?x?x?x?x?x?xf32>
// CHECK:         onnx.Identity{{.*}} -> tensor<?x?x?x?x?x?x?xf32>
// CHECK:         onnx.rank_choices = array<i64: 7, 8>
func.func @axis_of_slice(%x: tensor<*xf32>) -> tensor<*xf32> {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %axis = onnx.Constant dense<6> : tensor<1xi64>
  %y = onnx.Slice(%x, %one, %two) axes(%axis) : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Models may not reshape these; what needs no rank is flat all the same.
// CHECK-LABEL: func @small_floats
// CHECK:         onnx.Reshape(%arg0, %{{.+}}) {{.*}} -> tensor<?xf6E2M3FN>
// CHECK:         onnx.Cast
func.func @small_floats(%x: tensor<*xf6E2M3FN>) -> tensor<*xf32> {
  %y = onnx.Cast(%x) {to = 1 : i64} : (tensor<*xf6E2M3FN>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Written without a rank, Flatten gives the Mul behind it one.
// CHECK-LABEL: func @known_by_then
// CHECK:         onnx.Mul{{.*}} -> tensor<?x?xf32>
func.func @known_by_then(%x: tensor<*xf32>, %w: tensor<*xf32>) -> tensor<*xf32> {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %f = onnx.Flatten(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %m = onnx.Mul(%f, %f) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %r = onnx.ReduceMean(%m) axes(%one) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %y = onnx.Mul(%r, %w) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// What is broadcast again stays on eight dimensions; so does what is behind it.
// CHECK-LABEL: func @chain_is_padded_once
// CHECK-COUNT-2: onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK-NOT:     onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         %[[A:.+]] = onnx.Add(
// CHECK:         %[[E:.+]] = onnx.Exp(%[[A]])
// CHECK:         %[[M:.+]] = onnx.Mul(%[[E]],
// CHECK-NOT:     onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         onnx.Reshape(%[[M]], {{.*}} -> tensor<*xf32>
func.func @chain_is_padded_once(%x: tensor<*xf32> {onnx.name = "x"}, %y: tensor<*xf32> {onnx.name = "y"}) -> tensor<*xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Exp(%0) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = onnx.Mul(%1, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// Code that is large, and larger for each dimension, is for images and volumes.
// CHECK-LABEL: func @large_code
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?xf32>
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?x?xf32>
// CHECK:         onnx.Identity({{.*}}onnx.rank_choices = array<i64: 3, 4, 5>
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?x?x?xf32>
// CHECK-NOT:     onnx.GridSample
func.func @large_code(%x: tensor<*xf32> {onnx.name = "x"}, %g: tensor<*xf32> {onnx.name = "g"}) -> tensor<*xf32> {
  %0 = onnx.GridSample(%x, %g) {mode = "cubic"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// CHECK-LABEL: func @window
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?xi32>
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?x?xi32>
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?x?x?xi32>
// CHECK-NOT:     onnx.ConvInteger
func.func @window(%x: tensor<*xui8> {onnx.name = "x"}, %w: tensor<*xui8> {onnx.name = "w"}) -> tensor<*xi32> {
  %0 = onnx.ConvInteger(%x, %w) : (tensor<*xui8>, tensor<*xui8>) -> tensor<*xi32>
  return %0 : tensor<*xi32>
}

// There are as many sizes as dimensions: only one rank is possible.
// CHECK-LABEL: func.func @resized(%arg0: tensor<?x?x?x?xui8>
// CHECK:         onnx.Resize(%arg0)
func.func @resized(%x: tensor<*xui8>) -> tensor<*xui8> {
  %s = onnx.Constant dense<[1, 5, 7, 5]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "nearest"} : (tensor<*xui8>, tensor<4xi64>) -> tensor<*xui8>
  return %y : tensor<*xui8>
}
