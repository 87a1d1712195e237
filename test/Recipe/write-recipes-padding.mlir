// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --krnl-write-recipes="triple=x86_64-linux-gnu cpu=znver4" --krnl-merge | FileCheck %s

// What is padded is larger than the caches: each channel is padded, and pooled
// while it is there.
// CHECK-LABEL: func.func @large
// CHECK:         krnl.kernel "pad+MaxPool"
// CHECK-SAME:      recipe [{{.*}}share(p1)
func.func @large(%x: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
  return %y : tensor<1x64x56x56xf32>
}

// This one stays there in any case.
// CHECK-LABEL: func.func @small
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "MaxPool"
// CHECK-SAME:      share(c, o0
func.func @small(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x14x14xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x64x28x28xf32>) -> tensor<1x64x14x14xf32>
  return %y : tensor<1x64x14x14xf32>
}
