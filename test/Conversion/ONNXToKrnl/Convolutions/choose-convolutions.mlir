// RUN: onnx-opt %s --onnx-choose-convolutions | FileCheck %s
// RUN: onnx-opt %s --onnx-choose-convolutions --remarks-filter=onnx-choose-convolutions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The choice is a remark with its reason.
// REMARK: [Analysis] Algorithm {{.+}}Reason="predicted {{.+}}: direct {{[0-9]+}}, tap by tap {{[0-9]+}}, Winograd of 2x2 tiles {{[0-9]+}}, of 4x4 tiles {{[0-9]+}}", Remark="Winograd, 2x2 tiles"
// REMARK: Reason="predicted {{.+}}: direct {{[0-9]+}}, {{.+}} of 4x4 tiles {{(inf|INF)}}", Remark=direct
// REMARK: Reason="fewer than 16 channels", Remark=direct
// REMARK: Reason="not an f32 convolution of one group, or of one for each channel, with constant windows", Remark=direct
// REMARK: Remark="tap by tap"
// REMARK: Remark="Winograd, 4x4 tiles, direct if results are fewer than 60 and 5 of each tile"

// Filters that are large beside the image would be read for too long.
// CHECK-LABEL: func @many_channels
// CHECK:         onnx.Conv{{.+}}krnl.winograd = 2
func.func @many_channels(%x: tensor<1x256x14x14xf32>) -> tensor<1x256x14x14xf32> {
  %w = onnx.Constant dense<1.0> : tensor<256x256x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  return %0 : tensor<1x256x14x14xf32>
}

// Steps, few channels, filters of a run, and small images: computed directly.
// CHECK-LABEL: func @direct
// CHECK-NOT:     krnl.winograd
func.func @direct(%x: tensor<1x64x56x56xf32>, %few: tensor<1x8x56x56xf32>, %f: tensor<64x64x3x3xf32>, %small: tensor<1x256x4x4xf32>)
    -> (tensor<1x64x27x27xf32>, tensor<1x64x54x54xf32>, tensor<1x64x54x54xf32>, tensor<1x256x2x2xf32>) {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %v = onnx.Constant dense<1.0> : tensor<64x8x3x3xf32>
  %u = onnx.Constant dense<1.0> : tensor<256x256x3x3xf32>
  %0 = onnx.Conv(%x, %w) {strides = array<i64: 2, 2>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x27x27xf32>
  %1 = onnx.Conv(%few, %v) : (tensor<1x8x56x56xf32>, tensor<64x8x3x3xf32>) -> tensor<1x64x54x54xf32>
  %2 = onnx.Conv(%x, %f) : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x54x54xf32>
  %3 = onnx.Conv(%small, %u) : (tensor<1x256x4x4xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x2x2xf32>
  return %0, %1, %2, %3 : tensor<1x64x27x27xf32>, tensor<1x64x54x54xf32>, tensor<1x64x54x54xf32>, tensor<1x256x2x2xf32>
}

// Products with the border are left out where they are more than what the sums take on their way through memory.
// CHECK-LABEL: func @taps
// CHECK-COUNT-6: onnx.Conv{{.+}}krnl.taps
// CHECK:         return
func.func @taps(%x: tensor<1x256x33x33xf32>, %open: tensor<?x256x?x?xf32>, %row: tensor<1x64x700xf32>, %small: tensor<4x64x9x9xf32>)
    -> (tensor<1x64x33x33xf32>, tensor<?x64x?x?xf32>, tensor<1x64x700xf32>, tensor<4x64x5x5xf32>, tensor<1x256x33x33xf32>, tensor<?x256x?x?xf32>) {
  %w = onnx.Constant dense<1.0> : tensor<64x256x3x3xf32>
  %v = onnx.Constant dense<1.0> : tensor<64x64x3xf32>
  %u = onnx.Constant dense<1.0> : tensor<64x64x7x7xf32>
  %0 = onnx.Conv(%x, %w) {dilations = array<i64: 12, 12>, pads = array<i64: 12, 12, 12, 12>} : (tensor<1x256x33x33xf32>, tensor<64x256x3x3xf32>) -> tensor<1x64x33x33xf32>
  %1 = onnx.Conv(%open, %w) {dilations = array<i64: 12, 12>, auto_pad = "SAME_UPPER"} : (tensor<?x256x?x?xf32>, tensor<64x256x3x3xf32>) -> tensor<?x64x?x?xf32>
  %2 = onnx.Conv(%row, %v) {dilations = array<i64: 300>, pads = array<i64: 600, 0>} : (tensor<1x64x700xf32>, tensor<64x64x3xf32>) -> tensor<1x64x700xf32>
  %3 = onnx.Conv(%small, %u) {strides = array<i64: 2, 2>, auto_pad = "SAME_LOWER"} : (tensor<4x64x9x9xf32>, tensor<64x64x7x7xf32>) -> tensor<4x64x5x5xf32>
  %d = onnx.Constant dense<1.0> : tensor<256x1x3x3xf32>
  %4 = onnx.Conv(%x, %d) {group = 256 : i64, dilations = array<i64: 24, 24>, pads = array<i64: 24, 24, 24, 24>} : (tensor<1x256x33x33xf32>, tensor<256x1x3x3xf32>) -> tensor<1x256x33x33xf32>
  %5 = onnx.Conv(%open, %d) {group = 256 : i64, dilations = array<i64: 24, 24>, pads = array<i64: 24, 24, 24, 24>} : (tensor<?x256x?x?xf32>, tensor<256x1x3x3xf32>) -> tensor<?x256x?x?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x64x33x33xf32>, tensor<?x64x?x?xf32>, tensor<1x64x700xf32>, tensor<4x64x5x5xf32>, tensor<1x256x33x33xf32>, tensor<?x256x?x?xf32>
}

// Few results of a dynamic image are computed directly where that takes half the time: the filters of few channels
// stay in the second cache, and those of tiles of two are not much larger.
// CHECK-LABEL: func @dynamic_image
// CHECK:         onnx.Conv{{.+}}krnl.winograd = 4 : i64, krnl.winograd_limit = array<i64: 60, 5>
// CHECK-NOT:     krnl.winograd_limit
// CHECK:         return
func.func @dynamic_image(%x: tensor<?x128x?x?xf32>, %few: tensor<?x32x?x?xf32>, %many: tensor<?x512x?x?xf32>)
    -> (tensor<?x128x?x?xf32>, tensor<?x32x?x?xf32>, tensor<?x512x?x?xf32>) {
  %w = onnx.Constant dense<1.0> : tensor<128x128x3x3xf32>
  %v = onnx.Constant dense<1.0> : tensor<32x32x3x3xf32>
  %u = onnx.Constant dense<1.0> : tensor<512x512x3x3xf32>
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x128x?x?xf32>, tensor<128x128x3x3xf32>) -> tensor<?x128x?x?xf32>
  %1 = onnx.Conv(%few, %v) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x32x?x?xf32>, tensor<32x32x3x3xf32>) -> tensor<?x32x?x?xf32>
  %2 = onnx.Conv(%many, %u) {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x512x?x?xf32>, tensor<512x512x3x3xf32>) -> tensor<?x512x?x?xf32>
  return %0, %1, %2 : tensor<?x128x?x?xf32>, tensor<?x32x?x?xf32>, tensor<?x512x?x?xf32>
}

