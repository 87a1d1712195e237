// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// The heads of an attention: what shape arithmetic takes apart comes together.
// CHECK-LABEL: func @heads
// CHECK:         onnx.Reshape{{.*}}["b", "s", "12", "64"]
// CHECK:         onnx.Transpose{{.*}}["b", "12", "s", "64"]
// CHECK:         onnx.MatMul{{.*}}["b", "12", "s", "s"]
func.func @heads(%x: tensor<?x?x768xf32> {onnx.dims = ["b", "s", ""]}) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %tail = onnx.Constant dense<[12, -1]> : tensor<2xi64>
  %shape = onnx.Shape(%x) : (tensor<?x?x768xf32>) -> none
  %head = onnx.Slice(%shape, %zero, %two) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %target = onnx.Concat(%head, %tail) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %0 = onnx.Reshape(%x, %target) : (tensor<?x?x768xf32>, none) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 0, 2, 1, 3>} : (none) -> none
  %2 = onnx.Transpose(%0) {perm = array<i64: 0, 2, 3, 1>} : (none) -> none
  %3 = onnx.MatMul(%1, %2) : (none, none) -> none
  return %3 : none
}

// -----

// Equal factors cancel although none is known.
// CHECK-LABEL: func @remaining_size
// CHECK:         onnx.Reshape{{.*}}["b", "s * 64"]
// CHECK:         onnx.Reshape{{.*}}["b", "s", "2", "32"]
// CHECK:         onnx.Reshape{{.*}}["s", "b * 2", "64"]
func.func @remaining_size(%x: tensor<?x?x64xf32> {onnx.dims = ["b", "s", ""]},
                          %y: tensor<?x?xf32> {onnx.dims = ["s", "t"]}) -> (none, none, none) {
  %flat = onnx.Constant dense<[0, -1]> : tensor<2xi64>
  %0 = onnx.Reshape(%x, %flat) : (tensor<?x?x64xf32>, tensor<2xi64>) -> none
  %split = onnx.Constant dense<[0, 0, -1, 32]> : tensor<4xi64>
  %1 = onnx.Reshape(%x, %split) : (tensor<?x?x64xf32>, tensor<4xi64>) -> none
  %rows = onnx.Shape(%y) {end = 1 : i64} : (tensor<?x?xf32>) -> none
  %rest = onnx.Constant dense<[-1, 64]> : tensor<2xi64>
  %shape = onnx.Concat(%rows, %rest) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %z = onnx.Neg(%x) : (tensor<?x?x64xf32>) -> none
  %t = onnx.Concat(%z, %x) {axis = 0 : i64} : (none, tensor<?x?x64xf32>) -> none
  %2 = onnx.Reshape(%t, %shape) : (none, none) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// CHECK-LABEL: func @flatten_squeeze_unsqueeze
// CHECK:         onnx.Flatten{{.*}}["n", "h * 4"]
// CHECK:         onnx.Flatten{{.*}} -> tensor<1x?xf32>
// CHECK:         onnx.Unsqueeze{{.*}}["n", "1", "h", "4", "1"]
// CHECK:         onnx.Squeeze{{.*}}["n", "h", "4", "1"]
func.func @flatten_squeeze_unsqueeze(%x: tensor<?x?x4xf32> {onnx.dims = ["n", "h", ""]})
    -> (none, none, none) {
  %0 = onnx.Flatten(%x) {axis = 1 : i64} : (tensor<?x?x4xf32>) -> none
  %1 = onnx.Flatten(%x) {axis = 0 : i64} : (tensor<?x?x4xf32>) -> none
  %axes = onnx.Constant dense<[1, -1]> : tensor<2xi64>
  %2 = onnx.Unsqueeze(%x, %axes) : (tensor<?x?x4xf32>, tensor<2xi64>) -> none
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %3 = onnx.Squeeze(%2) axes(%one) : (none, tensor<1xi64>) -> none
  return %0, %1, %3 : none, none, none
}

// -----

// With allowzero a zero is a size.
// CHECK-LABEL: func @allowzero
// CHECK:         onnx.Reshape{{.*}} -> tensor<0x4xf32>
func.func @allowzero(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}) -> none {
  %shape = onnx.Constant dense<[0, 4]> : tensor<2xi64>
  %0 = onnx.Reshape(%x, %shape) {allowzero = 1 : i64} : (tensor<?x4xf32>, tensor<2xi64>) -> none
  return %0 : none
}
