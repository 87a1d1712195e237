// RUN: onnx-opt %s --split-input-file --onnx-simplify=specialize-ranks | FileCheck %s

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
