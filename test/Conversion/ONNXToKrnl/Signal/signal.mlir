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

// -----

// 37 is too large a factor: a convolution of length 128, in f64.
// CHECK-LABEL: func.func @large_prime
// CHECK: krnl.kernel "DFT.chirp" loops [d0 = 128]
// CHECK: krnl.kernel "DFT.filter"
// CHECK-COUNT-4: krnl.kernel "DFT.stage"
// CHECK: krnl.kernel "DFT.load"
// CHECK-SAME: tensor<1x128x1xf64>
// CHECK: krnl.kernel "DFT.product"
// CHECK: krnl.kernel "DFT.store"
func.func @large_prime(%x: tensor<1x37x2xf32>) -> tensor<1x37x2xf32> {
  %y = onnx.DFT(%x) {inverse = 1 : i64} : (tensor<1x37x2xf32>) -> tensor<1x37x2xf32>
  return %y : tensor<1x37x2xf32>
}

// -----

// A length of the run: its power of two, and loops over stages of two.
// CHECK-LABEL: func.func @length_of_the_run
// CHECK: krnl.check %{{.+}}, "DFT: the length is not positive"
// CHECK: math.ctlz
// CHECK-COUNT-3: scf.while
func.func @length_of_the_run(%x: tensor<1x?x2xf32>) -> tensor<1x?x2xf32> {
  %y = onnx.DFT(%x) : (tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  return %y : tensor<1x?x2xf32>
}

// -----

// CHECK-LABEL: func.func @axis_of_the_run
// CHECK: krnl.check %{{.+}}, "DFT: axis is out of range"
func.func @axis_of_the_run(%x: tensor<4x8x2xf32>, %axis: tensor<i64>) -> tensor<?x?x2xf32> {
  %y = onnx.DFT(%x) axis(%axis) : (tensor<4x8x2xf32>, tensor<i64>) -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}

// -----

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
