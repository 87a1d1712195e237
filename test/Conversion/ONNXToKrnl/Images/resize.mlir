// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// Tables and a pass over the data for each dimension: rows first, which are read
// as they lie in memory. Tables say which samples there are: a pass clamps none.
// CHECK-LABEL: func.func @linear
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 16, k = 2]
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 12, k = 2]
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 8, k = 2]
// CHECK-NOT: arith.minsi
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 12, k = 2]
func.func @linear(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x16x12xf32> {
  %s = onnx.Constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "linear"} : (tensor<1x3x8x8xf32>, tensor<4xf32>) -> tensor<1x3x16x12xf32>
  return %y : tensor<1x3x16x12xf32>
}

// -----

// A result that has few of the samples is summed up at once: passes would write
// long rows between. So many products of weights as a cubic has take longer.
// CHECK-LABEL: func.func @few_samples
// CHECK-COUNT-2: krnl.kernel "ResizeTables"
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 16, k2 = 2, k3 = 2]
// CHECK-NOT: krnl.kernel
// CHECK: return
func.func @few_samples(%x: tensor<1x3x64x64xf32>) -> tensor<1x3x16x16xf32> {
  %s = onnx.Constant dense<[1, 3, 16, 16]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "linear"} : (tensor<1x3x64x64xf32>, tensor<4xi64>) -> tensor<1x3x16x16xf32>
  return %y : tensor<1x3x16x16xf32>
}

// CHECK-LABEL: func.func @few_samples_cubic
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 64, k = 4]
func.func @few_samples_cubic(%x: tensor<1x3x64x64xf32>) -> tensor<1x3x16x16xf32> {
  %s = onnx.Constant dense<[1, 3, 16, 16]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "cubic"} : (tensor<1x3x64x64xf32>, tensor<4xi64>) -> tensor<1x3x16x16xf32>
  return %y : tensor<1x3x16x16xf32>
}

// Bytes at computed positions are read one by one.
// CHECK-LABEL: func.func @few_narrow_samples
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 64, k = 2]
func.func @few_narrow_samples(%x: tensor<1x3x64x64xui8>) -> tensor<1x3x16x16xui8> {
  %s = onnx.Constant dense<[1, 3, 16, 16]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "linear"} : (tensor<1x3x64x64xui8>, tensor<4xi64>) -> tensor<1x3x16x16xui8>
  return %y : tensor<1x3x16x16xui8>
}

// Of an operand of dynamic size the scale decides; an image that has the size
// already is the result.
// CHECK-LABEL: func.func @maybe_few_samples
// CHECK: scf.if
// CHECK: %[[SAME:.+]] = tensor.reshape %arg0
// CHECK-NEXT: scf.yield %[[SAME]]
// CHECK: else
// CHECK: scf.if
// CHECK: scf.if
// CHECK: krnl.kernel "Resize" {{.+}} k1 = 2, k2 = 2]
// CHECK: else
// CHECK: krnl.kernel "Resize" {{.+}} k = 2]
// CHECK: krnl.kernel "Resize" {{.+}} k = 2]
func.func @maybe_few_samples(%x: tensor<1x3x?x?xf32>) -> tensor<1x3x16x16xf32> {
  %s = onnx.Constant dense<[1, 3, 16, 16]> : tensor<4xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "linear"} : (tensor<1x3x?x?xf32>, tensor<4xi64>) -> tensor<1x3x16x16xf32>
  return %y : tensor<1x3x16x16xf32>
}

// -----

// The nearest elements are taken in one pass.
// CHECK-LABEL: func.func @nearest
// CHECK-COUNT-2: krnl.kernel "ResizeTables"
// CHECK: krnl.kernel "Resize" loops [d0 = 3, d1 = 12, d2 = 12]
// CHECK: tensor.extract
// CHECK-NOT: krnl.kernel
// CHECK: return
func.func @nearest(%x: tensor<3x8x8xi64>) -> tensor<3x12x12xi64> {
  %s = onnx.Constant dense<[12, 12]> : tensor<2xi64>
  %y = onnx.Resize(%x) sizes(%s) {axes = array<i64: 1, -1>} : (tensor<3x8x8xi64>, tensor<2xi64>) -> tensor<3x12x12xi64>
  return %y : tensor<3x12x12xi64>
}

// -----

func.func @unknown_mode(%x: tensor<4xf32>) -> tensor<8xf32> {
  %s = onnx.Constant dense<8> : tensor<1xi64>
  // expected-error @+2 {{operator Resize is not supported}}
  // expected-note @+1 {{unknown mode}}
  %y = onnx.Resize(%x) sizes(%s) {mode = "quintic"} : (tensor<4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
