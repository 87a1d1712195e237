// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Sizes are of the host: no kernel computes them.
// CHECK-LABEL: func.func @shape
// CHECK-NOT:     krnl.kernel
// CHECK:         %[[SIZE:.+]] = tensor.dim %{{.+}}, %c1
// CHECK:         %[[SECOND:.+]] = arith.index_cast %[[SIZE]]
// CHECK:         tensor.from_elements %{{.+}}, %[[SECOND]] : tensor<2xi64>
func.func @shape(%x: tensor<2x?xf32>) -> tensor<2xi64> {
  %y = "onnx.Shape"(%x) : (tensor<2x?xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: func.func @size
// CHECK:         arith.muli
// CHECK:         tensor.from_elements %{{.+}} : tensor<i64>
func.func @size(%x: tensor<2x?xf32>) -> tensor<i64> {
  %y = "onnx.Size"(%x) : (tensor<2x?xf32>) -> tensor<i64>
  return %y : tensor<i64>
}

// How many there are is rounded up, and not negative; each is computed from its
// position.
// CHECK-LABEL: func.func @range
// CHECK:         krnl.check %{{.+}}, "Range: delta is zero"
// CHECK:         %[[COUNT:.+]] = arith.maxsi
// CHECK:         tensor.empty(%[[COUNT]])
// CHECK:         krnl.kernel "Range" loops [d0 = ?]
// CHECK:           linalg.index 0
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
func.func @range(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<?xf32> {
  %y = "onnx.Range"(%a, %b, %c) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @ones_above_the_diagonal
// CHECK:         krnl.kernel "EyeLike" loops [d0 = 3, d1 = 4]
// CHECK:           %[[ROW:.+]] = linalg.index 0
// CHECK:           %[[COLUMN:.+]] = linalg.index 1
// CHECK:           %[[ABOVE:.+]] = arith.addi %[[ROW]], %c1
// CHECK:           arith.cmpi eq, %[[ABOVE]], %[[COLUMN]]
func.func @ones_above_the_diagonal(%x: tensor<3x4xi64>) -> tensor<3x4xf32> {
  %y = "onnx.EyeLike"(%x) {dtype = 1 : i64, k = 1 : i64} : (tensor<3x4xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// A negative index counts from the end; one out of range meets no column.
// CHECK-LABEL: func.func @one_hot
// CHECK:         krnl.kernel "OneHot" loops [d0 = 4, d1 = ?]
// CHECK:           arith.cmpi slt
// CHECK:           %[[PLACE:.+]] = arith.select
// CHECK:           arith.cmpi eq, %[[PLACE]]
func.func @one_hot(%i: tensor<4xi64>, %d: tensor<i64>, %v: tensor<2xf32>) -> tensor<4x?xf32> {
  %y = "onnx.OneHot"(%i, %d, %v) : (tensor<4xi64>, tensor<i64>, tensor<2xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
