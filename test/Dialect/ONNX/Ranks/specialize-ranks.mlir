// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// Two dimensions after the Reshape, whatever the rank before: MatMul is in no
// variant of it.
// CHECK-LABEL: func @region_ends
// CHECK:         onnx.If
// CHECK:           onnx.Softmax
// CHECK:         onnx.MatMul(%{{.+}}, %arg1)
// CHECK-NOT:     onnx.MatMul
func.func @region_ends(%x: tensor<*xf32>, %w: tensor<8x8xf32>, %sizes: tensor<2xi64>) -> tensor<*xf32> {
  %s = onnx.Softmax(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %r = onnx.Reshape(%s, %sizes) : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %y = onnx.MatMul(%r, %w) : (tensor<?x?xf32>, tensor<8x8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Written without a rank, Flatten gives the Mul after it one.
// CHECK-LABEL: func @known_by_then
// CHECK:         onnx.Mul{{.*}} -> tensor<?x?xf32>
func.func @known_by_then(%x: tensor<*xf32>, %w: tensor<*xf32>) -> tensor<*xf32> {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %f = onnx.Flatten(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %m = onnx.Mul(%f, %f) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %r = onnx.ReduceMean(%m) axes(%one) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %y = onnx.Mul(%r, %w) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Code that is large, and larger for each dimension, is for images and volumes.
// CHECK-LABEL: func @large_code
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?xf32>
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?x?xf32>
// CHECK:         onnx.Identity({{.*}}onnx.accepted = array<i64: 3, 4, 5>
// CHECK:         onnx.GridSample({{.*}} -> tensor<?x?x?x?x?xf32>
// CHECK-NOT:     onnx.GridSample
func.func @large_code(%x: tensor<*xf32> {onnx.name = "x"}, %g: tensor<*xf32> {onnx.name = "g"}) -> tensor<*xf32> {
  %0 = onnx.GridSample(%x, %g) {mode = "cubic"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// CHECK-LABEL: func @window
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?xi32>
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?x?xi32>
// CHECK:         onnx.ConvInteger({{.*}} -> tensor<?x?x?x?x?xi32>
// CHECK-NOT:     onnx.ConvInteger
func.func @window(%x: tensor<*xui8> {onnx.name = "x"}, %w: tensor<*xui8> {onnx.name = "w"}) -> tensor<*xi32> {
  %0 = onnx.ConvInteger(%x, %w) : (tensor<*xui8>, tensor<*xui8>) -> tensor<*xi32>
  return %0 : tensor<*xi32>
}

// -----

// Variants for the rank of the data are around an Expand by a list of another
// unknown length: each has it in a form for all lengths.
// CHECK-LABEL: func.func @list_from_outside
// CHECK:         onnx.Expand({{.*}} -> tensor<{{[^*]*}}>
// CHECK-NOT:     onnx.Expand({{.*}} -> tensor<*
// CHECK:         return
func.func @list_from_outside(%x: tensor<*xf32>, %like: tensor<*xi64>) -> (tensor<*xf32>, tensor<*xf32>) {
  %list = onnx.Shape(%like) : (tensor<*xi64>) -> tensor<?xi64>
  %wide = onnx.Expand(%x, %list) : (tensor<*xf32>, tensor<?xi64>) -> tensor<*xf32>
  %parts = onnx.Constant dense<[2, 1]> : tensor<2xi64>
  %y:2 = onnx.Split(%wide) split(%parts) {axis = 2 : i64} : (tensor<*xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  return %y#0, %y#1 : tensor<*xf32>, tensor<*xf32>
}
