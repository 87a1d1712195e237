// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// 60 = 4 * 3 * 5: a stage for each factor, with constant twiddles.
// CHECK-LABEL: func.func @small_factors
// CHECK: krnl.kernel "DFT.load"
// CHECK: krnl.constant {{.*}}tensor<4x4x1xf32>
// CHECK: krnl.kernel "DFT.stage"
// CHECK: krnl.constant {{.*}}tensor<3x3x4xf32>
// CHECK: krnl.kernel "DFT.stage"
// CHECK: krnl.constant {{.*}}tensor<5x5x12xf32>
// CHECK: krnl.kernel "DFT.stage"
// CHECK-NOT: DFT.stage
// CHECK: krnl.kernel "DFT.store" loops [d0 = 8, d1 = 31, d2 = 1, d3 = 2]
func.func @small_factors(%x: tensor<8x60x1xf32>) -> tensor<8x31x2xf32> {
  %y = onnx.DFT(%x) {onesided = 1 : i64} : (tensor<8x60x1xf32>) -> tensor<8x31x2xf32>
  return %y : tensor<8x31x2xf32>
}
