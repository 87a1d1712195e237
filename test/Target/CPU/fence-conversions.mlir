// RUN: onnx-compile -q %s --resume=onnx --triple=thumbv8.1m.main-none-eabi --cpu=cortex-m55 --emit=asm -o - | FileCheck %s

// Conversions stay beside multiplications by powers of two: the number of bits of a
// fixed-point conversion, its third operand, would be a register.
// CHECK-NOT: vcvt{{.*}} q{{[0-7]}}, q{{[0-7]}},
// CHECK-LABEL: {{^}}kernel_Cast_Mul_0:
// CHECK:     vcvt.f32.s32 q{{[0-7]}}, q{{[0-7]$}}
// CHECK:     vmul.f32
// CHECK-NOT: vcvt{{.*}} q{{[0-7]}}, q{{[0-7]}},
// CHECK-LABEL: {{^}}kernel_DequantizeLinear_0:
// CHECK:     vcvt.f32.s32 q{{[0-7]}}, q{{[0-7]$}}
// CHECK:     vmul.f32
// CHECK-NOT: vcvt{{.*}} q{{[0-7]}}, q{{[0-7]}},
// CHECK-LABEL: {{^}}kernel_Mul_Cast_0:
// CHECK:     vadd.f32
// CHECK:     vcvt.s32.f32 q{{[0-7]}}, q{{[0-7]$}}
// CHECK-NOT: vcvt{{.*}} q{{[0-7]}}, q{{[0-7]}},
func.func @main_graph(%a: tensor<1x64xi8> {onnx.name = "a"}, %b: tensor<1x64xi32> {onnx.name = "b"}, %c: tensor<1x64xf32> {onnx.name = "c"})
    -> (tensor<1x64xf32> {onnx.name = "p"}, tensor<1x64xf32> {onnx.name = "q"}, tensor<1x64xi32> {onnx.name = "r"}) {
  %half = onnx.Constant dense<5.000000e-01> : tensor<f32>
  %two = onnx.Constant dense<2.000000e+00> : tensor<f32>
  %p = onnx.DequantizeLinear(%a, %half) : (tensor<1x64xi8>, tensor<f32>) -> tensor<1x64xf32>
  %f = onnx.Cast(%b) {to = 1 : i64} : (tensor<1x64xi32>) -> tensor<1x64xf32>
  %q = onnx.Mul(%f, %half) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %g = onnx.Mul(%c, %two) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %r = onnx.Cast(%g) {to = 6 : i64} : (tensor<1x64xf32>) -> tensor<1x64xi32>
  return %p, %q, %r : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xi32>
}
