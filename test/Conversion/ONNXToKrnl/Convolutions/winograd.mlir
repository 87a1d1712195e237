// RUN: onnx-opt %s --onnx-choose-convolutions | FileCheck %s --check-prefix=CHOOSE
// RUN: onnx-opt %s --onnx-choose-convolutions --convert-onnx-to-krnl | FileCheck %s

// 29 rows of results are eight tiles of four, of which 34 elements are read.
// Products are 36 of matrices, channels lie along memory, and what the tiles
// have too many is left out at the end.
// CHECK-LABEL: func @tiles_of_four
// CHECK:         krnl.kernel "pad" {{.+}} outs(%{{.+}} : tensor<1x64x34x34xf32>)
// CHECK:         krnl.constant #onnx.blob<"{{.*}}> : tensor<36x64x64xf32>
// CHECK:         krnl.kernel "Winograd.rows" {{.+}} outs(%{{.+}} : tensor<1x8x6x34x64xf32>)
// CHECK:         krnl.kernel "Winograd.columns" {{.+}} outs(%{{.+}} : tensor<6x6x8x8x64xf32>)
// CHECK:         krnl.kernel "MatMul" loops [b0 = 36, m = 64, n = 64, k = 64]
// CHECK:         krnl.kernel "Winograd.rows" {{.+}} outs(%{{.+}} : tensor<8x4x6x8x64xf32>)
// CHECK:         krnl.kernel "Winograd.columns" {{.+}} outs(%{{.+}} : tensor<1x32x8x4x64xf32>)
// CHECK:         krnl.kernel "Conv" loops [n = 1, oc = 64, o0 = 29, o1 = 31]
// CHECK-SAME:      outs(%{{.+}} : tensor<1x64x29x31xf32>)
// CHOOSE-LABEL: func @tiles_of_four
// CHOOSE:         onnx.Conv{{.+}}krnl.winograd = 4
func.func @tiles_of_four(%x: tensor<1x64x30x31xf32>) -> tensor<1x64x29x31xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 0, 1, 1, 1>} : (tensor<1x64x30x31xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x29x31xf32>
  return %0 : tensor<1x64x29x31xf32>
}

// The tiles of images of dynamic size are counted in the run. The images are taken to
// be as large as those of networks are where they have as many channels.
// CHECK-LABEL: func @open_sizes
// CHECK:         %[[HIGH:.+]] = tensor.dim %{{.+}}, %c2
// CHECK:         %[[ROWS:.+]] = arith.ceildivsi %[[HIGH]], %c4
// CHECK:         krnl.kernel "Winograd.rows" loops [n = %{{[^],]+}}, y = %{{[^],]+}}, p = 6, w = %{{[^],]+}}, i = 64, k = 6]
// CHECK:         krnl.kernel "MatMul" loops [b0 = 36, m = %{{[^],]+}}, n = 64, k = 64]
// CHECK:         krnl.kernel "Conv" loops [n = %{{[^],]+}}, oc = 64, o0 = %{{[^],]+}}, o1 = %{{[^],]+}}]
// CHOOSE-LABEL: func @open_sizes
// CHOOSE:         onnx.Conv{{.+}}krnl.winograd = 4
func.func @open_sizes(%x: tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) -> tensor<?x64x?x?xf32>
  return %0 : tensor<?x64x?x?xf32>
}

// What is transformed of a large image stays in the caches: 23 rows of tiles
// are made in two bands, which write into the same tensor.
// CHECK-LABEL: func @bands
// CHECK:         krnl.kernel "Winograd.rows" loops [n = 1, y = 12, p = 6,
// CHECK:         krnl.kernel "MatMul" loops [b0 = 36, m = 276, n = 32, k = 32]
// CHECK:         %[[UPPER:.+]] = krnl.kernel "Winograd.columns" loops [n = 1, y = 48,
// CHECK-SAME:      outs(%{{.+}} : tensor<1x92x23x4x32xf32>)
// CHECK:         krnl.kernel "Winograd.rows" loops [n = 1, y = 11, p = 6,
// CHECK:           krnl.compute [n, y, p, w, i | k] ({{.+}}, %{{.+}} = %{{.+}}[n, i, y * 4 + k + 48, w])
// CHECK:         krnl.kernel "Winograd.columns" loops [n = 1, y = 44,
// CHECK-SAME:      outs(%[[UPPER]] : tensor<1x92x23x4x32xf32>)
// CHECK:           krnl.compute [n, y, {{.+}} -> (%{{.+}} = %{{.+}}[n, y + 48, {{.+}}])
// CHECK:         krnl.kernel "Conv"
func.func @bands(%x: tensor<1x32x92x92xf32>) -> tensor<1x32x92x92xf32> {
  %w = onnx.Constant dense<1.0> : tensor<32x32x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x92x92xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x92x92xf32>
  return %0 : tensor<1x32x92x92xf32>
}
