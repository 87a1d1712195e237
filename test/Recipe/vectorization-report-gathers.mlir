// RUN: onnx-compile %s --resume=onnx --report -o %t.so | FileCheck %s

// What was folded into another node is told of the node that it comes from. The
// way for operands whose sizes turn out to broadcast counts for nothing: the
// addition has vectors where they do not.
// CHECK:      scalar: {{.+}} % of the estimated work
// CHECK-NOT:  negated
// CHECK-NOT:  sum:
// CHECK:        % places: index depends on data
// CHECK-NOT:  negated
// CHECK-NOT:  sum:
// CHECK:      recipes:

module attributes {onnx.ir_version = 10 : i64, onnx.opset = {ai.onnx = 21 : i64}} {
  func.func @main_graph(
      %x: tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "x"},
      %i: tensor<64x1000xi64> {onnx.dims = ["", ""], onnx.name = "i"},
      %y: tensor<?x?xf32> {onnx.dims = ["n", "m"], onnx.name = "y"},
      %z: tensor<?x?xf32> {onnx.dims = ["p", "q"], onnx.name = "z"})
      -> (tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "a"},
          tensor<?x?xf32> {onnx.dims = ["", ""], onnx.name = "b"}) {
    %g = onnx.GatherElements(%x, %i) {axis = 1 : i64} : (tensor<64x1000xf32>, tensor<64x1000xi64>) -> tensor<64x1000xf32> loc("places")
    %a = onnx.Neg(%g) : (tensor<64x1000xf32>) -> tensor<64x1000xf32> loc("negated")
    %b = onnx.Add(%y, %z) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> loc("sum")
    return %a, %b : tensor<64x1000xf32>, tensor<?x?xf32>
  }
}
