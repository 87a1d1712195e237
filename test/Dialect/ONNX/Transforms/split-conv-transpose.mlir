// RUN: onnx-opt %s --onnx-simplify=for-compilation --onnx-split-conv-transpose --split-input-file | FileCheck %s

// A filter of two elements and steps of two: each result is one product, and
// the elements of the filter become channels.
// CHECK-LABEL: func @no_taps
// CHECK-SAME:  (%[[X:.*]]: tensor<?x2x5xf32>)
func.func @no_taps(%x: tensor<?x2x5xf32>) -> tensor<?x1x10xf32> {
  // CHECK-DAG: %[[W:.*]] = onnx.Constant {{.*}}dense<{{\[\[\[}}1.000000e+00], [3.000000e+00]], {{\[\[}}2.000000e+00], [4.000000e+00]]]> : tensor<2x2x1xf32>
  // CHECK-DAG: %[[B:.*]] = onnx.Constant {{.*}}dense<5.000000e-01> : tensor<2xf32>
  // CHECK: %[[Z:.*]] = onnx.Conv(%[[X]], %[[W]]) B(%[[B]]){{.*}}pads = array<i64: 0, 0>{{.*}}-> tensor<?x2x5xf32>
  // CHECK: %[[R:.*]] = onnx.Reshape(%[[Z]], {{.*}}-> tensor<?x1x2x5xf32>
  // CHECK: %[[T:.*]] = onnx.Transpose(%[[R]]){{.*}}perm = array<i64: 0, 1, 3, 2>
  // CHECK: onnx.Reshape(%[[T]], {{.*}}-> tensor<?x1x10xf32>
  // CHECK-NOT: onnx.Slice
  %w = onnx.Constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = onnx.Constant dense<0.5> : tensor<1xf32>
  %y = onnx.ConvTranspose(%x, %w) B(%b) {strides = array<i64: 2>} : (tensor<?x2x5xf32>, tensor<2x1x2xf32>, tensor<1xf32>) -> tensor<?x1x10xf32>
  return %y : tensor<?x1x10xf32>
}

// -----

// Scales of channels belong into the weights first.
// CHECK-LABEL: func @what_follows_first
// CHECK-NOT: onnx.Mul
// CHECK: dense<{{\[\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<2x1x1xf32>
// CHECK: onnx.Conv
func.func @what_follows_first(%x: tensor<1x1x4xf32>) -> tensor<1x1x8xf32> {
  %w = onnx.Constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x8xf32>
  %z = onnx.Mul(%y, %two) : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<1x1x8xf32>
  return %z : tensor<1x1x8xf32>
}

// -----

