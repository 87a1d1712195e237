// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s
//
// A target that multiplies matrices of numbers of 16 bits.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// The data stay halves, and so do the weights, which the instruction needs; zeros that fill up the last block are halves.
// CHECK-LABEL: func @halves
// CHECK-NOT:     "widen"
// CHECK:         krnl.kernel "pad" {{.*}}tensor<4x32xf16>
// CHECK:         krnl.kernel "MatMulNBits" loops [m = 4, n = 2, block = 2, byte = 16] ins({{.*}} : tensor<4x2x16xf16>, tensor<2x2x16xi8>, tensor<2x2xf16>)
// Numbers are the ends of mantissas of 1024 and more.
// CHECK:           %[[NUMBER:.+]] = arith.extui %{{.+}} : i8 to i16
// CHECK:           %[[BITS:.+]] = arith.ori %[[NUMBER]], %c25600_i16
// CHECK-NEXT:      %[[MORE:.+]] = arith.bitcast %[[BITS]] : i16 to f16
// CHECK-NEXT:      %[[MIDDLE:.+]] = arith.constant 1.152000e+03 : f16
// CHECK-NEXT:      %[[DIFFERENCE:.+]] = arith.subf %[[MORE]], %[[MIDDLE]] : f16
// CHECK-NEXT:      %[[HALF:.+]] = arith.mulf %[[DIFFERENCE]], %{{.+}} : f16
// CHECK:           %[[FACTOR:.+]] = arith.extf %[[HALF]] : f16 to f32
// CHECK:           arith.mulf %{{.+}}, %[[FACTOR]] : f32
func.func @halves(%a: tensor<4x30xf16>) -> tensor<4x2xf16> {
  %w = onnx.Constant dense<255> : tensor<2x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf16>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 30 : i64, N = 2 : i64, bits = 8 : i64, block_size = 16 : i64} : (tensor<4x30xf16>, tensor<2x2x16xui8>, tensor<4xf16>) -> tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}

// Zero points are bytes of such mantissas, too, and numbers of four bits are shifted as bytes.
// CHECK-LABEL: func @zero_points
// CHECK:         krnl.kernel "MatMulNBits"
// CHECK:           arith.shrui %{{.+}} : i8
// CHECK:           %[[NUMBER:.+]] = arith.bitcast %{{.+}} : i16 to f16
// CHECK:           %[[ZERO:.+]] = arith.bitcast %{{.+}} : i16 to f16
// CHECK-NEXT:      arith.subf %[[NUMBER]], %[[ZERO]] : f16
func.func @zero_points(%a: tensor<4x32xf16>) -> tensor<4x2xf16> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf16>
  %z = onnx.Constant dense<7> : tensor<2xui8>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) zero_points(%z) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf16>, tensor<2x2x8xui8>, tensor<4xf16>, tensor<2xui8>) -> tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}

// Real zero points are not numbers of a few bits.
// CHECK-LABEL: func @real_zero_points
// CHECK:         krnl.kernel "MatMulNBits"
// CHECK:           arith.subf {{.*}} : f32
// CHECK-NEXT:      arith.truncf
func.func @real_zero_points(%a: tensor<4x32xf16>) -> tensor<4x2xf16> {
  %w = onnx.Constant dense<255> : tensor<2x2x8xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf16>
  %z = onnx.Constant dense<7.0> : tensor<4xf16>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) zero_points(%z) {K = 32 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<4x32xf16>, tensor<2x2x8xui8>, tensor<4xf16>, tensor<4xf16>) -> tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}

// Numbers of f32 stay as they are.
// CHECK-LABEL: func @floats
// CHECK-NOT:     arith.truncf
func.func @floats(%a: tensor<4x32xf32>) -> tensor<4x2xf32> {
  %w = onnx.Constant dense<255> : tensor<2x2x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<4xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 32 : i64, N = 2 : i64, bits = 8 : i64, block_size = 16 : i64} : (tensor<4x32xf32>, tensor<2x2x16xui8>, tensor<4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

}
