// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Packed constants are spread to a byte for each element.
// CHECK-LABEL: func @constant_of_int4
// CHECK:         krnl.constant dense<[1, -2, 7]> : tensor<3xi8>
func.func @constant_of_int4() -> tensor<3xi4> {
  %y = onnx.Constant {value = dense<[1, -2, 7]> : tensor<3xi4>} : tensor<3xi4>
  return %y : tensor<3xi4>
}
