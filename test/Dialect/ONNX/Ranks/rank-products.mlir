// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// Two unknown ranks: one product on eight dimensions, no variants. A vector on the
// right is a column, and a scalar fails in Gather.
// CHECK-LABEL: func @product
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Gather
// CHECK:         onnx.MatMul{{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @product(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %r = onnx.MatMul(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
