// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @global
// CHECK:         %[[AXES:.+]] = onnx.Constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT:    onnx.ReduceMean(%arg0) axes(%[[AXES]]) {{.*}} -> tensor<?x3x1x1xf32>
// CHECK-NEXT:    onnx.ReduceMax(%arg0) axes(%[[AXES]]) {{.*}} -> tensor<?x3x1x1xf32>
func.func @global(%x: tensor<?x3x8x8xf32>) -> (none, none) {
  %0 = onnx.GlobalAveragePool(%x) : (tensor<?x3x8x8xf32>) -> none
  %1 = onnx.GlobalMaxPool(%x) : (tensor<?x3x8x8xf32>) -> none
  return %0, %1 : none, none
}

// -----

// CHECK-LABEL: func @unknown_rank
// CHECK:         onnx.GlobalAveragePool
func.func @unknown_rank(%x: tensor<*xf32>) -> none {
  %0 = onnx.GlobalAveragePool(%x) : (tensor<*xf32>) -> none
  return %0 : none
}
