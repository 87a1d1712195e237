// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation=true" --split-input-file | FileCheck %s

// The second factor is read as it is. Half times a quarter is an eighth.
// CHECK-LABEL: func @both_scaled
// CHECK:         %[[S:.+]] = onnx.Constant dense<1.250000e-01> : tensor<f32>
// CHECK-NEXT:    %[[A:.+]] = onnx.Mul(%arg0, %[[S]])
// CHECK-NEXT:    %[[R:.+]] = onnx.MatMul(%[[A]], %arg1)
// CHECK-NEXT:    return %[[R]]
func.func @both_scaled(%a: tensor<?x1x64xf32>, %b: tensor<?x64x?xf32>) -> none {
  %s = onnx.Constant dense<5.000000e-01> : tensor<f32>
  %t = onnx.Constant dense<2.500000e-01> : tensor<1xf32>
  %0 = onnx.Mul(%a, %s) : (tensor<?x1x64xf32>, tensor<f32>) -> tensor<?x1x64xf32>
  %1 = onnx.Mul(%t, %b) : (tensor<1xf32>, tensor<?x64x?xf32>) -> tensor<?x64x?xf32>
  %2 = onnx.MatMul(%0, %1) : (tensor<?x1x64xf32>, tensor<?x64x?xf32>) -> none
  return %2 : none
}

// -----

// The rows of heads that share the second factor are those of one product.
// CHECK-LABEL: func @grouped_rows
// CHECK:         %[[S:.+]] = onnx.Constant dense<1.250000e-01> : tensor<f32>
// CHECK-NEXT:    %[[A:.+]] = onnx.Mul(%arg0, %[[S]])
// CHECK-NEXT:    %[[G:.+]] = onnx.Reshape(%[[A]], %{{.+}})
// CHECK-NEXT:    %[[R:.+]] = onnx.MatMul(%[[G]], %arg1)
// CHECK-NEXT:    return %[[R]]
func.func @grouped_rows(%a: tensor<2x8x1x64xf32>, %b: tensor<2x2x64x?xf32>) -> none {
  %s = onnx.Constant dense<5.000000e-01> : tensor<f32>
  %t = onnx.Constant dense<2.500000e-01> : tensor<f32>
  %n = onnx.Constant dense<[2, 2, 4, 64]> : tensor<4xi64>
  %0 = onnx.Mul(%a, %s) : (tensor<2x8x1x64xf32>, tensor<f32>) -> tensor<2x8x1x64xf32>
  %g = onnx.Reshape(%0, %n) : (tensor<2x8x1x64xf32>, tensor<4xi64>) -> tensor<2x2x4x64xf32>
  %1 = onnx.Mul(%b, %t) : (tensor<2x2x64x?xf32>, tensor<f32>) -> tensor<2x2x64x?xf32>
  %2 = onnx.MatMul(%g, %1) : (tensor<2x2x4x64xf32>, tensor<2x2x64x?xf32>) -> none
  return %2 : none
}

// -----

// Numbers of 16 bits would be rounded otherwise.
// CHECK-LABEL: func @halves
// CHECK-COUNT-2: onnx.Mul
// CHECK:         return
func.func @halves(%a: tensor<?x1x64xf16>, %b: tensor<?x64x?xf16>) -> none {
  %s = onnx.Constant dense<5.000000e-01> : tensor<f16>
  %0 = onnx.Mul(%a, %s) : (tensor<?x1x64xf16>, tensor<f16>) -> tensor<?x1x64xf16>
  %1 = onnx.Mul(%b, %s) : (tensor<?x64x?xf16>, tensor<f16>) -> tensor<?x64x?xf16>
  %2 = onnx.MatMul(%0, %1) : (tensor<?x1x64xf16>, tensor<?x64x?xf16>) -> none
  return %2 : none
}

// -----

// With one scale alone, one of several numbers, ones that enlarge a side or are so
// small that the product of two may be no number of the type, and one of a factor with
// another user.
// CHECK-LABEL: func @not_folded
// CHECK-COUNT-7: onnx.Mul
// CHECK:         return
func.func @not_folded(%a: tensor<?x64xf32>, %b: tensor<64x2xf32>) -> (none, none, none, none, none, tensor<64x2xf32>) {
  %s = onnx.Constant dense<5.000000e-01> : tensor<f32>
  %two = onnx.Constant dense<2.000000e+00> : tensor<f32>
  %v = onnx.Constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
  %0 = onnx.Mul(%b, %s) : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
  %1 = onnx.MatMul(%a, %0) : (tensor<?x64xf32>, tensor<64x2xf32>) -> none
  %2 = onnx.Mul(%a, %s) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %3 = onnx.Mul(%b, %v) : (tensor<64x2xf32>, tensor<2xf32>) -> tensor<64x2xf32>
  %4 = onnx.MatMul(%2, %3) : (tensor<?x64xf32>, tensor<64x2xf32>) -> none
  %5 = onnx.Mul(%a, %two) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %6 = onnx.Mul(%b, %s) : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
  %7 = onnx.MatMul(%5, %6) : (tensor<?x64xf32>, tensor<64x2xf32>) -> none
  %8 = onnx.Mul(%a, %s) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %9 = onnx.Mul(%b, %two) : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
  %10 = onnx.MatMul(%8, %9) : (tensor<?x64xf32>, tensor<64x2xf32>) -> none
  %small = onnx.Constant dense<1.000000e-30> : tensor<f32>
  %11 = onnx.Mul(%a, %small) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %12 = onnx.Mul(%b, %small) : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
  %13 = onnx.MatMul(%11, %12) : (tensor<?x64xf32>, tensor<64x2xf32>) -> none
  return %1, %4, %7, %10, %13, %9 : none, none, none, none, none, tensor<64x2xf32>
}

