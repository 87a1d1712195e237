// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @zip(
// CHECK:         krnl.call @onnxc_call_zip_map({{.*}}) : (tensor<?x2xf32>, tensor<2xi64>) -> !krnl.obj
func.func @zip(%x: tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>> {
  %y = onnx.ml.ZipMap(%x) {classlabels_int64s = array<i64: 4, 7>} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  return %y : !onnx.seq<!onnx.map<i64, tensor<f32>>>
}

// Equal keys of a vocabulary have the position of the first: 4 is in columns 0 and 2.
// CHECK-LABEL: func @vectorize(
// CHECK:         krnl.call @onnxc_call_dict_vectorizer({{.*}}) params [3, 1] : (!krnl.obj, {{.*}}) -> tensor<1x3xf32>
func.func @vectorize(%x: !onnx.map<i64, tensor<f32>>) -> tensor<1x3xf32> {
  %y = onnx.ml.DictVectorizer(%x) {int64_vocabulary = array<i64: 4, 7, 4>} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// Keys of a sparse map are columns, of which max_map has the number; the values of a
// dense one are as many as it has.
// CHECK-LABEL: func @cast(
// CHECK:         krnl.call @onnxc_call_cast_map({{.*}}) params [1, 5] : (!krnl.obj) -> tensor<1x5xf32>
// CHECK:         krnl.call @onnxc_call_cast_map({{.*}}) params [1, -1] : (!krnl.obj) -> tensor<1x?xf32>
func.func @cast(%x: !onnx.map<i64, tensor<f32>>) -> (tensor<1x5xf32>, tensor<1x?xf32>) {
  %y = onnx.ml.CastMap(%x) {map_form = "SPARSE", max_map = 5 : i64} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x5xf32>
  %z = onnx.ml.CastMap(%x) {map_form = "DENSE"} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x?xf32>
  return %y, %z : tensor<1x5xf32>, tensor<1x?xf32>
}

// -----

func.func @no_vocabulary(%x: !onnx.map<i64, tensor<f32>>) -> tensor<1x2xf32> {
  // expected-error @below {{DictVectorizer is not supported}}
  // expected-note @below {{there is no vocabulary of the keys' type}}
  %y = onnx.ml.DictVectorizer(%x) {string_vocabulary = ["a", "b"]} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

func.func @two_kinds_of_labels(%x: tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>> {
  // expected-error @below {{ZipMap is not supported}}
  // expected-note @below {{expects either classlabels_strings or classlabels_int64s}}
  %y = onnx.ml.ZipMap(%x) {classlabels_int64s = array<i64: 4, 7>, classlabels_strings = ["a", "b"]} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  return %y : !onnx.seq<!onnx.map<i64, tensor<f32>>>
}

// -----

func.func @no_size(%x: !onnx.map<i64, tensor<f32>>) -> tensor<1x?xf32> {
  // expected-error @below {{CastMap is not supported}}
  // expected-note @below {{expects map_form DENSE, or SPARSE with max_map}}
  %y = onnx.ml.CastMap(%x) {map_form = "SPARSE", max_map = -1 : i64} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}
