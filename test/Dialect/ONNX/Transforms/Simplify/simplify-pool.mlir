// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation=true" | FileCheck %s
// RUN: onnx-opt %s --onnx-simplify=annotate=false | FileCheck %s --check-prefix=KEPT

// Models that others read keep their pools.

// CHECK-LABEL: func @global
// CHECK:         %[[AXES:.+]] = onnx.Constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT:    onnx.ReduceMean(%arg0) axes(%[[AXES]]) {{.*}} -> tensor<?x3x1x1xf32>
// CHECK-NEXT:    onnx.ReduceMax(%arg0) axes(%[[AXES]]) {{.*}} -> tensor<?x3x1x1xf32>
// KEPT-LABEL:  func @global
// KEPT:          onnx.GlobalAveragePool
// KEPT-NEXT:     onnx.GlobalMaxPool
func.func @global(%x: tensor<?x3x8x8xf32>) -> (none, none) {
  %0 = onnx.GlobalAveragePool(%x) : (tensor<?x3x8x8xf32>) -> none
  %1 = onnx.GlobalMaxPool(%x) : (tensor<?x3x8x8xf32>) -> none
  return %0, %1 : none, none
}

// KEPT-LABEL:  func @unknown_rank
// KEPT:          onnx.GlobalAveragePool
func.func @unknown_rank(%x: tensor<*xf32>) -> none {
  %0 = onnx.GlobalAveragePool(%x) : (tensor<*xf32>) -> none
  return %0 : none
}
