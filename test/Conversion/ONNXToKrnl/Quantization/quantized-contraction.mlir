// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Without zero points the bytes are widened on the way: the left ones are
// unsigned, the right ones signed.
// CHECK-LABEL: func @no_zero_points
// CHECK-NOT:     krnl.kernel "center"
// CHECK:         krnl.kernel "MatMul" loops [m = 4, n = 3, k = 8]
// CHECK-DAG:       arith.extui {{.*}} : i8 to i32
// CHECK-DAG:       arith.extsi {{.*}} : i8 to i32
// CHECK:           arith.addi {{.*}} : i32
func.func @no_zero_points(%a: tensor<4x8xui8>, %b: tensor<8x3xi8>) -> tensor<4x3xi32> {
  %y = onnx.MatMulInteger(%a, %b) : (tensor<4x8xui8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}

// Centred before the border comes, which is then zero.
// CHECK-LABEL: func @border_of_zeros
// CHECK:         krnl.kernel "center"
// CHECK:         krnl.kernel "pad" {{.*}}tensor<1x1x3x3xi32>
// CHECK:         krnl.kernel "Conv"
func.func @border_of_zeros(%x: tensor<1x1x3x3xui8>, %w: tensor<1x1x3x3xui8>, %z: tensor<ui8>) -> tensor<1x1x3x3xi32> {
  %y = onnx.ConvInteger(%x, %w) x_zero_point(%z) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x3x3xui8>, tensor<1x1x3x3xui8>, tensor<ui8>) -> tensor<1x1x3x3xi32>
  return %y : tensor<1x1x3x3xi32>
}

// A vector of scales of the left side has one for each row.
// CHECK-LABEL: func @scales_of_rows
// CHECK:         tensor.reshape {{.*}} -> tensor<4x1xf32>
// CHECK:         krnl.kernel "QLinearMatMul"
// CHECK:           arith.sitofp {{.*}} : i32 to f32
// CHECK:           math.roundeven
func.func @scales_of_rows(%a: tensor<4x8xui8>, %as: tensor<4xf32>, %az: tensor<4xui8>, %b: tensor<8x3xui8>, %bs: tensor<3xf32>, %bz: tensor<3xui8>, %ys: tensor<f32>, %yz: tensor<ui8>) -> tensor<4x3xui8> {
  %y = onnx.QLinearMatMul(%a, %as, %az, %b, %bs, %bz, %ys, %yz) : (tensor<4x8xui8>, tensor<4xf32>, tensor<4xui8>, tensor<8x3xui8>, tensor<3xf32>, tensor<3xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x3xui8>
  return %y : tensor<4x3xui8>
}
