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
