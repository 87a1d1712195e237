// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Samples become channels, 4 x 3 x 3 of them; a convolution with windows of one
// element sums them up.
// CHECK-LABEL: func.func @sampled_then_convolved
// CHECK: krnl.kernel "DeformConv" loops [d0 = 1, d1 = 36, d2 = 6, d3 = 6]
// CHECK: krnl.kernel "Conv"
// CHECK-SAME: ic = 36
// CHECK-SAME: tensor<8x36x1x1xf32>
func.func @sampled_then_convolved(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>, %offset: tensor<1x18x6x6xf32>, %mask: tensor<1x9x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %y = onnx.DeformConv(%x, %w, %offset) mask(%mask) : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<1x18x6x6xf32>, tensor<1x9x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// CHECK-LABEL: func.func @sizes_of_the_run
// CHECK-DAG: krnl.check %{{.+}}, "DeformConv: offset does not fit the window"
// CHECK-DAG: krnl.check %{{.+}}, "DeformConv: offset does not fit the result"
// CHECK-DAG: krnl.check %{{.+}}, "DeformConv: nothing to sample from"
func.func @sizes_of_the_run(%x: tensor<?x4x?x?xf32>, %w: tensor<8x4x3x3xf32>, %offset: tensor<?x?x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %y = onnx.DeformConv(%x, %w, %offset) : (tensor<?x4x?x?xf32>, tensor<8x4x3x3xf32>, tensor<?x?x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}
