// RUN: onnx-compile %s --resume=onnx --cpu=znver4 --emit=krnl -o - | FileCheck %s
// RUN: onnx-compile %s --resume=onnx -o %t.so

// An attention whose batch has one name in all operands: names say that nothing is
// repeated, so that no copies for that stand between the parts, which become one
// kernel. Its keys are packed, as for a known batch.
// CHECK-NOT: scf.if
// CHECK-NOT: "expand"
// CHECK:     krnl.kernel "MatMul+Mul+Softmax+MatMul"
// CHECK-SAME: recipe [block(m, 8) -> (m.o, m.r)
// CHECK-SAME: pack(1, [n.o, k, n.r], transpose=16)
// CHECK-NOT: scf.if
// CHECK-NOT: "expand"
module attributes {onnx.ir_version = 8 : i64, onnx.opset = {ai.onnx = 17 : i64}} {
  func.func @main_graph(%q: tensor<?x4x1024x32xf32> {onnx.dims = ["N", "", "", ""], onnx.name = "q"}, %k: tensor<?x4x1024x32xf32> {onnx.dims = ["N", "", "", ""], onnx.name = "k"}, %v: tensor<?x4x1024x32xf32> {onnx.dims = ["N", "", "", ""], onnx.name = "v"}) -> (tensor<?x4x1024x32xf32> {onnx.dims = ["N", "", "", ""], onnx.name = "y"}) {
    %0 = onnx.Constant dense<0.176776692> : tensor<f32>
    %1 = onnx.Transpose(%k) {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x4x1024x32xf32>) -> tensor<?x4x32x1024xf32>
    %2 = onnx.MatMul(%q, %1) : (tensor<?x4x1024x32xf32>, tensor<?x4x32x1024xf32>) -> tensor<?x4x1024x1024xf32>
    %3 = onnx.Mul(%2, %0) : (tensor<?x4x1024x1024xf32>, tensor<f32>) -> tensor<?x4x1024x1024xf32>
    %4 = onnx.Softmax(%3) {axis = 3 : i64} : (tensor<?x4x1024x1024xf32>) -> tensor<?x4x1024x1024xf32>
    %5 = onnx.MatMul(%4, %v) : (tensor<?x4x1024x1024xf32>, tensor<?x4x1024x32xf32>) -> tensor<?x4x1024x32xf32>
    return %5 : tensor<?x4x1024x32xf32>
  }
}
