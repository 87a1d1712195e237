// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Along the last dimension the middle is a copy: only the borders compute where each
// element comes from. A dimension without borders is read at the loop's index.
// CHECK-LABEL: func @rows
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, middle = 10, first = 2, last = 1]
// CHECK:           linalg.generic
// CHECK:             %[[ROW:.+]] = linalg.index 0
// CHECK-NEXT:        %[[AT:.+]] = linalg.index 1
// CHECK-NOT:         arith.remui
// CHECK:             tensor.extract %{{.+}}[%[[ROW]], %[[AT]]]
// CHECK:           linalg.generic
// CHECK:             arith.remui
// CHECK:           linalg.generic
// CHECK:             arith.remui
// CHECK-NOT:         krnl.place
// CHECK:           krnl.yield
func.func @rows(%x: tensor<4x10xf32>) -> tensor<4x13xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<4x13xf32>
  return %y : tensor<4x13xf32>
}

// The same parts where the length is dynamic; the last one is stored at an offset.
// CHECK-LABEL: func @dynamic_length
// CHECK:         %[[LENGTH:.+]] = tensor.dim %arg0
// CHECK:         %[[BEHIND:.+]] = arith.addi %[[LENGTH]], %c2
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, middle = ?, first = 2, last = 1]
// CHECK:           %[[ROW:.+]] = linalg.index 0
// CHECK-NEXT:      %[[AT:.+]] = linalg.index 1
// CHECK-NEXT:      tensor.extract %{{.+}}[%[[ROW]], %[[AT]]]
// CHECK:           krnl.place %{{.+}} at[%{{.+}}, %{{.+}}]
func.func @dynamic_length(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "edge"} : (tensor<4x?xf32>, tensor<4xi64>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// Dimensions behind the last one with borders are part of it: rows of 3 * n.
// CHECK-LABEL: func @channels_last
// CHECK:         tensor.reshape %arg0(%{{.+}}) : (tensor<1x?x?x3xf32>, tensor<3xindex>) -> tensor<1x?x?xf32>
// CHECK:         krnl.kernel "Pad" loops [d0 = 1, d1 = ?, middle = ?, first = 6, last = 6]
// CHECK:         tensor.reshape %{{.+}} -> tensor<1x?x?x3xf32>
func.func @channels_last(%x: tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32> {
  %p = onnx.Constant dense<[0, 1, 2, 0, 0, 1, 2, 0]> : tensor<8xi64>
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<1x?x?x3xf32>, tensor<8xi64>) -> tensor<1x?x?x3xf32>
  return %y : tensor<1x?x?x3xf32>
}

// What pads cut off is not copied apart, and a constant border is filled in without a
// test of each element.
// CHECK-LABEL: func @dynamic_pads
// CHECK-COUNT-1: krnl.kernel "pad" loops [p0 = ?, d0 = ?, p1 = ?, d1 = ?]
// CHECK:           linalg.generic
// CHECK:             linalg.yield
// CHECK:           linalg.generic
// CHECK-NOT:         arith.select
// CHECK:             krnl.place %{{.+}} at[%{{.+}}, %{{.+}}]
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic_pads(%x: tensor<4x5xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  %y = onnx.Pad(%x, %p) : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Of nothing there is no middle.
// CHECK-LABEL: func @nothing
// CHECK:         krnl.kernel "pad"
// CHECK-COUNT-1:   linalg.generic
// CHECK-NOT:       linalg.generic
// CHECK:         return
func.func @nothing(%x: tensor<0xf32>) -> tensor<5xf32> {
  %p = onnx.Constant dense<[0, 5]> : tensor<2xi64>
  %y = onnx.Pad(%x, %p) : (tensor<0xf32>, tensor<2xi64>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
