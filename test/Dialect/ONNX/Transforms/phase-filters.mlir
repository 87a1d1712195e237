// RUN: onnx-opt %s --onnx-simplify=for-compilation --onnx-split-conv-transpose --split-input-file | FileCheck %s

// Filters and biases that are known in the run only.

// A filter of three is filled to four with a zero, the two taps of each phase are read
// backwards, and phases become channels; each element of the bias is for both.
// CHECK-LABEL: func @phases_together
// CHECK-SAME:  (%[[X:.*]]: tensor<1x2x4xf32>, %[[V:.*]]: tensor<2x1x3xf32>, %[[C:.*]]: tensor<1xf32>)
// CHECK:       %[[PADS:.*]] = onnx.Constant dense<[0, 0, 0, 0, 0, 1]>
// CHECK:       %[[PADDED:.*]] = onnx.Pad(%[[V]], %[[PADS]]
// CHECK:       %[[APART:.*]] = onnx.Reshape(%[[PADDED]], {{.*}}-> tensor<2x1x2x2xf32>
// CHECK-DAG:   %[[LAST:.*]] = onnx.Constant dense<1> : tensor<1xi64>
// CHECK-DAG:   %[[BACK:.*]] = onnx.Constant dense<-1> : tensor<1xi64>
// CHECK:       %[[READ:.*]] = onnx.Slice(%[[APART]], %[[LAST]], {{.*}}steps(%[[BACK]])
// CHECK:       %[[M:.*]] = onnx.Reshape(%[[READ]], {{.*}}-> tensor<2x2x2xf32>
// CHECK:       %[[T:.*]] = onnx.Transpose(%[[M]]) {perm = array<i64: 2, 0, 1>}
// CHECK:       %[[W:.*]] = onnx.Reshape(%[[T]], {{.*}}-> tensor<2x2x2xf32>
// CHECK:       %[[U:.*]] = onnx.Unsqueeze(%[[C]]
// CHECK:       %[[E:.*]] = onnx.Expand(%[[U]], {{.*}}-> tensor<1x2xf32>
// CHECK:       %[[B:.*]] = onnx.Reshape(%[[E]], {{.*}}-> tensor<2xf32>
// CHECK:       onnx.Conv(%[[X]], %[[W]]) B(%[[B]]){{.*}}pads = array<i64: 1, 1>
func.func @phases_together(%x: tensor<1x2x4xf32>, %v: tensor<2x1x3xf32>, %c: tensor<1xf32>) -> tensor<1x1x9xf32> {
  %y = onnx.ConvTranspose(%x, %v) B(%c) {strides = array<i64: 2>} : (tensor<1x2x4xf32>, tensor<2x1x3xf32>, tensor<1xf32>) -> tensor<1x1x9xf32>
  return %y : tensor<1x1x9xf32>
}

// -----

// Phases of their own read each second element, from the last one back: 2 and 0, or 1.
// CHECK-LABEL: func @phases_apart
// CHECK-SAME:  (%[[X:.*]]: tensor<1x2x4xf32>, %[[V:.*]]: tensor<2x16x3xf32>)
// CHECK-DAG:   %[[ONE:.*]] = onnx.Constant dense<1> : tensor<1xi64>
// CHECK-DAG:   %[[TWO:.*]] = onnx.Constant dense<2> : tensor<1xi64>
// CHECK-DAG:   onnx.Slice(%[[V]], %[[TWO]], {{.*}}-> tensor<2x16x2xf32>
// CHECK-DAG:   onnx.Slice(%[[V]], %[[ONE]], {{.*}}-> tensor<2x16x1xf32>
// CHECK-DAG:   onnx.Conv(%[[X]], {{.*}}tensor<16x2x2xf32>
// CHECK-DAG:   onnx.Conv(%[[X]], {{.*}}tensor<16x2x1xf32>
func.func @phases_apart(%x: tensor<1x2x4xf32>, %v: tensor<2x16x3xf32>) -> tensor<1x16x9xf32> {
  %y = onnx.ConvTranspose(%x, %v) {strides = array<i64: 2>} : (tensor<1x2x4xf32>, tensor<2x16x3xf32>) -> tensor<1x16x9xf32>
  return %y : tensor<1x16x9xf32>
}

// -----

// Each group keeps its channels; a filter of one element is only transposed.
// CHECK-LABEL: func @groups
// CHECK:       onnx.Reshape({{.*}}-> tensor<2x3x5xf32>
// CHECK:       onnx.Transpose({{.*}}perm = array<i64: 0, 2, 1>}
// CHECK:       onnx.Reshape({{.*}}-> tensor<10x3x1xf32>
// CHECK:       onnx.Conv({{.*}}group = 2
func.func @groups(%x: tensor<1x6x4xf32>, %v: tensor<6x5x1xf32>) -> tensor<1x10x4xf32> {
  %y = onnx.ConvTranspose(%x, %v) {group = 2 : i64} : (tensor<1x6x4xf32>, tensor<6x5x1xf32>) -> tensor<1x10x4xf32>
  return %y : tensor<1x10x4xf32>
}

// -----

// A bias of another size is left to the lowering, which refuses it.
// CHECK-LABEL: func @other_bias
// CHECK:       onnx.ConvTranspose
func.func @other_bias(%x: tensor<1x6x4xf32>, %v: tensor<6x5x1xf32>, %c: tensor<?xf32>) -> tensor<1x5x4xf32> {
  %y = onnx.ConvTranspose(%x, %v) B(%c) : (tensor<1x6x4xf32>, tensor<6x5x1xf32>, tensor<?xf32>) -> tensor<1x5x4xf32>
  return %y : tensor<1x5x4xf32>
}
