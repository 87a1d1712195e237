// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Along the last dimension the middle is a copy: only the borders look where each
// element comes from. A dimension without borders is never looked up.
// CHECK-LABEL: func @rows
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, middle = 10, first = 2, last = 1]
// CHECK:           linalg.generic
// CHECK:             %[[ROW:.+]] = linalg.index 0
// CHECK-NEXT:        %[[AT:.+]] = linalg.index 1
// CHECK-NOT:         arith.remsi
// CHECK:             tensor.extract %{{.+}}[%[[ROW]], %[[AT]]]
// CHECK:           linalg.generic
// CHECK:             arith.remsi
// CHECK:           linalg.generic
// CHECK:             arith.remsi
// CHECK:           krnl.yield
func.func @rows(%x: tensor<4x10xf32>) -> tensor<4x13xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<4x13xf32>
  return %y : tensor<4x13xf32>
}

// The place of what lies behind is not known: one op does all.
// CHECK-LABEL: func @unknown
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, last = ?]
func.func @unknown(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "edge"} : (tensor<4x?xf32>, tensor<4xi64>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