// -----

// Scales that follow from a size are known to be at most one, and multiplied
// in the run; the view between is after both.
// CHECK-LABEL: func @scales_of_sizes
// CHECK:         onnx.Div
// CHECK:         %[[T:.+]] = onnx.Sqrt
// CHECK:         %[[S:.+]] = onnx.Mul(%[[T]], %[[T]])
// CHECK-NEXT:    %[[A:.+]] = onnx.Mul(%arg0, %[[S]])
// CHECK-NEXT:    %[[G:.+]] = onnx.Reshape(%[[A]], %{{.+}})
// CHECK-NEXT:    %[[R:.+]] = onnx.MatMul(%[[G]], %arg1)
// CHECK-NEXT:    return %[[R]]
func.func @scales_of_sizes(%a: tensor<2x8x1x?xf32> {onnx.dims = ["", "", "", "d"]}, %b: tensor<2x2x?x?xf32> {onnx.dims = ["", "", "d", "n"]}) -> none {
  %one = onnx.Constant dense<1.000000e+00> : tensor<1xf32>
  %n = onnx.Constant dense<[2, 2, 4, -1]> : tensor<4xi64>
  %d = onnx.Shape(%a) {start = 3 : i64} : (tensor<2x8x1x?xf32>) -> tensor<1xi64>
  %f = onnx.Cast(%d) {to = 1 : i64} : (tensor<1xi64>) -> tensor<1xf32>
  %r = onnx.Sqrt(%f) : (tensor<1xf32>) -> tensor<1xf32>
  %q = onnx.Div(%one, %r) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %s = onnx.Sqrt(%q) : (tensor<1xf32>) -> tensor<1xf32>
  %0 = onnx.Mul(%a, %s) : (tensor<2x8x1x?xf32>, tensor<1xf32>) -> tensor<2x8x1x?xf32>
  %g = onnx.Reshape(%0, %n) : (tensor<2x8x1x?xf32>, tensor<4xi64>) -> tensor<2x2x4x?xf32>
  %1 = onnx.Mul(%b, %s) : (tensor<2x2x?x?xf32>, tensor<1xf32>) -> tensor<2x2x?x?xf32>
  %2 = onnx.MatMul(%g, %1) : (tensor<2x2x4x?xf32>, tensor<2x2x?x?xf32>) -> none
  return %2 : none
}

// -----

// The root of a size is more than one, its reciprocal less than the least scale;
// a scale of the caller may be any number.
// CHECK-LABEL: func @scales_out_of_range
// CHECK-COUNT-6: onnx.Mul
// CHECK:         return
func.func @scales_out_of_range(%a: tensor<4x?xf32>, %b: tensor<?x5xf32>, %given: tensor<1xf32>) -> (none, none, none) {
  %d = onnx.Shape(%a) {start = 1 : i64} : (tensor<4x?xf32>) -> tensor<1xi64>
  %f = onnx.Cast(%d) {to = 1 : i64} : (tensor<1xi64>) -> tensor<1xf32>
  %r = onnx.Sqrt(%f) : (tensor<1xf32>) -> tensor<1xf32>
  %0 = onnx.Mul(%a, %r) : (tensor<4x?xf32>, tensor<1xf32>) -> tensor<4x?xf32>
  %1 = onnx.Mul(%b, %r) : (tensor<?x5xf32>, tensor<1xf32>) -> tensor<?x5xf32>
  %2 = onnx.MatMul(%0, %1) : (tensor<4x?xf32>, tensor<?x5xf32>) -> none
  %i = onnx.Reciprocal(%f) : (tensor<1xf32>) -> tensor<1xf32>
  %3 = onnx.Mul(%a, %i) : (tensor<4x?xf32>, tensor<1xf32>) -> tensor<4x?xf32>
  %4 = onnx.Mul(%b, %i) : (tensor<?x5xf32>, tensor<1xf32>) -> tensor<?x5xf32>
  %5 = onnx.MatMul(%3, %4) : (tensor<4x?xf32>, tensor<?x5xf32>) -> none
  %6 = onnx.Mul(%a, %given) : (tensor<4x?xf32>, tensor<1xf32>) -> tensor<4x?xf32>
  %7 = onnx.Mul(%b, %given) : (tensor<?x5xf32>, tensor<1xf32>) -> tensor<?x5xf32>
  %8 = onnx.MatMul(%6, %7) : (tensor<4x?xf32>, tensor<?x5xf32>) -> none
  return %2, %5, %8 : none, none, none
}
