// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// Keys close together are places, less the least: values in their order, then
// what all others get, and what NaN gets.
// CHECK-LABEL: func @numbers(
// CHECK:         krnl.constant dense<[1.500000e+00, 5.000000e-01, -7.500000e+00, -7.500000e+00]> : tensor<4xf32>
// CHECK:         krnl.kernel "encode"
// CHECK:           %[[OFFSET:.+]] = arith.subi
// CHECK:           arith.cmpi ult, %[[OFFSET]]
// CHECK-NOT:       tensor.extract {{.*}} : tensor<{{.*}}xi64>
// CHECK:           tensor.extract {{.*}} : tensor<4xf32>
func.func @numbers(%x: tensor<3xi64>) -> tensor<3xf32> {
  %y = onnx.ml.LabelEncoder(%x) {default_float = -7.5 : f32, keys_int64s = array<i64: 2, 1>, values_floats = array<f32: 0.5, 1.5>} : (tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Keys far apart have slots chosen by two products; the fourth key is the third
// one again, and counts.
// CHECK-LABEL: func @far_apart(
// CHECK:         krnl.constant dense<{{.*}}> : tensor<6xf32>
// CHECK:         krnl.constant {{.*}} : tensor<2xi64>
// CHECK:         krnl.constant {{.*}} : tensor<4xi64>
// CHECK:         krnl.kernel "encode"
// CHECK:           arith.muli
// CHECK:           arith.shrui
// CHECK:           tensor.extract {{.*}} : tensor<2xi64>
// CHECK:           arith.muli
// CHECK:           arith.shrui
// CHECK:           %[[KEY:.+]] = tensor.extract {{.*}} : tensor<4xi64>
// CHECK:           arith.cmpi eq, %{{.+}}, %[[KEY]]
// CHECK:           tensor.extract {{.*}} : tensor<6xf32>
func.func @far_apart(%x: tensor<3xi64>) -> tensor<3xf32> {
  %y = onnx.ml.LabelEncoder(%x) {keys_int64s = array<i64: -9223372036854775808, 9223372036854775807, 0, 0>, values_floats = array<f32: 0.5, 1.5, 2.5, 3.5>} : (tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// NaN has a place after all others.
// CHECK-LABEL: func @nan_is_a_key(
// CHECK:         krnl.constant dense<[7, 9, 8]> : tensor<3xi64>
// CHECK:         krnl.kernel "encode"
// CHECK:           arith.cmpf uno
func.func @nan_is_a_key(%x: tensor<3xf32>) -> tensor<3xi64> {
  %y = onnx.ml.LabelEncoder(%x) {default_int64 = 9 : i64, keys_floats = array<f32: 0x7FC00000, 1.0>, values_int64s = array<i64: 8, 7>} : (tensor<3xf32>) -> tensor<3xi64>
  return %y : tensor<3xi64>
}

// CHECK-LABEL: func @strings(
// CHECK:         %[[PLACE:.+]] = krnl.call @onnxc_call_string_index
// CHECK:         krnl.constant dense<[4, 5, -1]> : tensor<3xi64>
// CHECK:         krnl.kernel "encode" {{.*}} ins(%[[PLACE]]
func.func @strings(%x: tensor<?x!onnx.string>) -> tensor<?xi64> {
  %y = onnx.ml.LabelEncoder(%x) {keys_strings = ["a", "b"], values_int64s = array<i64: 4, 5>} : (tensor<?x!onnx.string>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// Strings, which each call makes, are a table without gaps.
// CHECK-LABEL: func @categories(
// CHECK:         krnl.call @onnxc_call_string_constant
// CHECK:         krnl.constant dense<[0, 3, 1, 3, 2, 3, 3]> : tensor<7xi64>
// CHECK:         krnl.kernel "encode"
// CHECK:           tensor.extract {{.*}} : tensor<7xi64>
// CHECK:           tensor.extract {{.*}} : tensor<4x!krnl.str>
func.func @categories(%x: tensor<3xi64>) -> tensor<3x!onnx.string> {
  %y = onnx.ml.CategoryMapper(%x) {cats_int64s = array<i64: 4, 6, 8>, cats_strings = ["a", "b", "c"], default_string = "?"} : (tensor<3xi64>) -> tensor<3x!onnx.string>
  return %y : tensor<3x!onnx.string>
}

// -----

func.func @values_missing(%x: tensor<3xi64>) -> tensor<3xf32> {
  // expected-error @below {{LabelEncoder is not supported}}
  // expected-note @below {{keys, values and default are not as many as belong together}}
  %y = onnx.ml.LabelEncoder(%x) {keys_int64s = array<i64: 2, 1>, values_floats = array<f32: 0.5>} : (tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
