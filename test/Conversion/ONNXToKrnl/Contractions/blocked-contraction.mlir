// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// One kernel reads packed weights, scales and, a byte for each, zero points; no
// tensor of unpacked weights is made. The second of three zero points of a column
// is the upper half of its first byte.
// CHECK-LABEL: func @packed_zero_points
// CHECK:         %[[Z:.+]] = krnl.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
// CHECK:         krnl.kernel "MatMulNBits" loops [m = 4, n = 2, block = 3, byte = 8, part = 2]
// CHECK-SAME:      ins(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %[[Z]] : tensor<4x3x8x2xf32>, tensor<2x3x8xi8>, tensor<2x3xf32>, tensor<2x3xi8>)
// CHECK:           krnl.index part
// CHECK:           arith.shrui
// CHECK:           arith.andi
// CHECK:           arith.uitofp
// CHECK:           arith.mulf
// CHECK:           arith.mulf
// CHECK:           arith.subf
// CHECK:           arith.mulf
// CHECK:           arith.addf
func.func @packed_zero_points(%a: tensor<4x48xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x3x8xui8>
  %s = onnx.Constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %z = onnx.Constant dense<[33, 3, 84, 6]> : tensor<4xui8>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) zero_points(%z) {K = 48 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x48xf32>, tensor<2x3x8xui8>, tensor<6xf32>, tensor<4xui8>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Sums of halves are in f32, and zeros fill up the last block. A byte that is one
// number has no parts.
// CHECK-LABEL: func @halves
// CHECK:         krnl.kernel "widen"
// CHECK:         krnl.kernel "pad" {{.*}}tensor<?x32xf32>
// CHECK:         krnl.kernel "MatMulNBits" loops [m = %{{[^],]+}}, n = 2, block = 2, byte = 16]
// CHECK:           arith.truncf {{.*}} : f32 to f16
func.func @halves(%a: tensor<?x30xf16>) -> tensor<?x2xf16> {
  %w = onnx.Constant dense<255> : tensor<2x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf16>
  %b = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf16>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) bias(%b) {K = 30 : i64, N = 2 : i64, bits = 8 : i64, block_size = 16 : i64} : (tensor<?x30xf16>, tensor<2x2x16xui8>, tensor<4xf16>, tensor<2xf16>) -> tensor<?x2xf16>
  return %y : tensor<?x2xf16>
}

// Data become bytes: a scale for each block of a row, its numbers with those of one
// part beside each other, and their sum, times what a weight without zero points
// counts from. Sums of blocks start from that, and are scaled and added up.
// CHECK-LABEL: func @bytes
// CHECK:         krnl.kernel "block scales" {{.*}}tensor<4x2x32xf32>
// CHECK:         krnl.kernel "quantize blocks" {{.*}}tensor<4x2x16x2xf32>{{.*}} outs({{.*}} : tensor<4x2x2x16xi8>)
// CHECK:         krnl.kernel "block sums"
// CHECK:           arith.constant -8 : i32
// CHECK:         krnl.kernel "MatMulNBits" loops [m = 4, n = 3, block = 2, byte = 16, part = 2]
// CHECK:           linalg.yield %{{.+}} : i32
// CHECK:           arith.shrui %{{.+}} : i8
// CHECK:           arith.andi %{{.+}} : i8
// CHECK:           arith.extsi %{{.+}} : i8 to i32
// CHECK:           arith.extui %{{.+}} : i8 to i32
// CHECK:           arith.muli
// CHECK:           arith.addi
// CHECK:           arith.sitofp
// CHECK:           arith.addf
func.func @bytes(%a: tensor<4x64xf32>) -> tensor<4x3xf32> {
  %w = onnx.Constant dense<255> : tensor<3x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<6xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 64 : i64, N = 3 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<4x64xf32>, tensor<3x2x16xui8>, tensor<6xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
