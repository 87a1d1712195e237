// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Of maps there is one row, as long as the vocabulary or as the map says.
// CHECK-LABEL: func @maps
// CHECK:         onnx.ml.CastMap{{.*}} -> tensor<1x?xf32>
// CHECK:         onnx.ml.CastMap{{.*}} -> tensor<1x7xf32>
// CHECK:         onnx.ml.DictVectorizer{{.*}} -> tensor<1x3xf32>
func.func @maps(%m: !onnx.map<i64, tensor<f32>>) -> (none, none, none) {
  %0 = onnx.ml.CastMap(%m) : (!onnx.map<i64, tensor<f32>>) -> none
  %1 = onnx.ml.CastMap(%m) {map_form = "SPARSE", max_map = 7 : i64} : (!onnx.map<i64, tensor<f32>>) -> none
  %2 = onnx.ml.DictVectorizer(%m) {int64_vocabulary = array<i64: 3, 2, 1>} : (!onnx.map<i64, tensor<f32>>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// One row of results for each row; a vector is one row.
// CHECK-LABEL: func @predictions
// CHECK:         onnx.ml.LinearRegressor{{.*}}["n", "2"]
// CHECK:         onnx.ml.LinearRegressor{{.*}} -> tensor<1x1xf32>
// CHECK:         onnx.ml.Scaler{{.*}}["n", "4"]
// CHECK:         onnx.ml.SVMRegressor{{.*}}["n", "1"]
// CHECK:         onnx.ml.ArrayFeatureExtractor{{.*}}["n", "2"]
// CHECK:         onnx.ml.FeatureVectorizer{{.*}}["n", "8"]
func.func @predictions(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}, %v: tensor<4xf32>)
    -> (none, none, none, none, none, none) {
  %0 = onnx.ml.LinearRegressor(%x) {coefficients = array<f32: 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0>, targets = 2 : i64}
      : (tensor<?x4xf32>) -> none
  %1 = onnx.ml.LinearRegressor(%v) {coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>} : (tensor<4xf32>) -> none
  %2 = onnx.ml.Scaler(%x) {offset = array<f32: 0.0>, scale = array<f32: 2.0>} : (tensor<?x4xf32>) -> none
  %3 = onnx.ml.SVMRegressor(%x) : (tensor<?x4xf32>) -> none
  %columns = onnx.Constant dense<[0, 2]> : tensor<2xi64>
  %4 = onnx.ml.ArrayFeatureExtractor(%x, %columns) : (tensor<?x4xf32>, tensor<2xi64>) -> none
  %5 = onnx.ml.FeatureVectorizer(%x, %x) {inputdimensions = array<i64: 4, 4>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> none
  return %0, %1, %2, %3, %4, %5 : none, none, none, none, none, none
}

// -----

// A label and the scores of all classes for each row; support vectors without
// probabilities score each pair of classes.
// CHECK-LABEL: func @classes
// CHECK:         onnx.ml.TreeEnsembleClassifier{{.*}}["n"], ["n", "3"]
// CHECK:         onnx.ml.SVMClassifier{{.*}}["n"], ["n", "6"]
// CHECK:         onnx.ml.SVMClassifier{{.*}}["n"], ["n", "4"]
func.func @classes(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]})
    -> (none, none, none, none, none, none) {
  %0:2 = onnx.ml.TreeEnsembleClassifier(%x) {classlabels_int64s = array<i64: 0, 1, 2>}
      : (tensor<?x4xf32>) -> (none, none)
  %1:2 = onnx.ml.SVMClassifier(%x) {classlabels_ints = array<i64: 0, 1, 2, 3>, vectors_per_class = array<i64: 1, 1, 1, 1>}
      : (tensor<?x4xf32>) -> (none, none)
  %2:2 = onnx.ml.SVMClassifier(%x) {classlabels_ints = array<i64: 0, 1, 2, 3>} : (tensor<?x4xf32>) -> (none, none)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : none, none, none, none, none, none
}
