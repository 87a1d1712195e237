// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation" --split-input-file | FileCheck %s
// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s --check-prefix=MODEL

// A model that is written back keeps its windows.
// MODEL-NOT: array<i64: 5, 1>

// The largest of a square is the largest of its rows' largest.
// CHECK-LABEL: func @square
// CHECK:         %[[COLUMNS:.+]] = onnx.MaxPool(%arg0) {{.*}}kernel_shape = array<i64: 5, 1>, pads = array<i64: 2, 0, 2, 0>{{.*}} -> tensor<1x3x8x9xf32>
// CHECK:         onnx.MaxPool(%[[COLUMNS]]) {{.*}}kernel_shape = array<i64: 1, 5>, pads = array<i64: 0, 1, 0, 2>{{.*}} -> tensor<1x3x8x8xf32>
func.func @square(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x8x8xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>, pads = array<i64: 2, 1, 2, 2>} : (tensor<1x3x8x9xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// -----

// With strides most rows would be looked at in vain, and places are counted in the
// whole window.
// CHECK-LABEL: func @kept
// CHECK-COUNT-2: onnx.MaxPool
// CHECK-NOT:     onnx.MaxPool
func.func @kept(%x: tensor<1x3x20x20xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x16x16xi64>) {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>, strides = array<i64: 2, 2>} : (tensor<1x3x20x20xf32>) -> tensor<1x3x8x8xf32>
  %z, %p = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>} : (tensor<1x3x20x20xf32>) -> (tensor<1x3x16x16xf32>, tensor<1x3x16x16xi64>)
  return %y, %p : tensor<1x3x8x8xf32>, tensor<1x3x16x16xi64>
}