// Windows that mostly read elements, windows of many taps, groups of several channels, filters of a run, filters that make NaN of the border, a border that is
// known only in the run, and taps of short rows, whose vectors are not full: computed directly.
// CHECK-LABEL: func @no_taps
// CHECK-NOT:     krnl.taps
func.func @no_taps(%x: tensor<1x64x33x33xf32>, %f: tensor<64x64x3x3xf32>, %open: tensor<?x64x?x?xf32>, %deep: tensor<1x512x?x?xf32>)
    -> (tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<?x64x?x?xf32>, tensor<1x64x33x33xf32>, tensor<1x512x?x?xf32>) {
  %w = onnx.Constant dense<1.0> : tensor<64x64x3x3xf32>
  %g = onnx.Constant dense<1.0> : tensor<64x16x3x3xf32>
  %inf = onnx.Constant dense<0x7F800000> : tensor<64x64x3x3xf32>
  %0 = onnx.Conv(%x, %w) {dilations = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>} : (tensor<1x64x33x33xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x33x33xf32>
  %1 = onnx.Conv(%x, %g) {group = 4 : i64, dilations = array<i64: 24, 24>, pads = array<i64: 24, 24, 24, 24>} : (tensor<1x64x33x33xf32>, tensor<64x16x3x3xf32>) -> tensor<1x64x33x33xf32>
  %2 = onnx.Conv(%x, %f) {dilations = array<i64: 24, 24>, pads = array<i64: 24, 24, 24, 24>} : (tensor<1x64x33x33xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x33x33xf32>
  %3 = onnx.Conv(%x, %inf) {dilations = array<i64: 24, 24>, pads = array<i64: 24, 24, 24, 24>} : (tensor<1x64x33x33xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x33x33xf32>
  %4 = onnx.Conv(%open, %w) {dilations = array<i64: 24, 24>, strides = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) -> tensor<?x64x?x?xf32>
  %many = onnx.Constant dense<1.0> : tensor<64x64x31x31xf32>
  %5 = onnx.Conv(%x, %many) {pads = array<i64: 15, 15, 15, 15>} : (tensor<1x64x33x33xf32>, tensor<64x64x31x31xf32>) -> tensor<1x64x33x33xf32>
  %d = onnx.Constant dense<1.0> : tensor<64x1x3x3xf32>
  %6 = onnx.Conv(%x, %d) {group = 64 : i64, dilations = array<i64: 4, 4>, pads = array<i64: 4, 4, 4, 4>} : (tensor<1x64x33x33xf32>, tensor<64x1x3x3xf32>) -> tensor<1x64x33x33xf32>
  %e = onnx.Constant dense<1.0> : tensor<512x1x3x3xf32>
  %7 = onnx.Conv(%deep, %e) {group = 512 : i64, dilations = array<i64: 8, 8>, pads = array<i64: 8, 8, 8, 8>} : (tensor<1x512x?x?xf32>, tensor<512x1x3x3xf32>) -> tensor<1x512x?x?xf32>
  return %6, %0, %1, %2, %3, %4, %5, %7 : tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<1x64x33x33xf32>, tensor<?x64x?x?xf32>, tensor<1x64x33x33xf32>, tensor<1x512x?x?xf32>
}
