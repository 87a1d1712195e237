// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// CHECK-LABEL: func.func @transpose
// CHECK:         krnl.kernel "Transpose" loops [d0 = %{{[^],]+}}, d1 = 4]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d1, d0])
func.func @transpose(%x: tensor<4x?xf32>) -> tensor<?x4xf32> {
  %y = "onnx.Transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<4x?xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// One kernel, in which each operand writes its part.
// CHECK-LABEL: func.func @concat
// CHECK:         krnl.kernel "Concat" loops [d0 = 2, a0 = 3, a1 = 5]
// CHECK:           krnl.compute [d0, a0]
// CHECK:           krnl.compute [d0, a1] {{.+}} -> (%{{.+}} = %{{.+}}[d0, a1 + 3])
// CHECK-NOT:     krnl.kernel
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %y = "onnx.Concat"(%a, %b) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// Parts of lines are copied from dynamic offsets on, each along its own loop.
// CHECK-LABEL: func.func @concat_lines
// CHECK:         krnl.kernel "Concat" loops [d0 = 2, d2 = 1, a0 = %{{[^],]+}}, a1 = 5, a2 = %{{[^],]+}}]
// CHECK:           krnl.compute [d0, d2, a0] (%[[A:.+]] = %{{.+}}[d0, a0, d2]) -> (%{{.+}} = %{{.+}}[d0, a0 ..., d2])
// CHECK-NEXT:        linalg.yield %[[A]]
// CHECK:           krnl.compute [d0, d2, a1] (%{{.+}} = %{{.+}}[d0, a1, d2]) -> (%{{.+}} = %{{.+}}[d0, a1 ..., d2])
// CHECK:             krnl.scatter_store
// CHECK:           krnl.compute [d0, d2, a2]
// CHECK:             krnl.scatter_store
// CHECK-NOT:     krnl.kernel
func.func @concat_lines(%a: tensor<2x?x1xf32>, %b: tensor<2x5x1xf32>, %c: tensor<2x?x1xf32>) -> tensor<2x?x1xf32> {
  %y = "onnx.Concat"(%a, %b, %c) {axis = 1 : i64} : (tensor<2x?x1xf32>, tensor<2x5x1xf32>, tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
  return %y : tensor<2x?x1xf32>
}

// Rows are read from the operand that has them.
// CHECK-LABEL: func.func @concat_rows
// CHECK:         krnl.kernel "Concat" loops [d0 = %{{[^],]+}}, d1 = 5]
// CHECK:           krnl.compute [d0, d1] ()
// CHECK:             tensor.extract
func.func @concat_rows(%a: tensor<?x5xf32>, %b: tensor<3x5xf32>) -> tensor<?x5xf32> {
  %y = "onnx.Concat"(%a, %b) {axis = 0 : i64} : (tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// Parts are kernels of their own: not all need be used where they are made.
// CHECK-LABEL: func.func @split
// CHECK:         krnl.kernel "Split" loops [d0 = 2, d1 = 3]
// CHECK:         krnl.kernel "Split" loops [d0 = 2, d1 = 5]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d0, d1 + 3])
func.func @split(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x5xf32>) {
  %s = onnx.Constant {value = dense<[3, 5]> : tensor<2xi64>} : tensor<2xi64>
  %y:2 = "onnx.Split"(%x, %s) {axis = 1 : i64} : (tensor<2x8xf32>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x5xf32>)
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2x5xf32>
}
