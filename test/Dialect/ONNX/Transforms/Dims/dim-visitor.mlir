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
