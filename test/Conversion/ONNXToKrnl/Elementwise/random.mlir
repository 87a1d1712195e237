// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The runtime says where the numbers start, from the bits of the seed if there
// is one; a kernel computes each from its position.
// CHECK-LABEL: func @uniform
// CHECK:         %[[KEY:.+]]:2 = krnl.call @onnxc_call_random_key() stateful params [1, 1065353216] : () -> (i64, i64)
// CHECK:         krnl.kernel "RandomUniform" loops [d0 = 2, d1 = 3] ins(%[[KEY]]#0, %[[KEY]]#1
// CHECK:           arith.muli %{{.+}}, %{{.+}} : i64
// CHECK:           arith.sitofp
func.func @uniform() -> tensor<2x3xf32> {
  %y = onnx.RandomUniform {seed = 1.0 : f32, shape = array<i64: 2, 3>} : () -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Draws are compared with running sums of the probabilities, which are made once
// for all draws of a row.
// CHECK-LABEL: func @multinomial
// CHECK:         krnl.kernel "Multinomial" loops [d0 = 2, d1 = 7]
// CHECK:           math.exp {{.*}} : f32
// CHECK:         krnl.kernel "Multinomial" loops [d0 = 2, d1 = 7]
// CHECK:           arith.addf {{.*}} : f64
// CHECK:         krnl.kernel "Multinomial" loops [b = 2, s = 100, c = 7]
// CHECK:           arith.cmpf ole, {{.*}} : f64
func.func @multinomial(%x: tensor<2x7xf32>) -> tensor<2x100xi32> {
  %y = onnx.Multinomial(%x) {sample_size = 100 : i64} : (tensor<2x7xf32>) -> tensor<2x100xi32>
  return %y : tensor<2x100xi32>
}
