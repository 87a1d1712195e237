// RUN: onnx-opt %s --onnx-split-dim-names --split-input-file | FileCheck %s

// Concatenated along n, the sizes may differ. The names of the model are kept.
// CHECK-LABEL: func @along_the_axis
// CHECK-SAME:    %arg0: tensor<?x4xf32> {onnx.dims = ["n", ""], onnx.name = "a"}
// CHECK-SAME:    %arg1: tensor<?x4xf32> {onnx.declared_dims = ["n", ""], onnx.dims = ["", ""], onnx.name = "b"}
func.func @along_the_axis(
    %a: tensor<?x4xf32> {onnx.dims = ["n", ""], onnx.name = "a"},
    %b: tensor<?x4xf32> {onnx.dims = ["n", ""], onnx.name = "b"}) -> tensor<?x4xf32> {
  %y = onnx.Concat(%a, %b) {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Beside the axis they may not.
// CHECK-LABEL: func @beside_the_axis
// CHECK-SAME:    onnx.dims = ["", "n"], onnx.name = "a"
// CHECK-SAME:    onnx.dims = ["", "n"], onnx.name = "b"
func.func @beside_the_axis(
    %a: tensor<?x?xf32> {onnx.dims = ["", "n"], onnx.name = "a"},
    %b: tensor<?x?xf32> {onnx.dims = ["", "n"], onnx.name = "b"}) -> tensor<?x?xf32> {
  %y = onnx.Concat(%a, %b) {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// An input is named once.
// CHECK-LABEL: func @one_input
// CHECK-SAME:    onnx.declared_dims = ["n", "n"], onnx.dims = ["n", ""], onnx.name = "a"
func.func @one_input(
    %a: tensor<?x?xf32> {onnx.dims = ["n", "n"], onnx.name = "a"}) -> tensor<?x?xf32> {
  %y = onnx.Neg(%a) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Sizes that meet after some steps: those of a and c, and those of b and d,
// which have a name of their own then.
// CHECK-LABEL: func @groups
// CHECK-SAME:    onnx.dims = ["n"], onnx.name = "a"
// CHECK-SAME:    onnx.declared_dims = ["n"], onnx.dims = ["n_2"], onnx.name = "b"
// CHECK-SAME:    onnx.dims = ["n"], onnx.name = "c"
// CHECK-SAME:    onnx.declared_dims = ["n"], onnx.dims = ["n_2"], onnx.name = "d"
func.func @groups(
    %a: tensor<?xf32> {onnx.dims = ["n"], onnx.name = "a"},
    %b: tensor<?xf32> {onnx.dims = ["n"], onnx.name = "b"},
    %c: tensor<?xf32> {onnx.dims = ["n"], onnx.name = "c"},
    %d: tensor<?xf32> {onnx.dims = ["n"], onnx.name = "d"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Neg(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Concat(%0, %0) {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Concat(%c, %c) {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = onnx.Add(%1, %2) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = onnx.Add(%b, %d) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3, %4 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Rows of a product may differ in number, its inner sizes may not.
// CHECK-LABEL: func @product
// CHECK-SAME:    onnx.dims = ["rows", "inner"], onnx.name = "a"
// CHECK-SAME:    onnx.declared_dims = ["inner", "rows"], onnx.dims = ["inner", ""], onnx.name = "b"
func.func @product(
    %a: tensor<?x?xf32> {onnx.dims = ["rows", "inner"], onnx.name = "a"},
    %b: tensor<?x?xf32> {onnx.dims = ["inner", "rows"], onnx.name = "b"}) -> tensor<?x?xf32> {
  %y = onnx.MatMul(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// What no rule speaks of keeps its sizes equal.
// CHECK-LABEL: func @others
// CHECK-NOT:     onnx.declared_dims
// CHECK-SAME:    onnx.dims = ["batch", ""], onnx.name = "a"
// CHECK-SAME:    onnx.dims = ["batch", ""], onnx.name = "b"
func.func @others(
    %a: tensor<?x4xf32> {onnx.dims = ["batch", ""], onnx.name = "a"},
    %b: tensor<?x3xi64> {onnx.dims = ["batch", ""], onnx.name = "b"}) -> tensor<?x3xf32> {
  %y = onnx.GatherElements(%a, %b) {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x3xi64>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
