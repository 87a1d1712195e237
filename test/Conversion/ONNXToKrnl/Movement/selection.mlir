// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The runtime sorts; the compiler knows the sizes if it knows k. 2 is the
// number of unsigned bytes, which buffers do not tell.
// CHECK-LABEL: func @largest
// CHECK:         krnl.call @onnxc_call_topk(%{{.+}}, %{{.+}}) params [2, 1, 1] : (tensor<3x9xi8>, index) -> (tensor<3x4xi8>, tensor<3x4xi64>)
func.func @largest(%x: tensor<3x9xui8>) -> (tensor<3x4xui8>, tensor<3x4xi64>) {
  %k = onnx.Constant dense<4> : tensor<1xi64>
  %y, %i = onnx.TopK(%x, %k) : (tensor<3x9xui8>, tensor<1xi64>) -> (tensor<3x4xui8>, tensor<3x4xi64>)
  return %y, %i : tensor<3x4xui8>, tensor<3x4xi64>
}

// Results that the model leaves out are made all the same, and dropped.
// CHECK-LABEL: func @unique
// CHECK:         %[[R:.+]]:4 = krnl.call @onnxc_call_unique(%{{.+}}) params [1, 0, 1, 1]
// CHECK:         return %[[R]]#0, %[[R]]#2
func.func @unique(%x: tensor<3x9xf32>) -> (tensor<3x?xf32>, tensor<?xi64>) {
  %y, %i = onnx.Unique(%x) {axis = -1 : i64, sorted = 0 : i64} : (tensor<3x9xf32>) -> tensor<3x?xf32> inverse_indices tensor<?xi64>
  return %y, %i : tensor<3x?xf32>, tensor<?xi64>
}

// CHECK-LABEL: func @nonzero
// CHECK:         krnl.call @onnxc_call_nonzero(%{{.+}}) params [9] : (tensor<3x9xi8>) -> tensor<2x?xi64>
func.func @nonzero(%x: tensor<3x9xi1>) -> tensor<2x?xi64> {
  %y = onnx.NonZero(%x) : (tensor<3x9xi1>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}

// A kernel moves what was chosen.
// CHECK-LABEL: func @compress
// CHECK:         %[[PLACES:.+]] = krnl.call @onnxc_call_true_positions(%{{.+}}, %{{.+}}) : (tensor<2xi8>, index) -> tensor<?xi64>
// CHECK:         krnl.kernel "Compress" {{.*}}ins(%{{.+}}, %[[PLACES]]
func.func @compress(%x: tensor<3x9xf32>, %c: tensor<2xi1>) -> tensor<?x9xf32> {
  %y = onnx.Compress(%x, %c) {axis = 0 : i64} : (tensor<3x9xf32>, tensor<2xi1>) -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// Which of the limits are given is said bit by bit.
// CHECK-LABEL: func @boxes
// CHECK:         krnl.call @onnxc_call_non_max_suppression(%{{.+}}) params [5, 0]
func.func @boxes(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %n: tensor<i64>, %t: tensor<1xf32>) -> tensor<?x3xi64> {
  %y = onnx.NonMaxSuppression(%b, %s) max_output_boxes_per_class(%n) score_threshold(%t) : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<i64>, tensor<1xf32>) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}
