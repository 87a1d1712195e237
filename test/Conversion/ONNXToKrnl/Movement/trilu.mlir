// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Complex numbers have a zero, too.
// CHECK-LABEL: func @complex
// CHECK:         complex.constant [0.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
// CHECK:         krnl.kernel "Trilu"
// CHECK:           arith.cmpi sge
// CHECK:           arith.select {{.*}} : complex<f32>
func.func @complex(%x: tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  %y = onnx.Trilu(%x) : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %y : tensor<3x4xcomplex<f32>>
}

// Strings too: the empty one, made outside.
// CHECK-LABEL: func @text
// CHECK:         krnl.kernel "Trilu" {{.*}} !krnl.str)
func.func @text(%x: tensor<3x4x!onnx.string>) -> tensor<3x4x!onnx.string> {
  %y = onnx.Trilu(%x) : (tensor<3x4x!onnx.string>) -> tensor<3x4x!onnx.string>
  return %y : tensor<3x4x!onnx.string>
}
