// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

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
