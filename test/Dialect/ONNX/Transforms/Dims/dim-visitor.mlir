// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// A dynamic size has a name of its own, and keeps it.
// CHECK-LABEL: func @data_dependent
// CHECK:         onnx.NonZero{{.*}}["2", "[[U:u[0-9]+]]"]
// CHECK:         onnx.Transpose{{.*}}["[[U]]", "2"]
func.func @data_dependent(%x: tensor<3x4xf32>) -> none {
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (none) -> none
  return %1 : none
}

// -----

// An unnamed input dimension is named after its place.
// CHECK-LABEL: func @unnamed
// CHECK:         onnx.Relu{{.*}}["image.0", "3"]
func.func @unnamed(%x: tensor<?x3xf32> {onnx.name = "image"}) -> none {
  %0 = onnx.Relu(%x) : (tensor<?x3xf32>) -> none
  return %0 : none
}

// -----

// A run in which the size of a tensor is negative fails: a range to that number has as many
// elements.
// CHECK-LABEL: func @sizes_are_not_negative
// CHECK:         onnx.Range({{.*}}onnx.dims = {{\[}}["v0"]]
func.func @sizes_are_not_negative(%x: tensor<0xf32>, %n: tensor<1xi64>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %start = onnx.Constant dense<0> : tensor<i64>
  %step = onnx.Constant dense<1> : tensor<i64>
  %pads = onnx.Concat(%zero, %n) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %p = onnx.Pad(%x, %pads) : (tensor<0xf32>, tensor<2xi64>) -> none
  %size = onnx.Shape(%p) : (none) -> none
  %end = onnx.Squeeze(%size) axes(%zero) : (none, tensor<1xi64>) -> none
  %r = onnx.Range(%start, %end, %step) : (tensor<i64>, none, tensor<i64>) -> none
  return %r : none
}

// -----

// The tensor of a branch is none of each run.
// CHECK-LABEL: func @sizes_of_branches
// CHECK:         onnx.Range({{.*}}onnx.dims = {{\[}}["max(v0, 0)"]]
func.func @sizes_of_branches(%x: tensor<0xf32>, %n: tensor<1xi64>, %y: tensor<?xi64>, %c: tensor<i1>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %start = onnx.Constant dense<0> : tensor<i64>
  %step = onnx.Constant dense<1> : tensor<i64>
  %pads = onnx.Concat(%zero, %n) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %chosen = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %p = onnx.Pad(%x, %pads) : (tensor<0xf32>, tensor<2xi64>) -> none
    %size = onnx.Shape(%p) : (none) -> none
    %end = onnx.Squeeze(%size) axes(%zero) : (none, tensor<1xi64>) -> none
    %r = onnx.Range(%start, %end, %step) : (tensor<i64>, none, tensor<i64>) -> none
    onnx.Yield %r : none
  } else_branch {
    onnx.Yield %y : tensor<?xi64>
  }
  return %chosen : none
}
