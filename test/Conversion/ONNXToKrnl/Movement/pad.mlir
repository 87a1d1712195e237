// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// What pads cut off is not copied apart, and a constant border is filled in without a
// test of each element.
// CHECK-LABEL: func @dynamic_pads
// CHECK-COUNT-1: krnl.kernel "pad" loops [p0 = %{{[^],]+}}, d0 = %{{[^],]+}}, p1 = %{{[^],]+}}, d1 = %{{[^],]+}}]
// CHECK:           krnl.compute
// CHECK:             linalg.yield
// CHECK:           krnl.compute
// CHECK-NOT:         arith.select
// CHECK:             krnl.scatter_store %{{.+}} at[%{{.+}}, %{{.+}}]
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic_pads(%x: tensor<4x5xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  %y = onnx.Pad(%x, %p) : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Of nothing there is no middle.
// CHECK-LABEL: func @nothing
// CHECK:         krnl.kernel "pad"
// CHECK-COUNT-1:   krnl.compute
// CHECK-NOT:       krnl.compute
// CHECK:         return
func.func @nothing(%x: tensor<0xf32>) -> tensor<5xf32> {
  %p = onnx.Constant dense<[0, 5]> : tensor<2xi64>
  %y = onnx.Pad(%x, %p) : (tensor<0xf32>, tensor<2xi64>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// A loop without iterations has no last index to be checked: what it would write
// after a fill is left as it is.
// CHECK-LABEL: func.func @rows_around_nothing
// CHECK:         krnl.kernel "pad"
// CHECK:           krnl.compute
// CHECK-NOT:       krnl.compute
// CHECK:           krnl.yield
func.func @rows_around_nothing(%x: tensor<0x4xf32>) -> tensor<2x4xf32> {
  %p = onnx.Constant {value = dense<[0, 0, 2, 0]> : tensor<4xi64>} : tensor<4xi64>
  %y = onnx.Pad(%x, %p) : (tensor<0x4xf32>, tensor<4xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
