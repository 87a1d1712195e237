// RUN: onnx-compile %s --resume=onnx --emit=krnl -o - | FileCheck %s
// RUN: onnx-compile %s --resume=onnx -o %t.so

// A kernel that only copies one element still writes its destination: what
// simplifies the host program does not look inside kernels.
// CHECK: krnl.kernel "Transpose" loops []
// CHECK: ^bb0(%{{.+}}: tensor<1x1x1x1xf32>, %[[OUT:.+]]: tensor<1x1x1x1xf32>)
// CHECK: %[[COPY:.+]] = krnl.compute
// CHECK-SAME: -> (%{{.+}} = %[[OUT]][
// CHECK: krnl.yield %[[COPY]]
module attributes {onnx.ir_version = 8 : i64, onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @main_graph(%x: tensor<1x1x1x1xf32> {onnx.dims = ["", "", "", ""], onnx.name = "x"}) -> (tensor<1x1x1x1xf32> {onnx.dims = ["", "", "", ""], onnx.name = "y"}) {
    %0 = onnx.Transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
    return %0 : tensor<1x1x1x1xf32>
  }
}
