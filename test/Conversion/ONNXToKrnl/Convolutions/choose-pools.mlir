// RUN: onnx-opt %s --onnx-choose-pools | FileCheck %s
// RUN: onnx-opt %s --onnx-choose-pools=keep-order | FileCheck %s --check-prefix=ORDER
// RUN: onnx-opt %s --onnx-choose-pools --remarks-filter=onnx-choose-pools -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The choice is a remark with its reason.
// REMARK: [Analysis] Algorithm {{.+}}Reason="elements for each result: 225 of whole windows, 36 of one dimension after the other", Remark="one dimension after the other"
// REMARK: Reason="elements for each result: 9 of whole windows, 13 of one dimension after the other", Remark="whole windows"

// Sums, averages and norms of large windows; not so where their order counts.
// CHECK-LABEL: func @large
// CHECK:         onnx.AveragePool{{.+}}krnl.separate
// CHECK:         onnx.LpPool{{.+}}krnl.separate
// CHECK:         onnx.MaxPool{{.+}}krnl.separate
// ORDER-LABEL: func @large
// ORDER-NOT:     krnl.separate
// ORDER:         onnx.MaxPool{{.+}}krnl.separate
func.func @large(%x: tensor<1x3x?x?xf32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>) {
  %0 = onnx.AveragePool(%x) {kernel_shape = array<i64: 15, 15>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  %1 = onnx.LpPool(%x) {kernel_shape = array<i64: 9, 9>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  %2 = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %0, %1, %2 : tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>
}

// Small windows; lines; a window that covers the image; and positions are counted in the
// whole window.
// CHECK-LABEL: func @whole
// CHECK-NOT:     krnl.separate
func.func @whole(%x: tensor<1x3x20x20xf32>, %line: tensor<1x3x64xf32>) -> (tensor<1x3x18x18xf32>, tensor<1x3x50xf32>, tensor<1x3x10x10xf32>, tensor<1x3x1x1xf32>, tensor<1x3x16x16xi64>) {
  %0 = onnx.AveragePool(%x) {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x20x20xf32>) -> tensor<1x3x18x18xf32>
  %1 = onnx.AveragePool(%line) {kernel_shape = array<i64: 15>} : (tensor<1x3x64xf32>) -> tensor<1x3x50xf32>
  %2 = onnx.MaxPool(%x) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x3x20x20xf32>) -> tensor<1x3x10x10xf32>
  %3 = onnx.AveragePool(%x) {kernel_shape = array<i64: 20, 20>} : (tensor<1x3x20x20xf32>) -> tensor<1x3x1x1xf32>
  %4, %p = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>} : (tensor<1x3x20x20xf32>) -> (tensor<1x3x16x16xf32>, tensor<1x3x16x16xi64>)
  return %0, %1, %2, %3, %p : tensor<1x3x18x18xf32>, tensor<1x3x50xf32>, tensor<1x3x10x10xf32>, tensor<1x3x1x1xf32>, tensor<1x3x16x16xi64>
}

// Along rows, lanes two elements apart are shuffled, and the border takes a copy.
// CHECK-LABEL: func @rows
// CHECK-COUNT-2: onnx.MaxPool{{.+}}krnl.separate
// CHECK:         onnx.AveragePool{{.+}}krnl.separate
// ORDER-LABEL: func @rows
func.func @rows(%x: tensor<1x3x?x?xf32>) -> (tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>) {
  %0 = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  %1 = onnx.MaxPool(%x) {kernel_shape = array<i64: 5, 5>, strides = array<i64: 2, 2>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  %2 = onnx.AveragePool(%x) {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %0, %1, %2 : tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>, tensor<1x3x?x?xf32>
}

// After a convolution the channels come last: lanes are adjacent, and the border is
// around what the convolution writes.
// CHECK-LABEL: func @channels
// CHECK-NOT:     krnl.separate
// ORDER-LABEL: func @channels
// ORDER-NOT:     krnl.separate
func.func @channels(%x: tensor<1x3x?x?xf32>, %w: tensor<8x3x1x1xf32>) -> (tensor<1x8x?x?xf32>, tensor<1x8x?x?xf32>) {
  %c = onnx.Conv(%x, %w) : (tensor<1x3x?x?xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x?x?xf32>
  %r = onnx.Relu(%c) : (tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32>
  %0 = onnx.MaxPool(%r) {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32>
  %1 = onnx.MaxPool(%0) {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32>
  return %0, %1 : tensor<1x8x?x?xf32>, tensor<1x8x?x?xf32>
}
