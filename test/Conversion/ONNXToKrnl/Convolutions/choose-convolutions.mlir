// RUN: onnx-opt %s --onnx-choose-convolutions | FileCheck %s
// RUN: onnx-opt %s --onnx-choose-convolutions --remarks-filter=onnx-choose-convolutions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The choice is a remark with its reason.
// REMARK: [Analysis] Algorithm {{.+}}Reason="predicted {{.+}}: direct {{[0-9]+}}, Winograd of 2x2 tiles {{[0-9]+}}, of 4x4 tiles {{[0-9]+}}", Remark="Winograd, 2x2 tiles"
// REMARK: Reason="not an f32 convolution of constant 3x3 windows that move by one", Remark=direct
// REMARK: Reason="fewer than 16 channels", Remark=direct

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
