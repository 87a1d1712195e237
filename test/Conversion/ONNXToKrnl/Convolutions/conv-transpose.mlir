// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Zeros between the elements and around them, windows turned round: a
// convolution of steps of one.
// CHECK-LABEL: func.func @stretched
// CHECK:         %[[X:.+]] = krnl.kernel "stretch" loops [d0 = 1, d1 = 2, d2 = 9]
// CHECK:         %[[W:.+]] = krnl.kernel "flip_filter" loops [d0 = 4, d1 = 2, d2 = 3]
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 4, o0 = 7, ic = 2, k0 = 3] ins(%[[X]], %[[W]] :
func.func @stretched(%x: tensor<1x2x3xf32>, %w: tensor<2x4x3xf32>) -> tensor<1x4x7xf32> {
  %y = "onnx.ConvTranspose"(%x, %w) {strides = array<i64: 2>} : (tensor<1x2x3xf32>, tensor<2x4x3xf32>) -> tensor<1x4x7xf32>
  return %y : tensor<1x4x7xf32>
}