// With steps of one the filter is read backwards, and the border that is cut
// off is not computed.
// CHECK-LABEL: func @backwards
func.func @backwards(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  // CHECK: dense<{{\[\[\[}}3.000000e+00, 2.000000e+00, 1.000000e+00]]]> : tensor<1x1x3xf32>
  // CHECK: %[[Y:.*]] = onnx.Conv({{.*}}pads = array<i64: 1, 1>
  // CHECK-NEXT: return %[[Y]]
  %w = onnx.Constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = onnx.ConvTranspose(%x, %w) {pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  return %y : tensor<1x1x4xf32>
}

// -----

// A filter of unknown size is not split, nor one whose elements lie apart.
// CHECK-LABEL: func @left_alone
func.func @left_alone(%x: tensor<1x1x4xf32>, %v: tensor<1x1x?xf32>) -> (tensor<1x1x6xf32>, tensor<1x1x?xf32>) {
  // CHECK-COUNT-2: onnx.ConvTranspose
  %w = onnx.Constant dense<1.0> : tensor<1x1x2xf32>
  %y = onnx.ConvTranspose(%x, %w) {dilations = array<i64: 2>} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x6xf32>
  %z = onnx.ConvTranspose(%x, %v) {strides = array<i64: 2>} : (tensor<1x1x4xf32>, tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %y, %z : tensor<1x1x6xf32>, tensor<1x1x?xf32>
}

// -----

// Of a filter of three and steps of two, even results of a border of one use one
// element and odd ones two: 16 lanes of channels are four convolutions of 1, 2, 2
// and 4 elements, instead of one of 16 in all.
// CHECK-LABEL: func @phases
// CHECK-SAME:  (%[[X:.*]]: tensor<1x8x5x7xf32>)
// CHECK-DAG:   %[[A:.*]] = onnx.Conv(%[[X]], %{{.*}}) B(%{{.*}}pads = array<i64: 0, 0, 0, 0>}{{.*}}tensor<16x8x1x1xf32>{{.*}}-> tensor<1x16x5x7xf32>
// CHECK-DAG:   %[[UA:.*]] = onnx.Unsqueeze(%[[A]]{{.*}}-> tensor<1x16x1x5x7xf32>
// CHECK-DAG:   %[[B:.*]] = onnx.Conv(%[[X]], %{{.*}}) B(%{{.*}}pads = array<i64: 0, 0, 0, 1>}{{.*}}tensor<16x8x1x2xf32>{{.*}}-> tensor<1x16x5x7xf32>
// CHECK-DAG:   onnx.Unsqueeze(%[[B]]
// CHECK-DAG:   %[[C:.*]] = onnx.Conv(%[[X]], %{{.*}}) B(%{{.*}}pads = array<i64: 0, 0, 1, 0>}{{.*}}tensor<16x8x2x1xf32>{{.*}}-> tensor<1x16x5x7xf32>
// CHECK-DAG:   onnx.Unsqueeze(%[[C]]
// CHECK-DAG:   %[[D:.*]] = onnx.Conv(%[[X]], %{{.*}}) B(%{{.*}}pads = array<i64: 0, 0, 1, 1>}{{.*}}tensor<16x8x2x2xf32>{{.*}}-> tensor<1x16x5x7xf32>
// CHECK-DAG:   onnx.Unsqueeze(%[[D]]
// CHECK:       %[[ALL:.*]] = onnx.Concat(%[[UA]], {{.*}}axis = 2 : i64{{.*}}-> tensor<1x16x4x5x7xf32>
// CHECK:       onnx.Reshape(%[[ALL]], {{.*}}-> tensor<1x16x2x2x5x7xf32>
// CHECK:       onnx.Transpose{{.*}}perm = array<i64: 0, 1, 4, 2, 5, 3>
// CHECK:       %[[Y:.*]] = onnx.Reshape{{.*}}-> tensor<1x16x10x14xf32>
// CHECK-NEXT:  return %[[Y]]
func.func @phases(%x: tensor<1x8x5x7xf32>) -> tensor<1x16x10x14xf32> {
  %w = onnx.Constant dense<1.0> : tensor<8x16x3x3xf32>
  %b = onnx.Constant dense<0.5> : tensor<16xf32>
  %y = onnx.ConvTranspose(%x, %w) B(%b) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>} : (tensor<1x8x5x7xf32>, tensor<8x16x3x3xf32>, tensor<16xf32>) -> tensor<1x16x10x14xf32>
  return %y : tensor<1x16x10x14xf32>
}

// -----

// On a device four launches take longer than to multiply by a few zeros.
// CHECK-LABEL: func @on_a_device
// CHECK:       onnx.Conv({{.*}}-> tensor<1x64x6x6xf32>
// CHECK-NOT:   onnx.Conv
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, cores = 132>} {
  func.func @on_a_device(%x: tensor<1x8x5x5xf32>) -> tensor<1x16x10x10xf32> {
    %w = onnx.Constant dense<1.0> : tensor<8x16x3x3xf32>
    %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>} : (tensor<1x8x5x5xf32>, tensor<8x16x3x3xf32>) -> tensor<1x16x10x10xf32>
    return %y : tensor<1x16x10x10xf32>
  }
}
