// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// The place before the next whole sample is nearer to that one.
// CHECK-LABEL: func.func @not_repeated
// CHECK: ResizeTables
func.func @not_repeated(%x: tensor<8xf32>) -> tensor<24xf32> {
  %s = onnx.Constant dense<3.0> : tensor<1xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "nearest", coordinate_transformation_mode = "asymmetric"} : (tensor<8xf32>, tensor<1xf32>) -> tensor<24xf32>
  return %y : tensor<24xf32>
}
