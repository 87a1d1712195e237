// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// What is the same for all of a channel is computed once for each.
// CHECK-LABEL: func.func @inference
// CHECK:         krnl.kernel "BatchNormalization" loops [d0 = 1, d1 = %{{[^],]+}}, d2 = 4]
// CHECK:           krnl.compute [d1]
// CHECK:             math.sqrt
// CHECK-NEXT:        arith.divf
// CHECK:           krnl.compute [d0, d1, d2]
// CHECK:             arith.subf
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        arith.addf
func.func @inference(%x: tensor<1x?x4xf32>, %s: tensor<?xf32>, %b: tensor<?xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>) -> tensor<1x?x4xf32> {
  %y = "onnx.BatchNormalization"(%x, %s, %b, %m, %v) {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x?x4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<1x?x4xf32>
  return %y : tensor<1x?x4xf32>
}

// In training the statistics are those of the batch, and running ones results.
// CHECK-LABEL: func.func @training
// CHECK:         krnl.kernel "BatchNormalization" loops [d0 = 2, d1 = 3]
// CHECK-COUNT-2:   krnl.compute [d1 | d0]
// CHECK:           math.sqrt
// CHECK:           krnl.yield %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @training(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y:3 = "onnx.BatchNormalization"(%x, %s, %b, %m, %v) {training_mode = 1 : i64, resultSegmentSizes = array<i32: 1, 1, 1>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y#0, %y#1, %y#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Channels beside the first and the last are zeros.
// CHECK-LABEL: func.func @adjacent_channels
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "LRN" loops [d0 = 1, d1 = %{{[^],]+}}, d2 = 4, k = 3]
// CHECK:           krnl.compute [d0, d1, d2 | k]
// CHECK:             arith.mulf
// CHECK-NEXT:        arith.addf
// CHECK:             math.powf
// CHECK-NEXT:        arith.divf
func.func @adjacent_channels(%x: tensor<1x?x4xf32>) -> tensor<1x?x4xf32> {
  %y = "onnx.LRN"(%x) {size = 3 : i64} : (tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  return %y : tensor<1x?x4xf32>
}
