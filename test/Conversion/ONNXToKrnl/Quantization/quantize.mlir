// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Saturated at bounds less the zero point, so that what is rounded is small; the
// zero point comes last.
// CHECK-LABEL: func @one_scale
// CHECK:         krnl.kernel "QuantizeLinear" loops [d0 = 2, d1 = 3]
// CHECK:         %[[LOW:.+]] = arith.subf
// CHECK:         %[[HIGH:.+]] = arith.subf
// CHECK:         arith.select %{{.+}}, %{{.+}}, %[[LOW]]
// CHECK:         %[[Y:.+]] = arith.select %{{.+}}, %{{.+}}, %[[HIGH]]
// CHECK:         %[[ROUND:.+]] = math.roundeven %[[Y]]
// CHECK:         %[[WHOLE:.+]] = arith.fptosi %[[ROUND]] : f32 to i32
// CHECK:         %[[SUM:.+]] = arith.addi %[[WHOLE]], %{{.+}} : i32
// CHECK:         arith.trunci %[[SUM]] : i32 to i8
func.func @one_scale(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x3xui8> {
  %y = onnx.QuantizeLinear(%x, %s) y_zero_point(%z) : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  return %y : tensor<2x3xui8>
}

// CHECK-LABEL: func @one_for_each_channel
// CHECK:         krnl.compute {{.*}} : (tensor<2x3x4xi8>, tensor<3xf32>) ->
// CHECK:           arith.mulf
func.func @one_for_each_channel(%x: tensor<2x3x4xi8>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %y = onnx.DequantizeLinear(%x, %s) : (tensor<2x3x4xi8>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// The last block may be shorter; the scale of an element is that of its block.
// CHECK-LABEL: func @one_for_each_block
// CHECK:         %[[I:.+]] = krnl.index d1
// CHECK:         %[[B:.+]] = arith.divui %[[I]]
// CHECK:         arith.minsi %[[B]]
// CHECK:         tensor.extract
func.func @one_for_each_block(%x: tensor<3x5xi4>, %s: tensor<3x3xf32>) -> tensor<3x5xf32> {
  %y = onnx.DequantizeLinear(%x, %s) {axis = 1 : i64, block_size = 2 : i64} : (tensor<3x5xi4>, tensor<3x3xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// A vector of unknown size must be that of the axis, or hold one element.
// CHECK-LABEL: func @scales_of_unknown_number
// CHECK:         krnl.check %{{.+}}, "quantisation: a vector
func.func @scales_of_unknown_number(%x: tensor<2x3xf32>, %s: tensor<?xf32>) -> tensor<2x3xui8> {
  %y = onnx.QuantizeLinear(%x, %s) : (tensor<2x3xf32>, tensor<?xf32>) -> tensor<2x3xui8>
  return %y : tensor<2x3xui8>
}

// Whole blocks are a dimension: their elements have one scale, and no index of one
// is computed.
// CHECK-LABEL: func @whole_blocks
// CHECK:         krnl.kernel "DequantizeLinear" loops [d0 = 3, d1 = 2, d2 = 16]
// CHECK-SAME:      ins(%{{.+}}, %{{.+}} : tensor<3x2x16xi8>, tensor<3x2xf32>)
// CHECK-NOT:       tensor.extract
// CHECK:         return %{{.+}} : tensor<3x32xf32>
func.func @whole_blocks(%x: tensor<3x32xi8>, %s: tensor<3x2xf32>) -> tensor<3x32xf32> {
  %y = onnx.DequantizeLinear(%x, %s) {axis = 1 : i64, block_size = 16 : i64} : (tensor<3x32xi8>, tensor<3x2xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}
