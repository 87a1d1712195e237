// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Two draws are two calls, however alike.
// CHECK-LABEL: func @two_draws
// CHECK-COUNT-2: krnl.call @onnxc_call_random_key() stateful params [0, 0]
func.func @two_draws(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = onnx.RandomNormalLike(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %z = onnx.RandomNormalLike(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
