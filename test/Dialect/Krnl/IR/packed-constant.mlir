// RUN: onnx-opt %s --canonicalize --cse | FileCheck %s

// Packed constants of the same type are the same only with the same elements.
// CHECK-LABEL: func @two_constants
// CHECK-DAG:     %[[A:.+]] = krnl.constant dense<1.000000e+00>
// CHECK-DAG:     %[[B:.+]] = krnl.constant dense<2.000000e+00>
// CHECK:         return %[[A]], %[[B]], %[[A]]
#layout = #krnl.packed<dims = [1, 0], sizes = [2, 2], strides = [1, 1]>
func.func @two_constants() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = krnl.constant dense<1.0> : tensor<2x2xf32> layout #layout
  %b = krnl.constant dense<2.0> : tensor<2x2xf32> layout #layout
  %c = krnl.constant dense<1.0> : tensor<2x2xf32> layout #layout
  return %a, %b, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
