// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Both types are stored alike: nothing is left to do.
// CHECK-LABEL: func @stored_alike
// CHECK-SAME:    (%[[X:.+]]: tensor<4xi8>)
// CHECK-NOT:     krnl.kernel
// CHECK:         return %[[X]]
func.func @stored_alike(%x: tensor<4xi4>) -> tensor<4xi8> {
  %y = onnx.Cast(%x) {to = 3 : i64} : (tensor<4xi4>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// CHECK-LABEL: func @reinterprets
// CHECK:         arith.bitcast {{.*}} : f32 to i32
func.func @reinterprets(%x: tensor<4xf32>) -> tensor<4xui32> {
  %y = onnx.BitCast(%x) {to = 12 : i64} : (tensor<4xf32>) -> tensor<4xui32>
  return %y : tensor<4xui32>
}

// A complex number is its two parts, the real one low.
// CHECK-LABEL: func @complex_bits
// CHECK:         %[[IM:.+]] = complex.im
// CHECK:         arith.shli
// CHECK:         complex.re
// CHECK:         arith.ori {{.*}} : i64
func.func @complex_bits(%x: tensor<4xcomplex<f32>>) -> tensor<4xi64> {
  %y = onnx.BitCast(%x) {to = 7 : i64} : (tensor<4xcomplex<f32>>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// Vectors are converted to signed integers in fewer instructions; the first of 64 bits counts 2^63.
// CHECK-LABEL: func @unsigned_long
// CHECK:         %[[LARGE:.+]] = arith.cmpf ole, %[[LIMIT:.+]], %[[X:.+]] : f32
// CHECK:         %[[LESS:.+]] = arith.subf %[[X]], %[[LIMIT]]
// CHECK:         %[[REST:.+]] = arith.select %[[LARGE]], %[[LESS]], %[[X]]
// CHECK:         %[[FIRST:.+]] = arith.select %[[LARGE]], %{{.+}} : i64
// CHECK:         %[[LOW:.+]] = arith.fptosi %[[REST]] : f32 to i64
// CHECK-NOT:     arith.fptoui
// CHECK:         arith.xori %[[FIRST]], %[[LOW]]
func.func @unsigned_long(%x: tensor<4xf32>) -> tensor<4xui64> {
  %y = onnx.Cast(%x) {to = 13 : i64} : (tensor<4xf32>) -> tensor<4xui64>
  return %y : tensor<4xui64>
}
