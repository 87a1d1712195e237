// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

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
