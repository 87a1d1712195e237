// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A size of 1 is read again and again; both shapes must agree.
// CHECK-LABEL: func.func @expand
// CHECK-COUNT-2: krnl.check %{{.+}}, "Expand: the shapes do not agree"
// CHECK:         krnl.kernel "Expand" loops [d0 = 3, d1 = %{{[^],]+}}]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d0, 0])
func.func @expand(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Expand"(%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Copies are a dimension of their own, so that elements are read in order.
// CHECK-LABEL: func.func @tile
// CHECK:         krnl.kernel "Tile" loops [d0 = 1, d1 = 2, d2 = 2, d3 = 3]
// CHECK:           krnl.compute [d0, d1, d2, d3] (%{{.+}} = %{{.+}}[d1, d3])
// CHECK:         tensor.reshape {{.+}} -> tensor<2x6xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %r = onnx.Constant {value = dense<[1, 2]> : tensor<2xi64>} : tensor<2xi64>
  %y = "onnx.Tile"(%x, %r) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
