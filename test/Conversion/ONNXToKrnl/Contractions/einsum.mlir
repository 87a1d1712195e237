// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A product of matrices is one contraction like any other.
// CHECK-LABEL: func @product
// CHECK:         krnl.kernel "Einsum" loops [i = 3, j = 4, k = 5]
// CHECK:         krnl.compute [i, k | j]
// CHECK-NOT:     krnl.kernel
func.func @product(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<5x3xf32> {
  %z = onnx.Einsum(%x, %y) {equation = "ij, jk -> ki"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}

// What an operand has alone is summed up before anything is multiplied by it.
// CHECK-LABEL: func @sums
// CHECK:         krnl.kernel "Einsum" loops [i = 3, j = 4]
// CHECK:         krnl.kernel "Einsum" loops [k = 2, l = 5]
// CHECK:         krnl.kernel "Einsum" loops [i = 3, k = 2]
func.func @sums(%x: tensor<3x4xf32>, %y: tensor<2x5xf32>) -> tensor<3x2xf32> {
  %z = onnx.Einsum(%x, %y) {equation = "ij,kl->ik"} : (tensor<3x4xf32>, tensor<2x5xf32>) -> tensor<3x2xf32>
  return %z : tensor<3x2xf32>
}

// A letter that occurs twice reads the diagonal; the dots are as many
// dimensions as are left. Sizes that are one by the letter are checked.
// CHECK-LABEL: func @diagonals
// CHECK:         krnl.check %{{.+}}, "Einsum: sizes of one letter differ"
// CHECK:         krnl.kernel "Einsum" loops [e2 = 2, e1 = 3, i = %{{[^],]+}}]
func.func @diagonals(%x: tensor<2x3x?x?xi32>) -> tensor<2x3x?xi32> {
  %z = onnx.Einsum(%x) {equation = "...ii->...i"} : (tensor<2x3x?x?xi32>) -> tensor<2x3x?xi32>
  return %z : tensor<2x3x?xi32>
}

// A dimension of size 1 in the place of the dots is broadcast.
// CHECK-LABEL: func @broadcast
// CHECK:         tensor.reshape {{.*}} -> tensor<3x4xf32>
// CHECK:         krnl.kernel "Einsum" loops [i = 3, j = 4, e1 = 7, k = 5]
func.func @broadcast(%x: tensor<1x3x4xf32>, %y: tensor<7x4x5xf32>) -> tensor<7x3x5xf32> {
  %z = onnx.Einsum(%x, %y) {equation = "...ij,...jk"} : (tensor<1x3x4xf32>, tensor<7x4x5xf32>) -> tensor<7x3x5xf32>
  return %z : tensor<7x3x5xf32>
}

// So is one that is dynamic, of a letter as well as of the dots.
// CHECK-LABEL: func @dynamic_broadcast
// CHECK:         krnl.check %{{.+}}, "sizes of the operands do not broadcast"
// CHECK:         krnl.kernel "expand"
// CHECK:         krnl.kernel "Einsum" loops [b = %
func.func @dynamic_broadcast(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?xf32> {
  %z = onnx.Einsum(%x, %y) {equation = "bj,bj->b"} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
