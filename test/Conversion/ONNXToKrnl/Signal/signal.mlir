// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// 1 + (64 - 16) / 8 frames of 16, half of whose spectrum is kept.
// CHECK-LABEL: func.func @stft
// CHECK: krnl.kernel "STFT.frames" loops [d0 = 2, d1 = 7, d2 = 16, d3 = 1]
// CHECK: krnl.kernel "DFT.store" loops [d0 = 14, d1 = 9, d2 = 1, d3 = 2]
func.func @stft(%x: tensor<2x64x1xf32>, %window: tensor<16xf32>) -> tensor<2x7x9x2xf32> {
  %step = onnx.Constant dense<8> : tensor<i64>
  %y = onnx.STFT(%x, %step) window(%window) : (tensor<2x64x1xf32>, tensor<i64>, tensor<16xf32>) -> tensor<2x7x9x2xf32>
  return %y : tensor<2x7x9x2xf32>
}

// -----

// CHECK-LABEL: func.func @mel_weights
// CHECK: krnl.kernel "MelBands" loops [d0 = 10]
// CHECK: krnl.kernel "MelWeightMatrix" loops [d0 = 9, d1 = 8]
func.func @mel_weights(%low: tensor<f32>, %high: tensor<f32>, %rate: tensor<i64>) -> tensor<9x8xf32> {
  %bands = onnx.Constant dense<8> : tensor<i64>
  %length = onnx.Constant dense<16> : tensor<i64>
  %y = onnx.MelWeightMatrix(%bands, %length, %rate, %low, %high) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<9x8xf32>
  return %y : tensor<9x8xf32>
}

// -----

// Without a window and a frame length the whole signal is one frame.
// CHECK-LABEL: func.func @whole_signal
// CHECK: krnl.kernel "STFT.frames" loops [d0 = 2, d1 = 1, d2 = 64, d3 = 1]
func.func @whole_signal(%x: tensor<2x64x1xf32>) -> tensor<2x1x33x2xf32> {
  %step = onnx.Constant dense<8> : tensor<i64>
  %y = onnx.STFT(%x, %step) : (tensor<2x64x1xf32>, tensor<i64>) -> tensor<2x1x33x2xf32>
  return %y : tensor<2x1x33x2xf32>
}
