// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Nor does one list them, or tell that a size is not negative.
// CHECK-LABEL: func.func @lists_of_sizes
// CHECK-NOT:     krnl.kernel
// CHECK:         %[[SIZE:.+]] = tensor.dim %{{.+}}, %c0
// CHECK:         tensor.from_elements %{{.+}}, %c3_i64 : tensor<2xi64>
// CHECK-NOT:     arith.maxsi
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<?xi64>
func.func @lists_of_sizes(%x: tensor<?xf32>) -> (tensor<2xi64>, tensor<?xi64>) {
  %zero = onnx.Constant {value = dense<0> : tensor<i64>} : tensor<i64>
  %one = onnx.Constant {value = dense<1> : tensor<i64>} : tensor<i64>
  %three = onnx.Constant {value = dense<3> : tensor<1xi64>} : tensor<1xi64>
  %none = onnx.Constant {value = dense<> : tensor<0xi64>} : tensor<0xi64>
  %s = "onnx.Shape"(%x) : (tensor<?xf32>) -> tensor<1xi64>
  %n = "onnx.Reshape"(%s, %none) : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
  %y = "onnx.Concat"(%s, %three) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %z = "onnx.Range"(%zero, %n, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y, %z : tensor<2xi64>, tensor<?xi64>
}
