// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @one_hot(
// CHECK:         krnl.call @onnxc_call_string_index
// CHECK:         krnl.kernel "Equal"
// CHECK:         krnl.check {{.*}} "OneHotEncoder: an element is none of the categories"
func.func @one_hot(%x: tensor<?x1x!onnx.string>) -> tensor<?x1x2xf32> {
  %y = onnx.ml.OneHotEncoder(%x) {cats_strings = ["a", "b"], zeros = 0 : i64} : (tensor<?x1x!onnx.string>) -> tensor<?x1x2xf32>
  return %y : tensor<?x1x2xf32>
}

// Columns that are missing are zeros, and surplus ones are left out.
// CHECK-LABEL: func @vectorize(
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "Slice" loops [d0 = 4, d1 = 1]
// CHECK:         krnl.kernel "Concat"
func.func @vectorize(%x: tensor<4x2xf32>, %z: tensor<4x3xf32>) -> tensor<4x4xf32> {
  %y = onnx.ml.FeatureVectorizer(%x, %z) {inputdimensions = array<i64: 3, 1>} : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// No row is divided by zero.
// CHECK-LABEL: func @normalize(
// CHECK:         krnl.kernel "ReduceL1"
// CHECK:         krnl.kernel "Max"
// CHECK:         krnl.kernel "Div"
func.func @normalize(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = onnx.ml.Normalizer(%x) {norm = "L1"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Columns are those of the last axis; a vector is one row.
// CHECK-LABEL: func @extract(
// CHECK:         krnl.kernel "Gather"
// CHECK:         return {{.*}} : tensor<1x2xf32>
func.func @extract(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<1x2xf32> {
  %y = onnx.ml.ArrayFeatureExtractor(%x, %i) : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

func.func @unknown_norm(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{Normalizer is not supported}}
  // expected-note @below {{norm is none of MAX, L1 and L2}}
  %y = onnx.ml.Normalizer(%x) {norm = "L7"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @width_missing(%x: tensor<4x2xf32>, %z: tensor<4x3xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{FeatureVectorizer is not supported}}
  // expected-note @below {{expects a number of columns for each operand}}
  %y = onnx.ml.FeatureVectorizer(%x, %z) {inputdimensions = array<i64: 3>} : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @no_categories(%x: tensor<4xi64>) -> tensor<4x2xf32> {
  // expected-error @below {{OneHotEncoder is not supported}}
  // expected-note @below {{no categories of this type}}
  %y = onnx.ml.OneHotEncoder(%x) {cats_strings = ["a", "b"]} : (tensor<4xi64>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
