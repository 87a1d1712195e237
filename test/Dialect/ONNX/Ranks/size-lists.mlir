// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// What is broadcast again stays on eight dimensions; so does what is after it.
// CHECK-LABEL: func @chain_is_padded_once
// CHECK-COUNT-2: onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK-NOT:     onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         %[[A:.+]] = onnx.Add(
// CHECK:         %[[E:.+]] = onnx.Exp(%[[A]])
// CHECK:         %[[M:.+]] = onnx.Mul(%[[E]],
// CHECK-NOT:     onnx.Reshape({{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         onnx.Reshape(%[[M]], {{.*}} -> tensor<*xf32>
func.func @chain_is_padded_once(%x: tensor<*xf32> {onnx.name = "x"}, %y: tensor<*xf32> {onnx.name = "y"}) -> tensor<*xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Exp(%0) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = onnx.Mul(%1, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}
