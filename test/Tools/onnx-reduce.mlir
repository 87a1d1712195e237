// RUN: onnx-reduce %s --opt-reduction-pass='opt-pass=cse test=%{source}/test/Tools/Inputs/has-relu' | FileCheck %s

// The pass may do what it likes as long as there is a Relu: one Abs goes.
// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: onnx.Abs
  // CHECK-NOT: onnx.Abs
  %0 = onnx.Abs(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Abs(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: onnx.Relu
  %2 = onnx.Relu(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %2 : tensor<2xf32>, tensor<2xf32>
}
