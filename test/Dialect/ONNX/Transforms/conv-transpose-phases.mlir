// RUN: onnx-opt %s --onnx-simplify=for-compilation --onnx-split-conv-transpose --split-input-file | FileCheck %s

// Which elements of the filter and of the border each phase has.

// The elements 2 and 0 of a filter of three go to even places, 1 to odd ones,
// beside a zero; the border of one is cut off.
// CHECK-LABEL: func @filled_filter_and_border
func.func @filled_filter_and_border(%x: tensor<1x1x4xf32>) -> tensor<1x1x7xf32> {
  // CHECK: dense<{{\[\[\[}}3.000000e+00, 1.000000e+00]], {{\[\[}}0.000000e+00, 2.000000e+00]]]> : tensor<2x1x2xf32>
  // CHECK: onnx.Conv({{.*}}pads = array<i64: 1, 0>{{.*}}-> tensor<1x2x4xf32>
  // CHECK: onnx.Slice({{.*}}-> tensor<1x1x7xf32>
  %w = onnx.Constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x7xf32>
  return %y : tensor<1x1x7xf32>
}

// -----

// A whole step of the border is not computed either.
// CHECK-LABEL: func @whole_step_cut
func.func @whole_step_cut(%x: tensor<1x1x4xf32>) -> tensor<1x1x6xf32> {
  // CHECK: onnx.Conv({{.*}}pads = array<i64: 0, 0>{{.*}}-> tensor<1x2x3xf32>
  // CHECK-NOT: onnx.Slice
  %w = onnx.Constant dense<1.0> : tensor<1x1x4xf32>
  %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 2, 2>} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  return %y : tensor<1x1x6xf32>
}

// -----

// An odd number of results: the last one of the second phase is cut off. Elements
// 0 and 2 of the filter are of even results, in the opposite order.
// CHECK-LABEL: func @odd_size
// CHECK-DAG:   %[[EVEN:.*]] = onnx.Constant dense<{{\[\[\[}}3.000000e+00, 1.000000e+00]], {{.*}}> : tensor<16x1x2xf32>
// CHECK-DAG:   onnx.Conv(%{{.*}}, %[[EVEN]]) {{.*}}pads = array<i64: 1, 1>}{{.*}}-> tensor<?x16x?xf32>
// CHECK-DAG:   onnx.Conv({{.*}}pads = array<i64: 0, 1>}{{.*}}tensor<16x1x1xf32>{{.*}}-> tensor<?x16x?xf32>
// CHECK:       onnx.Slice({{.*}}-> tensor<?x16x?xf32>
func.func @odd_size(%x: tensor<?x1x?xf32>) -> tensor<?x16x?xf32> {
  %w = onnx.Constant dense<[[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]]> : tensor<1x16x3xf32>
  %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>} : (tensor<?x1x?xf32>, tensor<1x16x3xf32>) -> tensor<?x16x?xf32>
  return %y : tensor<?x16x?xf32>
}

// -----

// Steps and borders beyond what a tensor can have are left to the checks of the run.
// CHECK-LABEL: func @numbers_too_large
// CHECK-COUNT-2: onnx.ConvTranspose
func.func @numbers_too_large(%x: tensor<?x1x?x?xf32>) -> (tensor<?x1x?x?xf32>, tensor<?x1x?x?xf32>) {
  %w = onnx.Constant dense<1.0> : tensor<1x1x1x1xf32>
  %a = onnx.ConvTranspose(%x, %w) {strides = array<i64: 4294967296, 4294967296>} : (tensor<?x1x?x?xf32>, tensor<1x1x1x1xf32>) -> tensor<?x1x?x?xf32>
  %b = onnx.ConvTranspose(%x, %w) {pads = array<i64: 9223372036854775807, 0, 0, 0>} : (tensor<?x1x?x?xf32>, tensor<1x1x1x1xf32>) -> tensor<?x1x?x?xf32>
  return %a, %b : tensor<?x1x?x?xf32>, tensor<?x1x?x?xf32>
}
