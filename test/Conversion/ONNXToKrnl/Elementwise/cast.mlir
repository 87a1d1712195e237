// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Floats of a byte are bytes in kernels; too large ones stop at the largest.
// CHECK-LABEL: func @to_float8
// CHECK-SAME:    -> (tensor<4xi8>
// CHECK:         arith.bitcast {{.*}} : f32 to i32
// CHECK-DAG:     arith.constant 126 : i32
// CHECK-DAG:     arith.constant 127 : i32
// CHECK:         arith.trunci {{.*}} : i32 to i8
func.func @to_float8(%x: tensor<4xf32>) -> (tensor<4xf8E4M3FN> {onnx.name = "y"}) {
  %y = onnx.Cast(%x) {to = 17 : i64} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  return %y : tensor<4xf8E4M3FN>
}

// int4 keeps the low bits and takes a byte, with its sign.
// CHECK-LABEL: func @to_int4
// CHECK:         %[[WIDE:.+]] = arith.fptosi {{.*}} : f32 to i32
// CHECK:         %[[BYTE:.+]] = arith.trunci %[[WIDE]] : i32 to i8
// CHECK:         %[[HIGH:.+]] = arith.shli %[[BYTE]]
// CHECK:         arith.shrsi %[[HIGH]]
func.func @to_int4(%x: tensor<4xf32>) -> tensor<4xi4> {
  %y = onnx.Cast(%x) {to = 22 : i64} : (tensor<4xf32>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}

// Whatever is not zero is true, NaN too.
// CHECK-LABEL: func @to_bool
// CHECK:         arith.cmpf une
func.func @to_bool(%x: tensor<4xf32>) -> tensor<4xi1> {
  %y = onnx.Cast(%x) {to = 9 : i64} : (tensor<4xf32>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

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

// Packed constants are spread to a byte for each element.
// CHECK-LABEL: func @constant_of_int4
// CHECK:         krnl.constant dense<[1, -2, 7]> : tensor<3xi8>
func.func @constant_of_int4() -> tensor<3xi4> {
  %y = onnx.Constant {value = dense<[1, -2, 7]> : tensor<3xi4>} : tensor<3xi4>
  return %y : tensor<3xi4>
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
