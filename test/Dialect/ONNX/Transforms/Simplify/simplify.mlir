// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @common_and_dead
// CHECK-NEXT:    %[[R:.+]] = onnx.Relu
// CHECK-NEXT:    %[[S:.+]] = onnx.Add(%[[R]], %[[R]])
// CHECK-NEXT:    return %[[S]]
func.func @common_and_dead(%x: tensor<2x3xf32>) -> none {
  %0 = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
  %1 = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
  %2 = onnx.Add(%0, %1) : (none, none) -> none
  %3 = onnx.Sigmoid(%2) : (none) -> none
  return %2 : none
}

// -----

// One rewrite makes the next one possible: sizes become constants, the Reshape
// to them and the Transpose of a row go, and equal nodes meet.
// CHECK-LABEL: func @rounds
// CHECK-NEXT:    %[[R:.+]] = onnx.Relu(%arg0)
// CHECK-NEXT:    return %[[R]], %[[R]]
func.func @rounds(%x: tensor<2x3xf32>) -> (none, none) {
  %shape = onnx.Shape(%x) : (tensor<2x3xf32>) -> none
  %0 = onnx.Reshape(%x, %shape) : (tensor<2x3xf32>, none) -> none
  %1 = onnx.Transpose(%0) : (none) -> none
  %2 = onnx.Transpose(%1) : (none) -> none
  %3 = onnx.Relu(%2) : (none) -> none
  %4 = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
  return %3, %4 : none, none
}
