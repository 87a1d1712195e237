// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A block of zeros has the scale and the factor 0: nothing is divided by zero. Numbers
// that belong to one part of the weights' bytes come to lie side by side.
// CHECK-LABEL: func @static(
// CHECK:         krnl.kernel "block scales"
// CHECK:           krnl.compute [d0, d1 | d2]
// CHECK:             math.absf
// CHECK:             arith.maximumf
// CHECK:           krnl.compute [d0, d1]
// CHECK:             arith.mulf
// CHECK:           krnl.compute [d0, d1]
// CHECK:             %[[NONE:.+]] = arith.cmpf oeq
// CHECK:             arith.select %[[NONE]]
// CHECK:         krnl.kernel "quantize blocks"
// CHECK:           krnl.compute [d0, d1, d2, d3] (%{{.+}} = %{{.+}}[d0, d1, d2, d3], %{{.+}} = %{{.+}}[d0, d1]) -> (%{{.+}} = %{{.+}}[d0, d1, d3, d2])
// CHECK:             math.roundeven
// CHECK:         krnl.kernel "block sums"
func.func @static(%a: tensor<4x64xf32>) -> tensor<4x3xf32> {
  %w = onnx.Constant dense<255> : tensor<3x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<6xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 64 : i64, N = 3 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<4x64xf32>, tensor<3x2x16xui8>, tensor<6xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Rows may be as many as the run has.
// CHECK-LABEL: func @dynamic(
// CHECK:         krnl.kernel "block scales" {{.*}}tensor<?x2x32xf32>
// CHECK:         krnl.kernel "quantize blocks" {{.*}}tensor<?x2x16x2xf32>
func.func @dynamic(%a: tensor<?x64xf32>) -> tensor<?x3xf32> {
  %w = onnx.Constant dense<255> : tensor<3x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<6xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 64 : i64, N = 3 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<?x64xf32>, tensor<3x2x16xui8>, tensor<6xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
