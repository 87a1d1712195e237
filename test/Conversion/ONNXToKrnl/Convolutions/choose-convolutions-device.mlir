// RUN: onnx-opt %s --onnx-choose-convolutions | FileCheck %s
//
// On a device each transform is a launch: one image has fewer products than these take.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 132, megahertz = 1980, fma_per_cycle = 4, launch_nanoseconds = 1500>} {
// CHECK-LABEL: func @one_image
// CHECK-NOT:     krnl.winograd
func.func @one_image(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}
// CHECK-LABEL: func @many_images
// CHECK:         krnl.winograd = 4
func.func @many_images(%x: tensor<32x256x14x14xf32>) -> tensor<32x256x14x14xf32> {
  %w = onnx.Constant dense<1.0> : tensor<256x256x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<32x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<32x256x14x14xf32>
  return %0 : tensor<32x256x14x14xf32>
}
}
