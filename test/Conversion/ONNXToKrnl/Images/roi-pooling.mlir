// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @known_samples
// CHECK: krnl.kernel "RoiBins" loops [d0 = 3, d1 = 6]
// CHECK-NOT: LargestBin
// CHECK: krnl.kernel "RoiAlign" loops [d0 = 3, d1 = 2, d2 = 4, d3 = 5, sy = 2, sx = 2]
func.func @known_samples(%x: tensor<1x2x8x8xf32>, %rois: tensor<3x4xf32>, %batch: tensor<3xi64>) -> tensor<3x2x4x5xf32> {
  %y = onnx.RoiAlign(%x, %rois, %batch) {output_height = 4 : i64, output_width = 5 : i64, sampling_ratio = 2 : i64} : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x4x5xf32>
  return %y : tensor<3x2x4x5xf32>
}

// -----

// How many samples a bin has depends on the region; the loops go as far as the
// largest needs, which has a limit.
// CHECK-LABEL: func.func @samples_of_the_run
// CHECK: krnl.kernel "LargestBin"
// CHECK: krnl.check %{{.+}}, "a region has too many samples in a bin"
// CHECK: krnl.kernel "RoiAlign" loops [d0 = 3, d1 = 2, d2 = 4, d3 = 5, sy = %{{[^],]+}}, sx = %{{[^],]+}}]
// CHECK: arith.maximumf
func.func @samples_of_the_run(%x: tensor<1x2x8x8xf32>, %rois: tensor<3x4xf32>, %batch: tensor<3xi64>) -> tensor<3x2x4x5xf32> {
  %y = onnx.RoiAlign(%x, %rois, %batch) {mode = "max", output_height = 4 : i64, output_width = 5 : i64} : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x4x5xf32>
  return %y : tensor<3x2x4x5xf32>
}

// -----

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
