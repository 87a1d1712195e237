// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The largest number of a row, powers, their sum, the quotients: one kernel. A sum that
// is too large for the type stays as it is.
// CHECK-LABEL: func.func @softmax
// CHECK:         krnl.kernel "Softmax" loops [d0 = %{{[^],]+}}, d1 = 8]
// CHECK:           arith.maxnumf
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK:           arith.addf
// CHECK:           %[[ROUNDED:.+]] = arith.extf
// CHECK:           arith.cmpf olt, %[[ROUNDED]]
// CHECK:           arith.divf
// CHECK-NOT:     krnl.kernel
func.func @softmax(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %y = "onnx.Softmax"(%x) : (tensor<?x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// A row of -infinity alone: its exponentials are 0, and nothing is divided by their sum.
// CHECK-LABEL: func.func @hidden_rows
// CHECK:           %[[NONE:.+]] = arith.cmpf oeq, %[[LARGEST:.+]], %{{.+}} : f32
// CHECK:           %[[SHIFT:.+]] = arith.select %[[NONE]], %{{.+}}, %[[LARGEST]] : f32
// CHECK:           arith.subf %{{.+}}, %[[SHIFT]]
// CHECK-NEXT:      math.exp
// CHECK:           %[[EMPTY:.+]] = arith.cmpf oeq, %[[TOTAL:.+]], %{{.+}} : f32
// CHECK:           %[[DIVISOR:.+]] = arith.select %[[EMPTY]], %{{.+}}, %[[TOTAL]] : f32
// CHECK:           arith.divf %{{.+}}, %[[DIVISOR]]
func.func @hidden_rows(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = "onnx.Softmax"(%x) {onnx.hidden_rows_are_zero} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The first of the largest elements.
// CHECK-LABEL: func.func @hardmax
// CHECK:         krnl.kernel "Hardmax" loops [d0 = 2, d1 = 8]
// CHECK:           arith.maximumf
// CHECK:           krnl.index d1
// CHECK:           arith.minsi {{.+}} : i32
// CHECK:           arith.cmpi eq
// Positions along a dynamic axis may take 64 bits.
// CHECK:         krnl.kernel "Hardmax"
// CHECK:           arith.minsi {{.+}} : i64
func.func @hardmax(%x: tensor<2x8xf32>, %z: tensor<2x?xf32>) -> (tensor<2x8xf32>, tensor<2x?xf32>) {
  %y = "onnx.Hardmax"(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %w = "onnx.Hardmax"(%z) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %y, %w : tensor<2x8xf32>, tensor<2x?xf32>
}
