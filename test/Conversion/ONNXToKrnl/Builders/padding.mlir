// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Along the last dimension the middle is a copy, and tables say where the elements of the
// borders come from. A dimension without borders is read at the loop's index.
// CHECK-LABEL: func @rows
// CHECK:         %[[FIRST:.+]] = krnl.constant dense<[2, 1]> : tensor<2xi64>
// CHECK:         %[[LAST:.+]] = krnl.constant dense<8> : tensor<1xi64>
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, middle = 10, first = 2, last = 1] ins(%arg0, %[[FIRST]], %[[LAST]] :
// CHECK:           krnl.compute
// CHECK:             %[[ROW:.+]] = krnl.index d0
// CHECK-NEXT:        %[[AT:.+]] = krnl.index middle
// CHECK-NEXT:        tensor.extract %{{.+}}[%[[ROW]], %[[AT]]]
// CHECK:           krnl.compute
// CHECK-NOT:         arith.remui
// CHECK:             tensor.extract
// CHECK:           krnl.compute
// CHECK-NOT:         arith.remui
// CHECK:             tensor.extract
// CHECK-NOT:         krnl.scatter_store
// CHECK:           krnl.yield
func.func @rows(%x: tensor<4x10xf32>) -> tensor<4x13xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<4x13xf32>
  return %y : tensor<4x13xf32>
}

// The same parts where the length is dynamic: a kernel makes each table, and the last
// part is stored at an offset.
// CHECK-LABEL: func @dynamic_length
// CHECK:         krnl.kernel "PadMap" loops [d0 = 2]
// CHECK:         krnl.kernel "PadMap" loops [d0 = 1]
// CHECK:         krnl.kernel "Pad" loops [d0 = 4, middle = %{{[^],]+}}, first = 2, last = 1]
// CHECK:           %[[ROW:.+]] = krnl.index d0
// CHECK-NEXT:      %[[AT:.+]] = krnl.index middle
// CHECK-NEXT:      tensor.extract %{{.+}}[%[[ROW]], %[[AT]]]
// CHECK:           krnl.scatter_store %{{.+}} at[%{{.+}}, %{{.+}}]
// CHECK-NOT:       arith.remui
// CHECK:           krnl.yield
func.func @dynamic_length(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %p = onnx.Constant dense<[0, 2, 0, 1]> : tensor<4xi64>
  %y = onnx.Pad(%x, %p) {mode = "edge"} : (tensor<4x?xf32>, tensor<4xi64>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// Dimensions after the last one with borders are part of it: rows of 3 * n.
// CHECK-LABEL: func @channels_last
// CHECK:         tensor.reshape %arg0(%{{.+}}) : (tensor<1x?x?x3xf32>, tensor<3xindex>) -> tensor<1x?x?xf32>
// CHECK:         krnl.kernel "Pad" loops [d0 = 1, d1 = %{{[^],]+}}, middle = %{{[^],]+}}, first = 6, last = 6]
// CHECK:         tensor.reshape %{{.+}} -> tensor<1x?x?x3xf32>
func.func @channels_last(%x: tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32> {
  %p = onnx.Constant dense<[0, 1, 2, 0, 0, 1, 2, 0]> : tensor<8xi64>
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<1x?x?x3xf32>, tensor<8xi64>) -> tensor<1x?x?x3xf32>
  return %y : tensor<1x?x?x3xf32>
}

// Pads that are not constants: where there are none after a dimension, it takes in those
// after it.
// CHECK-LABEL: func @dynamic_pads_of_channels
// CHECK:         arith.andi
// CHECK:         arith.select %{{.+}} : index
// CHECK:         tensor.reshape %arg0(%{{.+}}) : (tensor<?x3xf32>, tensor<2xindex>) -> tensor<?x?xf32>
// CHECK:         krnl.kernel "Pad" loops [d0 = %{{[^],]+}}, middle = %{{[^],]+}}, first = %{{[^],]+}}, last = %{{[^],]+}}]
// CHECK:         tensor.reshape %{{.+}} : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
func.func @dynamic_pads_of_channels(%x: tensor<?x3xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  %y = onnx.Pad(%x, %p) {mode = "wrap"} : (tensor<?x3xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Negative pads, which inference refuses, add nothing: all of the tensor is copied to
// the begin of one that is not shorter.
// CHECK-LABEL: func @negative_pads
// CHECK:         %[[SIZE:.+]] = arith.addi %{{.+}}, %c2{{.*}} : index
// CHECK-NEXT:    tensor.empty(%[[SIZE]]) : tensor<1x1x?xf32>
// CHECK:         krnl.kernel "pad" loops [p0 = 1, p1 = 1, p2 = %[[SIZE]], d2 = %{{.+}}]
// CHECK:           -> (%{{.+}} = %{{.+}}[p0, p1, d2 ...])
// CHECK:         krnl.kernel "pad" loops [p0 = 1, p1 = 1, p2 = 9, d2 = 8]
// CHECK:           -> (%{{.+}} = %{{.+}}[p0, p1, d2 + 1])
func.func @negative_pads(%x: tensor<1x1x?xf32>, %y: tensor<1x1x8xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x?xf32>, tensor<1x1x5xf32>) {
  %0 = onnx.Conv(%x, %w) {pads = array<i64: -1, 2>} : (tensor<1x1x?xf32>, tensor<1x1x3xf32>) -> tensor<1x1x?xf32>
  %1 = onnx.Conv(%y, %w) {pads = array<i64: 1, -2>} : (tensor<1x1x8xf32>, tensor<1x1x3xf32>) -> tensor<1x1x5xf32>
  return %0, %1 : tensor<1x1x?xf32>, tensor<1x1x5xf32>
}
