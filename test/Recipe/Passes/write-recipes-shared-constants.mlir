// RUN: onnx-opt %s --convert-onnx-to-krnl --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// An artefact has each form of a constant once. Many rows are computed by panels of 32 columns.
// CHECK-LABEL: kernel "MatMulNBits"
// CHECK:         block(n, 32) -> (n.o, n.r),
// CHECK:         pack(1, [n.o, block, byte, n.r]),
// CHECK-NEXT:    pack(2, [n.o, block, n.r]),
func.func @many(%a: tensor<128x2048xf32>) -> tensor<128x1024xf32> {
  %w = onnx.Constant dense<255> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<128x2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}

// One row of the same weights has panels of 32 columns, too.
// CHECK-LABEL: kernel "MatMulNBits#2"
// CHECK:         block(n, 32) -> (n.p, n.r),
// CHECK:         pack(1, [n.p, block, byte, n.r]),
// CHECK-NEXT:    pack(2, [n.p, block, n.r]),
func.func @one(%a: tensor<2048xf32>) -> tensor<1024xf32> {
  %w = onnx.Constant dense<255> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// One row of other weights has panels of 64.
// CHECK-LABEL: kernel "MatMulNBits#3"
// CHECK:         block(n, 64) -> (n.p, n.r),
func.func @other(%a: tensor<2048xf32>) -> tensor<1024xf32> {
  %w = onnx.Constant dense<254> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<2.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// Sums of bytes in groups of four take much longer in the order of the panels.
// CHECK-LABEL: kernel "MatMulNBits#4"
// CHECK:         pack(2, [n.o, block, byte.o, n.r, byte.q]),
func.func @bytes(%a: tensor<128x2048xf32>) -> tensor<128x1024xf32> {
  %w = onnx.Constant dense<255> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<128x2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}
