// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --select-target="triple=x86_64-linux-gnu cpu=haswell" --krnl-write-recipes | FileCheck %s --check-prefix=SINGLE

// The samples of a sum are gathered where the processor gathers fast; elsewhere
// elements are read one by one, several sums side by side and their terms
// unrolled.
// CHECK-LABEL: func.func @samples
// CHECK:         krnl.kernel "Resize"
// CHECK-SAME:      k = 2]
// CHECK-SAME:      vectorize(d1.i, 8)
// SINGLE-LABEL: func.func @samples
// SINGLE:        krnl.kernel "Resize"
// SINGLE-SAME:     parallel(d0.tile), unroll(d1.i, 8), 1: unroll(k, 2)]
func.func @samples(%x: tensor<64x100xf32>) -> tensor<64x200xf32> {
  %s = onnx.Constant dense<[64, 200]> : tensor<2xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "linear"} : (tensor<64x100xf32>, tensor<2xi64>) -> tensor<64x200xf32>
  return %y : tensor<64x200xf32>
}

// Where sums have more terms, fewer stand side by side.
// SINGLE-LABEL: func.func @more
// SINGLE:        krnl.kernel "Resize"
// SINGLE-SAME:     parallel(d0), unroll(d1.i, 4), 1: unroll(k, 4)]
func.func @more(%x: tensor<64x100xf32>) -> tensor<64x200xf32> {
  %s = onnx.Constant dense<[64, 200]> : tensor<2xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "cubic"} : (tensor<64x100xf32>, tensor<2xi64>) -> tensor<64x200xf32>
  return %y : tensor<64x200xf32>
}

// The terms of two dimensions are unrolled together.
// SINGLE-LABEL: func.func @plane
// SINGLE:        krnl.kernel "Resize"
// SINGLE-SAME:     unroll(d1.i, 4), 1: unroll(k0, 2), 1: unroll(k1, 2)]
func.func @plane(%x: tensor<480x640xf32>) -> tensor<224x224xf32> {
  %s = onnx.Constant dense<[224, 224]> : tensor<2xi64>
  %y = onnx.Resize(%x) sizes(%s) {mode = "linear"} : (tensor<480x640xf32>, tensor<2xi64>) -> tensor<224x224xf32>
  return %y : tensor<224x224xf32>
}
