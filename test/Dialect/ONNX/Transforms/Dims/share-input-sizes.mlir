// RUN: onnx-opt %s --onnx-share-input-sizes | FileCheck %s

// CHECK-LABEL: func @two_inputs
// CHECK:         %[[N:.+]] = tensor.dim %arg0, %{{.*}} : tensor<?x4xf32>
// CHECK-NOT:     tensor.dim %arg1, %c0
// CHECK:         %[[OTHER:.+]] = tensor.dim %arg1, %c1
// CHECK:         return %{{.*}}, %[[N]], %[[OTHER]]
func.func @two_inputs(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                      %y: tensor<?x?xf32> {onnx.dims = ["n", "m"]}) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %x, %c0 : tensor<?x4xf32>
  %1 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %2 = tensor.dim %y, %c1 : tensor<?x?xf32>
  return %0, %1, %2 : index, index, index
}

// What has no name may differ.
// CHECK-LABEL: func @unnamed
// CHECK-COUNT-2: tensor.dim
func.func @unnamed(%x: tensor<?xf32> {onnx.dims = [""]},
                   %y: tensor<?xf32> {onnx.dims = [""]}) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %x, %c0 : tensor<?xf32>
  %1 = tensor.dim %y, %c0 : tensor<?xf32>
  return %0, %1 : index, index
}
