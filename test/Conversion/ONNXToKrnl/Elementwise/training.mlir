// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A kernel for each tensor, with the rate computed once before it; results
// come by kind: both tensors, then both states.
// CHECK-LABEL: func @two_tensors
// CHECK:         krnl.kernel "rate"
// CHECK:         %[[FIRST:.+]]:2 = krnl.kernel "training.Adagrad" loops [d0 = 2]
// CHECK:         %[[SECOND:.+]]:2 = krnl.kernel "training.Adagrad" loops [d0 = 3]
// CHECK:         return %[[FIRST]]#0, %[[SECOND]]#0, %[[FIRST]]#1, %[[SECOND]]#1
func.func @two_tensors(%r: tensor<f32>, %t: tensor<i64>, %x: tensor<2xf32>, %y: tensor<3xf32>, %gx: tensor<2xf32>, %gy: tensor<3xf32>, %hx: tensor<2xf32>, %hy: tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) {
  %0:4 = onnx.training.Adagrad(%r, %t) inputs(%x, %y, %gx, %gy, %hx, %hy) {decay_factor = 0.1 : f32, epsilon = 1.0e-05 : f32, norm_coefficient = 0.001 : f32} : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>
}
