// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// Half the size with antialiasing: four samples instead of two, whose weights
// are brought to a sum of 1. Integers are summed in f32, rounded and saturated.
// CHECK-LABEL: func.func @antialias
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 4, k = 4]
// CHECK: arith.divf
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 4, k = 4]
// CHECK: arith.constant 2.550000e+02 : f32
// CHECK: math.roundeven
func.func @antialias(%x: tensor<1x8xui8>) -> tensor<1x4xui8> {
  %s = onnx.Constant dense<[1.0, 0.5]> : tensor<2xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "linear", antialias = 1 : i64} : (tensor<1x8xui8>, tensor<2xf32>) -> tensor<1x4xui8>
  return %y : tensor<1x4xui8>
}

// -----

// Outside of the region of interest stands one value.
// CHECK-LABEL: func.func @crop
// CHECK: krnl.kernel "ResizeTables"
// CHECK-SAME: tensor<8xi8>
// CHECK: krnl.kernel "Resize"
// CHECK: arith.constant 7.000000e+00 : f32
func.func @crop(%x: tensor<4xf32>, %roi: tensor<2xf32>) -> tensor<8xf32> {
  %s = onnx.Constant dense<8> : tensor<1xi64>
  %y = onnx.Resize(%x) roi(%roi) sizes(%s) {mode = "cubic", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.0 : f32} : (tensor<4xf32>, tensor<2xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
