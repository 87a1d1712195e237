// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks --verify-diagnostics | FileCheck %s

// A permutation has one rank only: the input is of that rank.
// CHECK-LABEL: func @only_rank_is_assumed
// CHECK-SAME:    tensor<?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @only_rank_is_assumed(%x: tensor<*xf32> {onnx.name = "x"}) -> tensor<*xf32> {
  %0 = onnx.Transpose(%x) {perm = array<i64: 2, 0, 1>} : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @no_rank(%x: tensor<*xf32> {onnx.name = "x"}) -> (tensor<*xf32>, tensor<*xf32>) {
  // expected-error @+2 {{'onnx.Transpose' op accepts no rank up to 8 of input 'data'}}
  // expected-note @+1 {{of 8: has a permutation of 3 axes for an operand of rank 8}}
  %0 = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Transpose(%x) {perm = array<i64: 2, 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// -----

// A slice along axis 6 has seven dimensions at least: others are not variants.
// CHECK-LABEL: func @axis_of_slice
// CHECK-NOT:     tensor<?x?x?x?x?x?xf32>
// CHECK:         onnx.Identity{{.*}} -> tensor<?x?x?x?x?x?x?xf32>
// CHECK:         onnx.accepted = array<i64: 7, 8>
func.func @axis_of_slice(%x: tensor<*xf32>) -> tensor<*xf32> {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %axis = onnx.Constant dense<6> : tensor<1xi64>
  %y = onnx.Slice(%x, %one, %two) axes(%axis) : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// There are as many sizes as dimensions: only one rank is possible.
// CHECK-LABEL: func.func @resized(%arg0: tensor<?x?x?x?xui8>
// CHECK:         onnx.Resize(%arg0)
func.func @resized(%x: tensor<*xui8>) -> tensor<*xui8> {
  %s = onnx.Constant dense<[1, 5, 7, 5]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "nearest"} : (tensor<*xui8>, tensor<4xi64>) -> tensor<*xui8>
  return %y : tensor<*xui8>
}

// -----

// Without num_heads the heads are a dimension, without position_ids the rows of
// the tables are those of each batch.
// CHECK-LABEL: func.func @rotation
// CHECK-SAME:    tensor<?x?x?x?xf32>
// CHECK-SAME:    tensor<?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @rotation(%x: tensor<*xf32>, %c: tensor<*xf32>) -> tensor<*xf32> {
  %y = onnx.RotaryEmbedding(%x, %c, %c) : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
