// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// Weights of each type of float are read, scaled in double precision and
// written again: 3 * 2 and (1 - 0) * 2 + 5.
// CHECK-LABEL: func @types
// CHECK-DAG:     onnx.Constant dense<6.000000e+00> : tensor<1x1x1xf16>
// CHECK-DAG:     onnx.Constant dense<7.000000e+00> : tensor<1xf16>
// CHECK-DAG:     onnx.Constant dense<6.000000e+00> : tensor<1x1x1xbf16>
// CHECK-DAG:     onnx.Constant dense<7.000000e+00> : tensor<1xbf16>
// CHECK-DAG:     onnx.Constant dense<6.000000e+00> : tensor<1x1x1xf64>
// CHECK-DAG:     onnx.Constant dense<7.000000e+00> : tensor<1xf64>
// CHECK-NOT:     onnx.Mul
// CHECK-NOT:     onnx.Add
func.func @types(%x: tensor<1x1x4xf16>, %y: tensor<1x1x4xbf16>, %z: tensor<1x1x4xf64>) -> (none, none, none) {
  %w0 = onnx.Constant dense<3.0> : tensor<1x1x1xf16>
  %b0 = onnx.Constant dense<1.0> : tensor<1xf16>
  %two0 = onnx.Constant dense<2.0> : tensor<f16>
  %five0 = onnx.Constant dense<5.0> : tensor<f16>
  %0 = onnx.Conv(%x, %w0) B(%b0) : (tensor<1x1x4xf16>, tensor<1x1x1xf16>, tensor<1xf16>) -> none
  %1 = onnx.Mul(%0, %two0) : (none, tensor<f16>) -> none
  %2 = onnx.Add(%1, %five0) : (none, tensor<f16>) -> none
  %w1 = onnx.Constant dense<3.0> : tensor<1x1x1xbf16>
  %b1 = onnx.Constant dense<1.0> : tensor<1xbf16>
  %two1 = onnx.Constant dense<2.0> : tensor<bf16>
  %five1 = onnx.Constant dense<5.0> : tensor<bf16>
  %3 = onnx.Conv(%y, %w1) B(%b1) : (tensor<1x1x4xbf16>, tensor<1x1x1xbf16>, tensor<1xbf16>) -> none
  %4 = onnx.Mul(%3, %two1) : (none, tensor<bf16>) -> none
  %5 = onnx.Add(%4, %five1) : (none, tensor<bf16>) -> none
  %w2 = onnx.Constant dense<3.0> : tensor<1x1x1xf64>
  %b2 = onnx.Constant dense<1.0> : tensor<1xf64>
  %two2 = onnx.Constant dense<2.0> : tensor<f64>
  %five2 = onnx.Constant dense<5.0> : tensor<f64>
  %6 = onnx.Conv(%z, %w2) B(%b2) : (tensor<1x1x4xf64>, tensor<1x1x1xf64>, tensor<1xf64>) -> none
  %7 = onnx.Mul(%6, %two2) : (none, tensor<f64>) -> none
  %8 = onnx.Add(%7, %five2) : (none, tensor<f64>) -> none
  return %2, %5, %8 : none, none, none
}
