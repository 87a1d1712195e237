// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Views move nothing, but what they claim is checked where that is dynamic.
// CHECK-NOT: krnl.kernel

// 0 copies a size and -1 takes what is left.
// CHECK-LABEL: func.func @reshape
// CHECK:         krnl.check %{{.+}}, "Reshape: 0 comes after the dimensions that it could copy: dimension 2 of an input of rank 2"
// CHECK:         arith.floordivsi
// CHECK:         krnl.check %{{.+}}, "Reshape: the new shape has another number of elements" sizes(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) format "input [{}, {}], requested [{}, {}, {}]"
// CHECK:         tensor.reshape
func.func @reshape(%x: tensor<2x?xf32>, %s: tensor<3xi64>) -> tensor<?x?x?xf32> {
  %y = "onnx.Reshape"(%x, %s) : (tensor<2x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// What is copied cancels: nothing is divided, so that a size beside one of 0 is
// known as well, and there is nothing to check.
// CHECK-LABEL: func.func @remainder
// CHECK-DAG:     %[[B:.+]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[S:.+]] = tensor.dim %arg0, %c3
// CHECK-NOT:     arith.floordivsi
// CHECK-NOT:     krnl.check
// CHECK:         tensor.from_elements %[[B]], %c8{{.*}}, %[[S]], %c64{{.*}} : tensor<4xindex>
func.func @remainder(%x: tensor<?x2x4x?x64xf32>) -> tensor<?x8x?x64xf32> {
  %s = onnx.Constant {value = dense<[0, 8, -1, 64]> : tensor<4xi64>} : tensor<4xi64>
  %y = "onnx.Reshape"(%x, %s) : (tensor<?x2x4x?x64xf32>, tensor<4xi64>) -> tensor<?x8x?x64xf32>
  return %y : tensor<?x8x?x64xf32>
}

// A rest that is divided is checked, and also that of an empty tensor is known.
// CHECK-LABEL: func.func @divided_remainder
// CHECK-DAG:     %[[B:.+]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[ROWS:.+]] = tensor.dim %arg0, %c2
// CHECK-DAG:     %[[N:.+]] = tensor.dim %arg0, %c3
// CHECK:         %[[REST:.+]] = arith.floordivsi %[[ROWS]], %c4
// CHECK:         krnl.check %{{.+}}, "Reshape: the new shape has another number of elements"
// CHECK:         tensor.from_elements %[[B]], %c8{{.*}}, %[[REST]], %[[N]] : tensor<4xindex>
func.func @divided_remainder(%x: tensor<?x2x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %s = onnx.Constant {value = dense<[0, 8, -1, 0]> : tensor<4xi64>} : tensor<4xi64>
  %y = "onnx.Reshape"(%x, %s) : (tensor<?x2x?x?xf32>, tensor<4xi64>) -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}

// CHECK-LABEL: func.func @flatten
// CHECK:         tensor.from_elements %c6{{.*}}, %{{.+}} : tensor<2xindex>
// CHECK:         tensor.reshape {{.+}} -> tensor<6x?xf32>
func.func @flatten(%x: tensor<2x3x?xf32>) -> tensor<6x?xf32> {
  %y = "onnx.Flatten"(%x) {axis = 2 : i64} : (tensor<2x3x?xf32>) -> tensor<6x?xf32>
  return %y : tensor<6x?xf32>
}

// CHECK-LABEL: func.func @squeeze
// CHECK:         krnl.check %{{.+}}, "Squeeze: the size of an axis is not 1"
// CHECK:         tensor.reshape {{.+}} -> tensor<3xf32>
func.func @squeeze(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %a = onnx.Constant {value = dense<0> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.Squeeze"(%x, %a) : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
