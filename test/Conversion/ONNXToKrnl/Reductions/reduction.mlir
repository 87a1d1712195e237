// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A reduced dimension stays with one element, and the result is summed up where
// it will lie.
// CHECK-LABEL: func.func @sum
// CHECK:         krnl.kernel "ReduceSum" loops [d0 = 2, d1 = 8]
// CHECK:         krnl.compute [d0 | d1]
// CHECK:           arith.addi
// CHECK-NOT:     krnl.compute
// CHECK:         krnl.yield %{{.+}} : tensor<2x1xi32>
func.func @sum(%x: tensor<2x8xi32>) -> tensor<2x1xi32> {
  %axes = onnx.Constant {value = dense<-1> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.ReduceSum"(%x, %axes) : (tensor<2x8xi32>, tensor<1xi64>) -> tensor<2x1xi32>
  return %y : tensor<2x1xi32>
}

// Each dimension has a loop of the result and one that is reduced; which of the
// two is as long as the dimension, and which is 1, follows from the axes.
// CHECK-LABEL: func.func @axes_of_the_run
// CHECK:         krnl.check %{{.+}}, "the axes are out of range or repeat"
// CHECK:         %[[FIRST:.+]] = scf.for
// CHECK:         %[[SECOND:.+]] = scf.for
// CHECK:         arith.select %[[FIRST]], %c1{{.*}}, %c2
// CHECK:         arith.select %[[FIRST]], %c2{{.*}}, %c1
// CHECK:         arith.select %[[SECOND]], %c1{{.*}}, %c3
// CHECK:         krnl.kernel "ReduceMax" loops [d0 = %{{[^],]+}}, r0 = %{{[^],]+}}, d1 = %{{[^],]+}}, r1 = %{{[^],]+}}]
// CHECK:           arith.maximumf
func.func @axes_of_the_run(%x: tensor<2x3xf32>, %axes: tensor<?xi64>) -> tensor<?x?xf32> {
  %y = "onnx.ReduceMax"(%x, %axes) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The largest element, which the exponents are taken from, has a pass before
// the sum; an infinite one takes nothing away.
// CHECK-LABEL: func.func @log_sum_exp
// CHECK:         krnl.kernel "ReduceLogSumExp" loops [d0 = 2, d1 = 8]
// CHECK:           arith.maximumf
// CHECK:           %[[SIZE:.+]] = math.absf %[[LARGEST:.+]] : f32
// CHECK:           %[[FINITE:.+]] = arith.cmpf olt, %[[SIZE]]
// CHECK:           arith.select %[[FINITE]], %[[LARGEST]]
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.addf
// CHECK:           math.log
// CHECK-NEXT:      arith.addf
func.func @log_sum_exp(%x: tensor<2x8xf32>) -> tensor<2x1xf32> {
  %axes = onnx.Constant {value = dense<-1> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.ReduceLogSumExp"(%x, %axes) : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
