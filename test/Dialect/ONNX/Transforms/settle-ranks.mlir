// RUN: onnx-opt %s --onnx-simplify | FileCheck %s

// Split along dimension 1 takes at least two for granted.
// CHECK-LABEL: func @split_behind_squeeze
// CHECK:         onnx.Squeeze(%{{.+}}) {{{.*}}onnx.settled_rank} : {{.*}} -> tensor<?x3xf32>
func.func @split_behind_squeeze(%x: tensor<?x1x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %s = onnx.Squeeze(%x) : (tensor<?x1x3xf32>) -> tensor<*xf32>
  %a, %b = onnx.Split(%s) {axis = 1 : i64, num_outputs = 2 : i64} : (tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// A reshape takes any rank: nothing is settled.
// CHECK-LABEL: func @reshape_behind_squeeze
// CHECK:         onnx.Squeeze(%{{.+}}) {{.*}} -> tensor<*xf32>
func.func @reshape_behind_squeeze(%x: tensor<?x1x3xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %s = onnx.Squeeze(%x) : (tensor<?x1x3xf32>) -> tensor<*xf32>
  %y = onnx.Reshape(%s, %shape) : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
