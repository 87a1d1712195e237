// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Strings are moved like numbers.
// CHECK-LABEL: func @transpose(
// CHECK-SAME:    %{{.+}}: tensor<2x3x!krnl.str>
// CHECK:         krnl.kernel "Transpose"
// CHECK:         krnl.yield {{.*}} : tensor<3x2x!krnl.str>
func.func @transpose(%x: tensor<2x3x!onnx.string>) -> tensor<3x2x!onnx.string> {
  %y = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<2x3x!onnx.string>) -> tensor<3x2x!onnx.string>
  return %y : tensor<3x2x!onnx.string>
}

// CHECK-LABEL: func @choose(
// CHECK:         krnl.kernel "Where"
// CHECK:           arith.select {{.*}} : !krnl.str
func.func @choose(%c: tensor<2xi1>, %x: tensor<2x!onnx.string>, %y: tensor<2x!onnx.string>) -> tensor<2x!onnx.string> {
  %z = onnx.Where(%c, %x, %y) : (tensor<2xi1>, tensor<2x!onnx.string>, tensor<2x!onnx.string>) -> tensor<2x!onnx.string>
  return %z : tensor<2x!onnx.string>
}

// CHECK-LABEL: func @equal(
// CHECK:         krnl.call @onnxc_call_string_equal({{.*}}) : (tensor<2x1x!krnl.str>, tensor<3x!krnl.str>) -> tensor<2x3xi8>
func.func @equal(%x: tensor<2x1x!onnx.string>, %y: tensor<3x!onnx.string>) -> tensor<2x3xi1> {
  %z = onnx.Equal(%x, %y) : (tensor<2x1x!onnx.string>, tensor<3x!onnx.string>) -> tensor<2x3xi1>
  return %z : tensor<2x3xi1>
}

// Other numbers become those that the call reads.
// CHECK-LABEL: func @print(
// CHECK:         krnl.kernel "Cast"
// CHECK:           arith.extf
// CHECK:         krnl.call @onnxc_call_string_from_number({{.*}}) params [3]
func.func @print(%x: tensor<3xf16>) -> tensor<3x!onnx.string> {
  %y = onnx.Cast(%x) {to = 8 : i64} : (tensor<3xf16>) -> tensor<3x!onnx.string>
  return %y : tensor<3x!onnx.string>
}

// CHECK-LABEL: func @parse(
// CHECK:         krnl.call @onnxc_call_string_to_number({{.*}}) params [1] : (tensor<?x!krnl.str>) -> tensor<?xi64>
// CHECK:         arith.trunci
func.func @parse(%x: tensor<?x!onnx.string>) -> tensor<?xi32> {
  %y = onnx.Cast(%x) {to = 6 : i64} : (tensor<?x!onnx.string>) -> tensor<?xi32>
  return %y : tensor<?xi32>
}
