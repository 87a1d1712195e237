// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// A tuple of unknown length gets zeros in front, and the data as many sizes of 1;
// what a tuple leads to is one dimension.
// CHECK-LABEL: func @gather
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Identity({{.*}}) : (tensor<?xi64>) -> tensor<8xi64>
// CHECK:         %[[DATA:.+]] = onnx.Reshape(%arg0, {{.*}}-> tensor<?x?x?x?x?x?x?x?x?xf32>
// CHECK:         %[[PADDED:.+]] = onnx.Pad
// CHECK:         %[[TUPLES:.+]] = onnx.Identity(%[[PADDED]]) {{.*}}: (tensor<?x?xi64>) -> tensor<?x8xi64>
// CHECK:         %[[Y:.+]] = onnx.GatherND(%[[DATA]], %[[TUPLES]]) {{.*}}-> tensor<?x?xf32>
// CHECK:         onnx.Reshape(%[[Y]], {{.*}}-> tensor<*xf32>
// CHECK-NOT:     onnx.If
func.func @gather(%x: tensor<*xf32>, %i: tensor<*xi64>) -> tensor<*xf32> {
  %0 = onnx.GatherND(%x, %i) : (tensor<*xf32>, tensor<*xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// What comes after would need variants for the rank that comes of the length.
// CHECK-LABEL: func @scatter_into_unknown
// CHECK-NOT:     onnx.If
// CHECK:         onnx.ScatterND({{.*}}) {{.*}}reduction = "add"{{.*}}tensor<?x?x?x?x?x?x?x?x?xf32>, tensor<?x8xi64>, tensor<?x?xf32>
// CHECK:         onnx.Softmax
// CHECK-NOT:     onnx.If
func.func @scatter_into_unknown(%x: tensor<*xf32>, %i: tensor<*xi64>, %u: tensor<*xf32>) -> tensor<*xf32> {
  %0 = onnx.ScatterND(%x, %i, %u) {reduction = "add"} : (tensor<*xf32>, tensor<*xi64>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Softmax(%0) : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// A length that is known is that of the tuples here, too.
// CHECK-LABEL: func @known_length
// CHECK-NOT:     onnx.Pad
// CHECK:         onnx.GatherND({{.*}}) {batch_dims = 1 : i64{{.*}}: (tensor<?x?x?x?xf32>, tensor<?x?x2xi64>) -> tensor<?x?x?xf32>
func.func @known_length(%x: tensor<*xf32>, %y: tensor<*xf32>, %i: tensor<?x?x?x2xi64>) -> tensor<*xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.GatherND(%0, %i) {batch_dims = 1 : i64} : (tensor<*xf32>, tensor<?x?x?x2xi64>) -> tensor<*xf32>
  %2 = onnx.Mul(%1, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}
