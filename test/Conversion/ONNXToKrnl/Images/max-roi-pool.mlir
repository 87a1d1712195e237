// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @max_roi_pool
// CHECK: krnl.kernel "MaxRoiPool" loops [d0 = %{{[^],]+}}, d1 = 2, d2 = 3, d3 = 4, sy = %{{[^],]+}}, sx = %{{[^],]+}}]
func.func @max_roi_pool(%x: tensor<1x2x8x8xf32>, %rois: tensor<?x5xf32>) -> tensor<?x2x3x4xf32> {
  %y = onnx.MaxRoiPool(%x, %rois) {pooled_shape = array<i64: 3, 4>} : (tensor<1x2x8x8xf32>, tensor<?x5xf32>) -> tensor<?x2x3x4xf32>
  return %y : tensor<?x2x3x4xf32>
}

// -----

func.func @no_size(%x: tensor<1x2x8x8xf32>, %rois: tensor<3x5xf32>) -> tensor<3x2x3x4xf32> {
  // expected-error @+2 {{operator MaxRoiPool is not supported}}
  // expected-note @+1 {{pooled_shape is not two sizes}}
  %y = onnx.MaxRoiPool(%x, %rois) {pooled_shape = array<i64: 3, 0>} : (tensor<1x2x8x8xf32>, tensor<3x5xf32>) -> tensor<3x2x3x4xf32>
  return %y : tensor<3x2x3x4xf32>
}
