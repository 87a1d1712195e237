// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @known_samples
// CHECK: krnl.kernel "RoiBins" loops [d0 = 3, d1 = 6]
// CHECK-NOT: LargestBin
// CHECK: krnl.kernel "RoiAlign" loops [d0 = 3, d1 = 2, d2 = 4, d3 = 5, sy = 2, sx = 2]
func.func @known_samples(%x: tensor<1x2x8x8xf32>, %rois: tensor<3x4xf32>, %batch: tensor<3xi64>) -> tensor<3x2x4x5xf32> {
  %y = onnx.RoiAlign(%x, %rois, %batch) {output_height = 4 : i64, output_width = 5 : i64, sampling_ratio = 2 : i64} : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x4x5xf32>
  return %y : tensor<3x2x4x5xf32>
}
