// RUN: onnx-compile %s --resume=onnx --triple=x86_64-linux-gnu --cpu=znver4 --emit=asm -o - | FileCheck %s

// The machine code of two products with rows between: both tiles of 14 x 2 vectors stay
// in registers, since an element of the rows is loaded when it is multiplied. Registers
// that are saved on the stack are aligned there.
// CHECK-LABEL: {{^}}kernel_MatMul_Softmax_MatMul_0:
// CHECK-NOT:   vmovaps {{.*}}(%rsp), %zmm
// CHECK-COUNT-28: vfmadd231ps {{.*}}%zmm
// CHECK-NOT:   vmovaps {{.*}}(%rsp), %zmm
// CHECK:       .size kernel_MatMul_Softmax_MatMul_0
func.func @main_graph(%q: tensor<1x8x256x64xf32> {onnx.name = "q"}, %k: tensor<1x8x64x256xf32> {onnx.name = "k"}, %v: tensor<1x8x256x64xf32> {onnx.name = "v"}) -> (tensor<1x8x256x64xf32> {onnx.name = "y"}) {
  %s = onnx.MatMul(%q, %k) : (tensor<1x8x256x64xf32>, tensor<1x8x64x256xf32>) -> tensor<1x8x256x256xf32>
  %p = onnx.Softmax(%s) {axis = -1 : i64} : (tensor<1x8x256x256xf32>) -> tensor<1x8x256x256xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x8x256x256xf32>, tensor<1x8x256x64xf32>) -> tensor<1x8x256x64xf32>
  return %y : tensor<1x8x256x64xf32>
}
