// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func @broadcast
// CHECK:         onnx.Add{{.*}}["a", "4"]
// CHECK:         onnx.Add{{.*}}["broadcast(a, b)", "4"]
func.func @broadcast(%x: tensor<?x4xf32> {onnx.dims = ["a", ""]},
                     %y: tensor<?x1xf32> {onnx.dims = ["b", ""]}) -> (none, none) {
  %0 = onnx.Add(%x, %x) : (tensor<?x4xf32>, tensor<?x4xf32>) -> none
  %1 = onnx.Add(%x, %y) : (tensor<?x4xf32>, tensor<?x1xf32>) -> none
  return %0, %1 : none, none
}

// -----

// A size of one takes the other size, a constant size decides over a name.
// CHECK-LABEL: func @constants_decide
// CHECK:         onnx.Where{{.*}}["a", "4", "8"]
func.func @constants_decide(%c: tensor<1x4x1xi1>, %x: tensor<?x1x8xf32> {onnx.dims = ["a", "", ""]},
                            %y: tensor<?x8xf32> {onnx.dims = ["b", ""]}) -> none {
  %0 = onnx.Where(%c, %x, %y) : (tensor<1x4x1xi1>, tensor<?x1x8xf32>, tensor<?x8xf32>) -> none
  return %0 : none
}

// -----

// Batch dimensions of a product broadcast, a vector operand loses its dimension.
// CHECK-LABEL: func @products
// CHECK:         onnx.MatMul{{.*}}["b", "h", "m", "n"]
// CHECK:         onnx.MatMul{{.*}}["h", "n"]
// CHECK:         onnx.MatMul{{.*}}["b", "h", "m"]
// CHECK:         onnx.MatMul{{.*}} -> tensor<f32>
func.func @products(%x: tensor<?x?x?x8xf32> {onnx.dims = ["b", "h", "m", ""]},
                    %y: tensor<?x8x?xf32> {onnx.dims = ["h", "", "n"]},
                    %v: tensor<8xf32>) -> (none, none, none, none) {
  %0 = onnx.MatMul(%x, %y) : (tensor<?x?x?x8xf32>, tensor<?x8x?xf32>) -> none
  %1 = onnx.MatMul(%v, %y) : (tensor<8xf32>, tensor<?x8x?xf32>) -> none
  %2 = onnx.MatMul(%x, %v) : (tensor<?x?x?x8xf32>, tensor<8xf32>) -> none
  %3 = onnx.MatMul(%v, %v) : (tensor<8xf32>, tensor<8xf32>) -> none
  return %0, %1, %2, %3 : none, none, none, none
}

// -----

// CHECK-LABEL: func @expand
// CHECK:         onnx.Expand{{.*}}["n", "5", "4"]
func.func @expand(%x: tensor<1x4xf32>, %y: tensor<?x3xf32> {onnx.dims = ["n", ""]}) -> none {
  %five = onnx.Constant dense<[5, 1]> : tensor<2xi64>
  %n = onnx.Shape(%y) {end = 1 : i64} : (tensor<?x3xf32>) -> none
  %shape = onnx.Concat(%n, %five) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %0 = onnx.Expand(%x, %shape) : (tensor<1x4xf32>, none) -> none
  return %0 : none
}

// -----

// All elementwise operators broadcast alike; the slope of PRelu does so to the data.
// CHECK-LABEL: func @all_elementwise
// CHECK:         onnx.StringConcat{{.*}}["broadcast(a, b)"]
// CHECK:         onnx.PRelu{{.*}}["n", "a"]
func.func @all_elementwise(%x: tensor<?x!onnx.string> {onnx.dims = ["a"]}, %y: tensor<?x!onnx.string> {onnx.dims = ["b"]},
                           %data: tensor<?x?xf32> {onnx.dims = ["n", "a"]}, %slope: tensor<?xf32> {onnx.dims = ["b"]}) -> (none, none) {
  %0 = onnx.StringConcat(%x, %y) : (tensor<?x!onnx.string>, tensor<?x!onnx.string>) -> none
  %1 = onnx.PRelu(%data, %slope) : (tensor<?x?xf32>, tensor<?xf32>) -> none
  return %0, %1 : none, none
}

// -----

// A size of 1 or an unknown one of the first operand is not that of the result.
// CHECK-LABEL: func @einsum
// CHECK:         onnx.Einsum{{.*}}["b", "2", "n"]
// CHECK:         onnx.Einsum{{.*}}["broadcast(a, b)", "n"]
// CHECK:         onnx.Einsum{{.*}} -> tensor<5x2xf32>
func.func @einsum(%x: tensor<1x2x3xf32>, %y: tensor<?x3x?xf32> {onnx.dims = ["b", "", "n"]},
                  %z: tensor<?x3xf32> {onnx.dims = ["a", ""]}, %w: tensor<5x3xf32>) -> (none, none, none) {
  %0 = onnx.Einsum(%x, %y) {equation = "...ij,...jk->...ik"} : (tensor<1x2x3xf32>, tensor<?x3x?xf32>) -> none
  %1 = onnx.Einsum(%z, %y) {equation = "...j,...jk"} : (tensor<?x3xf32>, tensor<?x3x?xf32>) -> none
  %2 = onnx.Einsum(%x, %w) {equation = "bij,bj->bi"} : (tensor<1x2x3xf32>, tensor<5x3xf32>) -> none
  return %0, %1, %2 : none, none, none
}
