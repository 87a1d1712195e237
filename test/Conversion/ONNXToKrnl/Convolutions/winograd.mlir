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
// be as large as those of networks are where they have as many channels. If a run has few results
// beside its tiles, one kernel makes them of windows, and the others have no iterations.
// CHECK-LABEL: func @open_sizes
// CHECK:         %[[HIGH:.+]] = tensor.dim %{{.+}}, %c2
// CHECK:         %[[WIDE:.+]] = tensor.dim %{{.+}}, %c3
// CHECK:         %[[ROWS:.+]] = arith.ceildivsi %[[HIGH]], %c4
// CHECK:         %[[RESULTS:.+]] = arith.muli %{{.+}}, %[[WIDE]]
// CHECK:         %[[OF_TILES:.+]] = arith.muli %{{.+}}, %c6
// CHECK:         %[[LIMIT:.+]] = arith.addi %[[OF_TILES]], %c74
// CHECK:         %[[IS_FEW:.+]] = arith.cmpi slt, %[[RESULTS]], %[[LIMIT]]
// CHECK:         %[[FEW:.+]] = arith.select %[[IS_FEW]], %[[HIGH]], %c0
// CHECK:         %[[SUMS:.+]] = krnl.kernel "Conv.few" loops [n = %{{[^],]+}}, oc = 64, o0 = %[[FEW]], o1 = %[[WIDE]], ic = 64, k0 = 3, k1 = 3]
// CHECK:         %[[TILES:.+]] = tensor.expand_shape %[[SUMS]]
// CHECK:         %[[MANY:.+]] = arith.select %[[IS_FEW]], %c0{{[_0-9]*}}, %[[ROWS]]
// CHECK:         krnl.kernel "Winograd.rows" loops [n = %{{[^],]+}}, y = %[[MANY]], p = 6, w = %{{[^],]+}}, i = 64, k = 6]
// CHECK:         krnl.kernel "MatMul" loops [b0 = 36, m = %{{[^],]+}}, n = 64, k = 64]
// CHECK:         krnl.kernel "Winograd.columns" {{.+}} outs(%[[TILES]]
// CHECK:         krnl.kernel "Conv" loops [n = %{{[^],]+}}, oc = 64, o0 = %[[HIGH]], o1 = %[[WIDE]]]
// CHOOSE-LABEL: func @open_sizes
// CHOOSE:         onnx.Conv{{.+}}krnl.winograd = 4 : i64, krnl.winograd_limit = array<i64: 74, 6>
func.func @open_sizes(%x: tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) -> tensor<?x64x?x?xf32>
  return %0 : tensor<?x64x?x?xf32>
}

// Where only the width is dynamic it is the width that is zero.
// CHECK-LABEL: func @open_width
// CHECK:         %[[WIDE:.+]] = tensor.dim %{{.+}}, %c3
// CHECK:         %[[COLUMNS:.+]] = arith.ceildivsi %[[WIDE]], %c4
// CHECK:         %[[FEW:.+]] = arith.select %[[IS_FEW:.+]], %[[WIDE]], %c0
// CHECK:         krnl.kernel "Conv.few" loops [n = 1, oc = 64, o0 = 16, o1 = %[[FEW]], ic = 64, k0 = 3, k1 = 3]
// CHECK:         %[[MANY:.+]] = arith.select %[[IS_FEW]], %c0{{[_0-9]*}}, %[[COLUMNS]]
// CHECK:         krnl.kernel "Winograd.columns" loops [p = 6, q = 6, y = 4, x = %[[MANY]], i = 64, k = 6]
// CHOOSE-LABEL: func @open_width
// CHOOSE:         onnx.Conv{{.+}}krnl.winograd_limit
func.func @open_width(%x: tensor<1x64x16x?xf32>) -> tensor<1x64x16x?xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x16x?xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x16x?xf32>
  return %0 : tensor<1x64x16x?xf32>
}

// A batch of images of known size, of which one has enough results: no second version.
// CHECK-LABEL: func @open_batch
// CHECK-NOT:     "Conv.few"
// CHOOSE-LABEL: func @open_batch
// CHOOSE:         onnx.Conv{{.+}}krnl.winograd = 4
// CHOOSE-NOT:     krnl.winograd_limit
func.func @open_batch(%x: tensor<?x64x28x28xf32>) -> tensor<?x64x28x28xf32> {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<?x64x28x28xf32>
  return %0 : tensor<?x64x28x28xf32>
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
