// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// The branches say which ranks there are: two variants. What comes after the
// rank has gone is there once.
// CHECK-LABEL: func @ranks_of_branches
// CHECK:         %[[X:.+]] = onnx.If(%arg2)
// CHECK:         onnx.Equal
// CHECK:         %[[Y:.+]] = onnx.If(%{{.+}}) {{.*}}onnx.alternatives
// CHECK:           onnx.Identity(%[[X]]) {{.*}} -> tensor<?xf32>
// CHECK:           onnx.Softmax
// CHECK:         } else_branch {
// CHECK:           onnx.Identity(%[[X]]) {{.*}} -> tensor<?x?xf32>
// CHECK:           onnx.Softmax
// CHECK-NOT:     onnx.Softmax
// CHECK:         onnx.Reshape(%[[Y]]
// CHECK-NEXT:    onnx.Exp({{.*}}tensor<2x?xf32>
func.func @ranks_of_branches(%a: tensor<?xf32> {onnx.name = "a"}, %b: tensor<?x?xf32> {onnx.name = "b"}, %c: tensor<i1> {onnx.name = "c"}) -> tensor<*xf32> {
  %x = onnx.If(%c) : (tensor<i1>) -> tensor<*xf32> then_branch {
    onnx.Yield %a : tensor<?xf32>
  } else_branch {
    onnx.Yield %b : tensor<?x?xf32>
  }
  %y = onnx.Softmax(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %s = onnx.Constant dense<[2, -1]> : tensor<2xi64>
  %z = onnx.Reshape(%y, %s) : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %e = onnx.Exp(%z) : (tensor<*xf32>) -> tensor<*xf32>
  return %e : tensor<*xf32>
}

// -----

// Without axes the unknown size may be 1, which drops it. The last cast knows the
// other ranks, for the message of a run with none of them.
// CHECK-LABEL: func @after_squeeze
// CHECK:         onnx.Identity{{.*}} : (tensor<*xf32>) -> tensor<?xf32>
// CHECK:       else_branch
// CHECK:         onnx.Identity{{.*}}onnx.accepted = array<i64: 1, 2>{{.*}} -> tensor<?x3xf32>
func.func @after_squeeze(%x: tensor<?x1x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %s = onnx.Squeeze(%x) : (tensor<?x1x3xf32>) -> tensor<*xf32>
  %a, %b = onnx.Split(%s) {axis = -1 : i64, num_outputs = 2 : i64} : (tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// -----

// How many axes there are says which rank the result has.
// CHECK-LABEL: func @rank_from_length
// CHECK:         onnx.Shape(%arg1) {end = 1 : i64}
// CHECK:         onnx.Equal
// CHECK:         onnx.Unsqueeze(%arg0, %{{.+}}) {{.*}} -> tensor<?x?xf32>
// CHECK:         onnx.Unsqueeze(%arg0, %{{.+}}) {{.*}} -> tensor<?x?x?xf32>
func.func @rank_from_length(%x: tensor<?xf32> {onnx.name = "x"}, %axes: tensor<?xi64> {onnx.name = "axes"}) -> tensor<*xf32> {
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %1 = onnx.Softmax(%0) : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}
