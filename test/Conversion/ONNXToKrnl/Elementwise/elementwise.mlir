// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Unsigned operands are compared as such, and the condition becomes a byte.
// CHECK-LABEL: func @unsigned_less
// CHECK-SAME:    tensor<4xi8>
// CHECK:         %[[C:.+]] = arith.cmpi ult
// CHECK:         arith.extui %[[C]] : i1 to i8
func.func @unsigned_less(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xi1> {
  %y = onnx.Less(%a, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// Selection moves elements as they are stored.
// CHECK-LABEL: func @select
// CHECK-NOT:     arith.extf
// CHECK:         arith.select {{.*}} : f16
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %y = onnx.Where(%c, %a, %b) : (tensor<4xi1>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// A bias of -infinity hides what it is added to, also NaN.
// CHECK-LABEL: func.func @hiding_add
// CHECK:           krnl.compute {{.+}}(%[[S:[^ ]+]] = %{{[^ ]+}}[d0, d1], %[[B:[^ ]+]] =
// CHECK:             %[[SUM:.+]] = arith.addf %[[S]], %[[B]] : f32
// CHECK:             %[[HIDES:.+]] = arith.cmpf oeq, %[[B]], %{{.+}} : f32
// CHECK:             arith.select %[[HIDES]], %{{.+}}, %[[SUM]] : f32
func.func @hiding_add(%s: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = onnx.Add(%s, %b) {onnx.hides} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
