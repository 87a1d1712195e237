// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// Where variants for two ranks would multiply, what is before an axis is one
// dimension, and what is after it another one.
// CHECK-LABEL: func @along_last
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Softmax({{.*}}) {axis = 1 : i64{{.*}}-> tensor<?x?xf32>
// CHECK-NOT:     onnx.If
func.func @along_last(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %0 = onnx.MatMul(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Softmax(%0) {axis = -1 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  %2 = onnx.Mul(%1, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// The run checks that there is an axis 2.
// CHECK-LABEL: func @along_third
// CHECK-NOT:     onnx.If
// CHECK:         %[[N:.+]] = onnx.Shape({{.*}}) {end = 3 : i64{{.*}}start = 2 : i64}
// CHECK:         onnx.Identity(%[[N]]) : (tensor<?xi64>) -> tensor<1xi64>
// CHECK:         onnx.Concat({{.*}}) {axis = 1 : i64{{.*}}-> tensor<?x?x?xf32>
// CHECK-NOT:     onnx.If
func.func @along_third(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %0 = onnx.Concat(%x, %y) {axis = 2 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Sizes of 1 are a matter of the list of sizes.
// CHECK-LABEL: func @sizes_of_one
// CHECK-NOT:     onnx.If
// CHECK-NOT:     onnx.Unsqueeze
// CHECK-NOT:     onnx.Squeeze
func.func @sizes_of_one(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %end = onnx.Constant dense<-2> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %two) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %1 = onnx.Mul(%0, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %2 = onnx.Squeeze(%1) axes(%end) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// How many axes go would need variants inside of those for the rank: what is left of
// eight sizes is picked.
// CHECK-LABEL: func @listed_axes
// CHECK-NOT:     onnx.If
// CHECK:         %[[Y:.+]] = onnx.ReduceMax({{.*}}) axes(%{{.*}}) {{.*}}-> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         %[[SIZES:.+]] = onnx.Compress(
// CHECK:         onnx.Reshape(%[[Y]], %[[SIZES]]) {{.*}}-> tensor<*xf32>
// CHECK-NOT:     onnx.If
func.func @listed_axes(%x: tensor<*xf32>, %axes: tensor<?xi64>) -> tensor<*xf32> {
  %0 = onnx.ReduceMax(%x) axes(%axes) {keepdims = 0 : i64} : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Axes that stay are no second unknown: variants for ranks 2 to 8.
// CHECK-LABEL: func @kept_axes
// CHECK-COUNT-7: onnx.ReduceMax
// CHECK-NOT:     onnx.ReduceMax
func.func @kept_axes(%x: tensor<*xf32>, %axes: tensor<2xi64>) -> tensor<*xf32> {
  %0 = onnx.ReduceMax(%x) axes(%axes) {keepdims = 1 : i64} : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Where the sizes of 1 go is a matter of lists as well.
// CHECK-LABEL: func @listed_sizes
// CHECK-NOT:     onnx.If
// CHECK:         %[[WITH:.+]] = onnx.Gather(
// CHECK:         onnx.Reshape(%arg0, %[[WITH]]) {{.*}}-> tensor<*xf32>
// CHECK:         %[[WITHOUT:.+]] = onnx.Compress(
// CHECK:         onnx.Reshape({{.*}}, %[[WITHOUT]]) {{.*}}-> tensor<*xf32>
// CHECK-NOT:     onnx.If
func.func @listed_sizes(%x: tensor<*xf32>, %a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<*xf32> {
  %0 = onnx.Unsqueeze(%x, %a) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %1 = onnx.Squeeze(%0) axes(%b) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// The axis on a view has the type of the starts and ends.
// CHECK-LABEL: func @slice_i32
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Slice({{.*}}) axes({{.*}} : (tensor<?x?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
// CHECK-NOT:     onnx.If
func.func @slice_i32(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %start = onnx.Constant dense<1> : tensor<1xi32>
  %end = onnx.Constant dense<3> : tensor<1xi32>
  %axis = onnx.Constant dense<-1> : tensor<1xi32>
  %0 = onnx.MatMul(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Slice(%0, %start, %end) axes(%axis) : (tensor<*xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  %2 = onnx.Mul(%1, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}
