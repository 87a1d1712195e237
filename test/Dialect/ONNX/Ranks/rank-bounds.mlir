// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// The result of the product has four dimensions, and so has what is multiplied:
// at most, as its product has, and at least, as the scores have. The mask is
// broadcast to them.
// CHECK-LABEL: func @mask
// CHECK-NOT:     onnx.If
// CHECK:         %[[M:.+]] = onnx.Reshape(%arg1, {{.+}} -> tensor<?x?x?x?xf32>
// CHECK:         onnx.Add(%arg0, %[[M]]) {{.*}} -> tensor<?x?x?x?xf32>
// CHECK:         onnx.Softmax({{.*}}tensor<?x?x?x?xf32>
// CHECK:         onnx.MatMul({{.*}}tensor<?x?x?x?xf32>
func.func @mask(%scores: tensor<?x?x?x?xf32>, %mask: tensor<*xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<*xf32> {
  %0 = onnx.Add(%scores, %mask) : (tensor<?x?x?x?xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Softmax(%0) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = onnx.MatMul(%1, %v) : (tensor<*xf32>, tensor<?x?x?x?xf32>) -> tensor<*xf32>
  %3 = onnx.Transpose(%2) {perm = array<i64: 0, 2, 1, 3>} : (tensor<*xf32>) -> tensor<*xf32>
  return %3 : tensor<*xf32>
}

// -----

// A row of a table for each number, three dimensions in all: two of numbers.
// CHECK-LABEL: func @words
// CHECK-SAME:    %arg0: tensor<?x?xi64>
// CHECK-NOT:     onnx.If
func.func @words(%ids: tensor<*xi64>, %table: tensor<20x8xf32>, %s: tensor<8xf32>, %w: tensor<8x8xf32>) -> tensor<*xf32> {
  %0 = onnx.Gather(%table, %ids) : (tensor<20x8xf32>, tensor<*xi64>) -> tensor<*xf32>
  %1 = onnx.LayerNormalization(%0, %s) : (tensor<*xf32>, tensor<8xf32>) -> tensor<*xf32>
  %2 = onnx.MatMul(%1, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<*xf32>
  %3 = onnx.Transpose(%2) {perm = array<i64: 0, 2, 1>} : (tensor<*xf32>) -> tensor<*xf32>
  return %3 : tensor<*xf32>
}

// -----

// What is joined has one rank; sizes of 1 come and go.
// CHECK-LABEL: func @joined
// CHECK-SAME:    %arg0: tensor<?x?xf32>
// CHECK-SAME:    %arg1: tensor<?x?x?x?xf32>
func.func @joined(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %last = onnx.Constant dense<-1> : tensor<1xi64>
  %u = onnx.Unsqueeze(%x, %last) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %s = onnx.ReduceSum(%y) axes(%last) {keepdims = 0 : i64} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %c = onnx.Concat(%u, %s) {axis = 0 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %t = onnx.Transpose(%c) {perm = array<i64: 2, 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  return %t : tensor<*xf32>
}

// -----

// What the body says of what enters it holds outside: the rows of %x and the state
// are matrices, so %x has three dimensions, and so has what the state is a row of.
// CHECK-LABEL: func @rows_of_a_loop
// CHECK-SAME:    %arg0: tensor<?x?x?xf32>
// CHECK-SAME:    %arg1: tensor<?x?x?xf32>
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Loop
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<?x?xf32>)
// CHECK-NOT:     tensor<*xf32>
// CHECK:         onnx.Yield
func.func @rows_of_a_loop(%x: tensor<*xf32>, %h: tensor<*xf32>, %n: tensor<i64>, %w: tensor<8x8xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %true = onnx.Constant dense<true> : tensor<i1>
  %zero = onnx.Constant dense<0> : tensor<i64>
  %h0 = onnx.Gather(%h, %zero) : (tensor<*xf32>, tensor<i64>) -> tensor<*xf32>
  %r:2 = onnx.Loop M(%n) cond(%true) v_initial(%h0) : (tensor<i64>, tensor<i1>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %state: tensor<*xf32>):
    %row = onnx.Gather(%x, %i) : (tensor<*xf32>, tensor<i64>) -> tensor<*xf32>
    %a = onnx.Gemm(%row, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %b = onnx.Gemm(%state, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %s = onnx.Add(%a, %b) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %t = onnx.Tanh(%s) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    onnx.Yield %c, %t, %t : tensor<i1>, tensor<?x8xf32>, tensor<?x8xf32>
  }
  return %r#0, %r#1 : tensor<*xf32>, tensor<*xf32>
}

// -----

// A state that is broadcast in the body has no more dimensions than what is yielded,
// which the next iteration takes: there are variants for the ranks up to that alone.
// CHECK-LABEL: func @cell_of_a_loop
// CHECK:         onnx.Identity(%arg0) {{.*}} -> tensor<f32>
// CHECK:         onnx.Identity(%arg0) {{.*}} -> tensor<?xf32>
// CHECK:         onnx.Identity(%arg0) {{.*}} -> tensor<?x?xf32>
// CHECK-NOT:     onnx.Identity(%arg0)
func.func @cell_of_a_loop(%c0: tensor<*xf32>, %h0: tensor<?x8xf32>, %n: tensor<i64>, %w: tensor<8x8xf32>) -> tensor<*xf32> {
  %true = onnx.Constant dense<true> : tensor<i1>
  %start = onnx.ReduceSumSquare(%c0) {keepdims = 1 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  %r:2 = onnx.Loop M(%n) cond(%true) v_initial(%h0, %start) : (tensor<i64>, tensor<i1>, tensor<?x8xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) body {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %h: tensor<*xf32>, %c: tensor<*xf32>):
    %a = onnx.Gemm(%h, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %f = onnx.Sigmoid(%a) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = onnx.Mul(%f, %c) : (tensor<?x8xf32>, tensor<*xf32>) -> tensor<*xf32>
    %t = onnx.Tanh(%next) : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %go, %t, %next : tensor<i1>, tensor<*xf32>, tensor<*xf32>
  }
  return %r#1 : tensor<*xf32>
}

// -----

// The rows of a Scan have a dimension less than what it goes along.
// CHECK-LABEL: func @rows_of_a_scan
// CHECK-SAME:    %arg0: tensor<?x?x?xf32>
// CHECK-SAME:    %arg1: tensor<?x?xf32>
// CHECK-NOT:     onnx.If
func.func @rows_of_a_scan(%x: tensor<*xf32>, %h: tensor<*xf32>, %w: tensor<8x8xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %r:2 = onnx.Scan(%h, %x) {num_scan_inputs = 1 : i64} : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) body {
  ^bb0(%state: tensor<*xf32>, %row: tensor<*xf32>):
    %a = onnx.Add(%state, %row) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    %b = onnx.Gemm(%row, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %s = onnx.Gemm(%state, %w) : (tensor<*xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %t = onnx.Add(%s, %b) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    onnx.Yield %t, %a : tensor<?x8xf32>, tensor<*xf32>
  }
  return %r#0, %r#1 : tensor<*xf32>, tensor<*xf32>
}

// -----

// What is taken of an If has one dimension, whichever branch it comes from: so have
// the parts of the list.
// CHECK-LABEL: func @rank_of_branches
// CHECK-NOT:     onnx.alternatives
// CHECK:         onnx.Split({{.*}}tensor<?xi64>)
// CHECK-NOT:     onnx.alternatives
func.func @rank_of_branches(%c: tensor<i1>, %x: tensor<*xi64>, %y: tensor<?xf32>) -> tensor<*xf32> {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0:2 = onnx.If(%c) : (tensor<i1>) -> (tensor<*xi64>, tensor<*xi64>) then_branch {
    %1:2 = onnx.Split(%x) {num_outputs = 2 : i64} : (tensor<*xi64>) -> (tensor<*xi64>, tensor<*xi64>)
    onnx.Yield %1#0, %1#1 : tensor<*xi64>, tensor<*xi64>
  } else_branch {
    onnx.Yield %one, %one : tensor<1xi64>, tensor<1xi64>
  }
  %2 = onnx.Slice(%y, %0#0, %0#1) : (tensor<?xf32>, tensor<*xi64>, tensor<*xi64>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// How long the list is decides what the state becomes, and no iteration may come after.
// CHECK-LABEL: func @last_trip
// CHECK-SAME:    %arg0: tensor<?x?xf32>
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<*xf32>)
// CHECK:         %[[Y:.+]] = onnx.Reshape({{.*}} -> tensor<*xf32>
// CHECK-NEXT:    onnx.Yield %{{.*}}, %[[Y]]
func.func @last_trip(%x: tensor<*xf32>, %sizes: tensor<?xi64>, %n: tensor<i64>) -> tensor<*xf32> {
  %true = onnx.Constant dense<true> : tensor<i1>
  %r = onnx.Loop M(%n) cond(%true) v_initial(%x) : (tensor<i64>, tensor<i1>, tensor<*xf32>) -> tensor<*xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %state: tensor<*xf32>):
    %t = onnx.Transpose(%state) {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
    %s = onnx.Reshape(%t, %sizes) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
    onnx.Yield %c, %s : tensor<i1>, tensor<*xf32>
  }
  return %r : tensor<*xf32>
}
