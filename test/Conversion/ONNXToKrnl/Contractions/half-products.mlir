// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Halves that are read row by row are widened once, and not again for every few
// columns. The columns stay half as wide in memory.
// CHECK-LABEL: func @rows
// CHECK:         %[[WIDE:.+]] = krnl.kernel "widen" {{.*}} outs(%{{.+}} : tensor<8x16xf32>)
// CHECK:         krnl.kernel "MatMul" {{.*}} ins(%[[WIDE]], %{{.+}} : tensor<8x16xf32>, tensor<16x32xf16>)
// CHECK:           arith.extf %{{.+}} : f16 to f32
// CHECK-NEXT:      arith.mulf %{{.+}}, %{{.+}} : f32
func.func @rows(%x: tensor<8x16xf16>, %w: tensor<16x32xf16>) -> tensor<8x32xf16> {
  %0 = onnx.MatMul(%x, %w) : (tensor<8x16xf16>, tensor<16x32xf16>) -> tensor<8x32xf16>
  return %0 : tensor<8x32xf16>
}

// A single row waits for the columns anyway.
// CHECK-LABEL: func @row
// CHECK-NOT:     "widen"
// CHECK:         krnl.kernel "MatMul"
func.func @row(%x: tensor<1x16xbf16>, %w: tensor<16x32xbf16>) -> tensor<1x32xbf16> {
  %0 = onnx.MatMul(%x, %w) : (tensor<1x16xbf16>, tensor<16x32xbf16>) -> tensor<1x32xbf16>
  return %0 : tensor<1x32xbf16>
}

// CHECK-LABEL: func @window
// CHECK:         krnl.kernel "widen" {{.*}} outs(%{{.+}} : tensor<1x4x8x8xf32>)
// CHECK:         krnl.kernel "Conv" {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x4x8x8xf32>, tensor<6x4x3x3xbf16>)
func.func @window(%x: tensor<1x4x8x8xbf16>, %w: tensor<6x4x3x3xbf16>) -> tensor<1x6x6x6xbf16> {
  %0 = onnx.Conv(%x, %w) : (tensor<1x4x8x8xbf16>, tensor<6x4x3x3xbf16>) -> tensor<1x6x6x6xbf16>
  return %0 : tensor<1x6x6x6xbf16>
}
