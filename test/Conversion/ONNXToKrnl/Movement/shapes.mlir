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
// position. What no number of elements can be is not converted to one.
// CHECK-LABEL: func.func @range
// CHECK:         krnl.check %{{.+}}, "Range: delta is zero"
// CHECK:         krnl.check %{{.+}}, "Range: the result is too long"
// CHECK:         %[[STEPS:.+]] = arith.select {{.+}} : f32
// CHECK:         arith.fptosi %[[STEPS]] : f32 to i64
// CHECK:         %[[COUNT:.+]] = arith.index_cast
// CHECK:         krnl.check %{{.+}}, "Range: a size is negative or too large"
// CHECK:         tensor.empty(%[[COUNT]])
// CHECK:         krnl.kernel "Range" loops [d0 = %{{[^],]+}}]
// CHECK:           krnl.index d0
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
func.func @range(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<?xf32> {
  %y = "onnx.Range"(%a, %b, %c) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A distance from 0 is the limit; any other one may overflow, and is a number
// without a sign: nothing traps, whatever the step is.
// CHECK-LABEL: func.func @range_of_integers
// CHECK-NOT:     div
// CHECK:         arith.ceildivsi
// CHECK-NOT:     div
// CHECK:         krnl.kernel "Range"
// CHECK-NOT:     div
// CHECK:         arith.divui
// CHECK-NOT:     div
// CHECK:         krnl.kernel "Range"
// CHECK-NOT:     div
// CHECK:         arith.maxui
// CHECK-NEXT:    arith.divui
// CHECK-NOT:     div
// CHECK:         return
func.func @range_of_integers(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %zero = onnx.Constant {value = dense<0> : tensor<i64>} : tensor<i64>
  %one = onnx.Constant {value = dense<1> : tensor<i64>} : tensor<i64>
  %two = onnx.Constant {value = dense<2> : tensor<i64>} : tensor<i64>
  %x = "onnx.Range"(%zero, %b, %two) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %y = "onnx.Range"(%a, %b, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %z = "onnx.Range"(%a, %b, %c) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %x, %y, %z : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: func.func @ones_above_the_diagonal
// CHECK:         krnl.kernel "EyeLike" loops [d0 = 3, d1 = 4]
// CHECK:           %[[D0:.+]] = krnl.index d0
// CHECK:           %[[D1:.+]] = krnl.index d1
// CHECK:           %[[ROW:.+]] = arith.index_cast %[[D0]] : index to i32
// CHECK:           %[[ABOVE:.+]] = arith.addi %[[ROW]], %{{.+}} : i32
// CHECK:           %[[COLUMN:.+]] = arith.index_cast %[[D1]] : index to i32
// CHECK:           arith.cmpi eq, %[[ABOVE]], %[[COLUMN]]
func.func @ones_above_the_diagonal(%x: tensor<3x4xi64>) -> tensor<3x4xf32> {
  %y = "onnx.EyeLike"(%x) {dtype = 1 : i64, k = 1 : i64} : (tensor<3x4xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// A negative index counts from the end; one out of range meets no column.
// CHECK-LABEL: func.func @one_hot
// CHECK:         krnl.kernel "OneHot" loops [d0 = 4, d1 = %{{[^],]+}}]
// CHECK:           arith.cmpi slt
// CHECK:           %[[PLACE:.+]] = arith.select
// CHECK:           arith.cmpi eq, %[[PLACE]]
func.func @one_hot(%i: tensor<4xi64>, %d: tensor<i64>, %v: tensor<2xf32>) -> tensor<4x?xf32> {
  %y = "onnx.OneHot"(%i, %d, %v) : (tensor<4xi64>, tensor<i64>, tensor<2xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
