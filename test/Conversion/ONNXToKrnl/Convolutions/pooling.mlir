// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// What lies in the border does not count: how many elements are averaged
// depends on the place.
// CHECK-LABEL: func.func @average
// CHECK:         %[[COUNTS:.+]] = krnl.kernel "AveragePool" loops [d0 = 3]
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "AveragePool" loops [n = 1, c = 1, o0 = 3, k0 = 3] ins(%{{.+}}, %[[COUNTS]] :
// CHECK:           arith.addf
// CHECK:           arith.divf
func.func @average(%x: tensor<1x1x5xf32>) -> tensor<1x1x3xf32> {
  %y = "onnx.AveragePool"(%x) {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// With the border all windows are of three elements.
// CHECK-LABEL: func.func @average_with_borders
// CHECK-COUNT-1: krnl.kernel "AveragePool"
// CHECK:           %[[THREE:.+]] = arith.constant 3.0{{.+}} : f32
// CHECK:           arith.divf %{{.+}}, %[[THREE]]
func.func @average_with_borders(%x: tensor<1x1x5xf32>) -> tensor<1x1x3xf32> {
  %y = "onnx.AveragePool"(%x) {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, count_include_pad = 1 : i64} : (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// A root of squares needs no powers.
// CHECK-LABEL: func.func @root_of_squares
// CHECK-NOT:     krnl.kernel "pad"
// CHECK:         krnl.kernel "LpPool" loops [n = 1, c = 1, o0 = 2, k0 = 2]
// CHECK-NOT:       math.powf
// CHECK:           math.sqrt
func.func @root_of_squares(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  %y = "onnx.LpPool"(%x) {kernel_shape = array<i64: 2>, strides = array<i64: 2>, p = 2 : i64} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

// Unsigned bytes start from 0, and nothing follows the largest.
// CHECK-LABEL: func.func @largest_bytes
// CHECK:         krnl.kernel "MaxPool" loops [n = 1, c = 1, o0 = 3, k0 = 2]
// CHECK-NOT:       krnl.temporary : tensor<1x1x3
// CHECK:           arith.maxui
func.func @largest_bytes(%x: tensor<1x1x4xui8>) -> tensor<1x1x3xui8> {
  %y = "onnx.MaxPool"(%x) {kernel_shape = array<i64: 2>} : (tensor<1x1x4xui8>) -> tensor<1x1x3xui8>
  return %y : tensor<1x1x3xui8>
}

// Of halves the sums between the dimensions have all digits, and the last kernel
// divides. Each pads its own dimension.
// CHECK-LABEL: func.func @separate
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<1x2x13x9xf16>)
// CHECK:         krnl.kernel "AveragePool" loops [n = 1, c = 2, o0 = 9, o1 = 9, k0 = 5] {{.+}} outs(%{{.+}} : tensor<1x2x9x9xf32>)
// CHECK-NOT:       arith.divf
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<1x2x9x13xf32>)
// CHECK:         krnl.kernel "AveragePool" loops [n = 1, c = 2, o0 = 9, o1 = 9, k1 = 5] {{.+}} outs(%{{.+}} : tensor<1x2x9x9xf16>)
// CHECK:           arith.divf
func.func @separate(%x: tensor<1x2x9x9xf16>) -> tensor<1x2x9x9xf16> {
  %y = "onnx.AveragePool"(%x) {krnl.separate, kernel_shape = array<i64: 5, 5>, pads = array<i64: 2, 2, 2, 2>, count_include_pad = 1 : i64} : (tensor<1x2x9x9xf16>) -> tensor<1x2x9x9xf16>
  return %y : tensor<1x2x9x9xf16>
}

// Largest elements are elements; powers are taken once, and the root once.
// CHECK-LABEL: func.func @separate_others
// CHECK:         krnl.kernel "MaxPool" {{.+}} outs(%{{.+}} : tensor<1x1x1x5xf16>)
// CHECK:         krnl.kernel "MaxPool" {{.+}} outs(%{{.+}} : tensor<1x1x1x1xf16>)
// CHECK:         krnl.kernel "LpPool"
// CHECK:           arith.mulf
// CHECK-NOT:       math.sqrt
// CHECK:         krnl.kernel "LpPool"
// CHECK-NOT:       arith.mulf
// CHECK:           math.sqrt
func.func @separate_others(%x: tensor<1x1x5x5xf16>) -> (tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16>) {
  %y = "onnx.MaxPool"(%x) {krnl.separate, kernel_shape = array<i64: 5, 5>} : (tensor<1x1x5x5xf16>) -> tensor<1x1x1x1xf16>
  %z = "onnx.LpPool"(%x) {krnl.separate, kernel_shape = array<i64: 5, 5>, p = 2 : i64} : (tensor<1x1x5x5xf16>) -> tensor<1x1x1x1xf16>
  return %y, %z : tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16>
}

// Rows outside of the operand are not made: a row is inside for all of its elements or
// for none. Those beside it are, as every lane may be outside.
// CHECK-LABEL: func.func @rows_inside
// CHECK:         krnl.kernel "MaxPool" loops [n = 1, c = 2, o0 = {{.+}}, o1 = {{.+}}, k0 = 3]
// CHECK:           krnl.compute [n, c, o0, o1 | k0] () ->
// CHECK:             %[[INSIDE:.+]] = arith.cmpi eq
// CHECK:             %[[ELEMENT:.+]] = tensor.extract
// CHECK:             arith.select %[[INSIDE]], %[[ELEMENT]],
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "MaxPool" loops [n = 1, c = 2, o0 = {{.+}}, o1 = {{.+}}, k1 = 3]
// CHECK-NOT:       tensor.extract
// CHECK:         return
func.func @rows_inside(%x: tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32> {
  %y = onnx.MaxPool(%x) {krnl.separate, kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}
