// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The characters of constants are weights, and so is how to find them.
// CHECK-LABEL: func @constant(
// CHECK:         %[[TABLE:.+]] = krnl.constant {{.*}}xi64>
// CHECK:         krnl.call @onnxc_call_string_constant(%[[TABLE]]) params [2, 1] : ({{.*}}) -> tensor<2x1x!krnl.str>
func.func @constant() -> tensor<2x1x!onnx.string> {
  %y = onnx.Constant dense<[["a"], ["bc"]]> : tensor<2x1x!onnx.string>
  return %y : tensor<2x1x!onnx.string>
}
