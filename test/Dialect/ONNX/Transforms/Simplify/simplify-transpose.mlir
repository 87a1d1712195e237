// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @transposes
// CHECK-NEXT:    %[[T:.+]] = onnx.Transpose(%arg0) {perm = array<i64: 2, 0, 1>}
// CHECK-NEXT:    return %arg0, %[[T]]
func.func @transposes(%x: tensor<2x3x4xf32>) -> (none, none) {
  %0 = onnx.Transpose(%x) {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 2, 0, 1>} : (none) -> none
  %2 = onnx.Transpose(%0) {perm = array<i64: 1, 2, 0>} : (none) -> none
  return %1, %2 : none, none
}

// -----

// Without a permutation the dimensions are reversed; of an unknown rank nothing
// can be written.
// CHECK-LABEL: func @reversed
// CHECK:         onnx.Transpose(%arg0) {perm = array<i64: 2, 1, 0>}
// CHECK:         onnx.Transpose(%arg1) : (tensor<*xf32>)
func.func @reversed(%x: tensor<?x3x?xf32>, %y: tensor<*xf32>) -> (none, none) {
  %0 = onnx.Transpose(%x) : (tensor<?x3x?xf32>) -> none
  %1 = onnx.Transpose(%y) : (tensor<*xf32>) -> none
  return %0, %1 : none, none
}

// -----

// A permutation that moves nothing goes away.
// CHECK-LABEL: func @in_order
// CHECK-NEXT:    return %arg0
func.func @in_order(%x: tensor<?x?xf32>) -> none {
  %0 = onnx.Transpose(%x) {perm = array<i64: 0, 1>} : (tensor<?x?xf32>) -> none
  return %0 : none
}
