// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The sum so far is carried along the axis, and written at each step.
// CHECK-LABEL: func @sum
// CHECK:         krnl.kernel "CumSum" loops [d0 = 2, d1 = 3, d2 = 4]
// CHECK:         krnl.compute [d0, d2 | d1] (%[[X:.+]] = %{{.+}}[d0, d1, d2]) -> (%[[SUM:.+]] = %{{.+}}[d0, d2], %{{.+}} = %{{.+}}[d0, d1, d2])
// CHECK:           %[[NEXT:.+]] = arith.addi %[[SUM]], %[[X]]
// CHECK:           linalg.yield %[[NEXT]], %[[NEXT]]
func.func @sum(%x: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
  %axis = onnx.Constant dense<-2> : tensor<i64>
  %y = onnx.CumSum(%x, %axis) : (tensor<2x3x4xi32>, tensor<i64>) -> tensor<2x3x4xi32>
  return %y : tensor<2x3x4xi32>
}

// Without the element itself, from the end: read and written backwards.
// CHECK-LABEL: func @product_from_the_end
// CHECK:         krnl.kernel "CumProd"
// CHECK:         krnl.compute [d0, d2 | d1] (%{{.+}} = %{{.+}}[d0, d1, d2]) -> (%[[PRODUCT:.+]] = %{{.+}}[d0, d2], %{{.+}} = %{{.+}}[d0, 0, d2])
// CHECK:           tensor.extract
// CHECK:           %[[NEXT:.+]] = arith.mulf %[[PRODUCT]], %{{.+}}
// CHECK:           %[[Y:.+]] = krnl.scatter_store %[[PRODUCT]]
// CHECK:           linalg.yield %[[NEXT]], %[[Y]]
func.func @product_from_the_end(%x: tensor<5xf64>) -> tensor<5xf64> {
  %axis = onnx.Constant dense<0> : tensor<i64>
  %y = onnx.CumProd(%x, %axis) {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<5xf64>, tensor<i64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

// CHECK-LABEL: func @axis_of_the_run
// CHECK:         krnl.check %{{.+}}, "CumSum: the axis is out of range"
// CHECK:         tensor.reshape %{{.+}} -> tensor<?x?x?xf32>
// CHECK:         krnl.kernel "CumSum"
func.func @axis_of_the_run(%x: tensor<2x3xf32>, %axis: tensor<i64>) -> tensor<2x3xf32> {
  %y = onnx.CumSum(%x, %axis) : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
