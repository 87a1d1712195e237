// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @gemm
// CHECK-NEXT:    %[[R:.+]] = onnx.Gemm(%arg0, %arg1) C(%arg2)
// CHECK-NEXT:    return %[[R]]
func.func @gemm(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> none {
  %0 = onnx.MatMul(%x, %w) : (tensor<?x8xf32>, tensor<8x4xf32>) -> none
  %1 = onnx.Add(%b, %0) : (tensor<4xf32>, none) -> none
  return %1 : none
}

// -----

// Not of matrices; with a bias that enlarges; with another user.
// CHECK-LABEL: func @no_gemm
// CHECK-NOT:     onnx.Gemm
func.func @no_gemm(%x: tensor<2x5x8xf32>, %y: tensor<1x8xf32>, %w: tensor<8x4xf32>,
                   %b: tensor<4xf32>, %large: tensor<3x4xf32>) -> (none, none, none, none) {
  %0 = onnx.MatMul(%x, %w) : (tensor<2x5x8xf32>, tensor<8x4xf32>) -> none
  %1 = onnx.Add(%0, %b) : (none, tensor<4xf32>) -> none
  %2 = onnx.MatMul(%y, %w) : (tensor<1x8xf32>, tensor<8x4xf32>) -> none
  %3 = onnx.Add(%2, %large) : (none, tensor<3x4xf32>) -> none
  %4 = onnx.Neg(%y) : (tensor<1x8xf32>) -> none
  %5 = onnx.MatMul(%4, %w) : (none, tensor<8x4xf32>) -> none
  %6 = onnx.Add(%5, %b) : (none, tensor<4xf32>) -> none
  return %1, %3, %5, %6 : none, none, none, none
}
