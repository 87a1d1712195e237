// RUN: onnx-opt %s --onnx-fuse-quantization | FileCheck %s

// Operators that a pass makes have the types that inference gives them, and no attribute
// that has its default; a reshape to a known shape is one to constants.
// CHECK-LABEL: func.func @types
// CHECK:         %[[AXES:.+]] = onnx.Constant dense<1> : tensor<1xi64>
// CHECK:         onnx.MatMulInteger({{.*}}) : (tensor<3x8xui8>, tensor<8x4xi8>) -> tensor<3x4xi32>
// CHECK:         %[[WIDE:.+]] = onnx.Cast(%arg0) {to = 6 : i64} : (tensor<3x8xui8>) -> tensor<3x8xi32>
// CHECK:         onnx.ReduceSum(%[[WIDE]]) axes(%[[AXES]]) {{.*}}: (tensor<3x8xi32>, tensor<1xi64>) -> tensor<3x1xi32>
// CHECK-NOT:     none
// CHECK:         return
func.func @types(%x: tensor<3x8xui8>, %wz: tensor<i8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) b_zero_point(%wz) : (tensor<3x8xui8>, tensor<8x4xi8>, tensor<i8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
