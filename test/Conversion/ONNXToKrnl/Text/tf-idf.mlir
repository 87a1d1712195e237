// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// Tokens are numbered, n-grams counted, and the counts weighted by a kernel.
// CHECK-LABEL: func @weighted(
// CHECK:         %[[TOKENS:.+]] = krnl.call @onnxc_call_string_index
// CHECK:         krnl.call @onnxc_call_count_ngrams(%[[TOKENS]], {{.*}}) params [1, 1, 0, 2, 2] : {{.*}} -> tensor<?x2xf32>
// CHECK:         krnl.kernel "TfIdfVectorizer"
// CHECK:           arith.mulf
func.func @weighted(%x: tensor<?x3x!onnx.string>) -> tensor<?x2xf32> {
  %y = onnx.TfIdfVectorizer(%x) {max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TFIDF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 1>, pool_strings = ["a", "b"], weights = array<f32: 2.0, 3.0>} : (tensor<?x3x!onnx.string>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// Weights stand in the order of the pool, whatever their columns.
// CHECK-LABEL: func @weights_of_the_pool(
// CHECK:         krnl.constant dense<[3.000000e+00, 0.000000e+00, 2.000000e+00]>
func.func @weights_of_the_pool(%x: tensor<3xi64>) -> tensor<3xf32> {
  %y = onnx.TfIdfVectorizer(%x) {max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "IDF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 2, 0>, pool_int64s = array<i64: 7, 8>, weights = array<f32: 2.0, 3.0>} : (tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @pool_too_short(%x: tensor<3xi64>) -> tensor<2xf32> {
  // expected-error @below {{TfIdfVectorizer is not supported}}
  // expected-note @below {{ngram_counts, ngram_indexes and the pool do not fit together}}
  %y = onnx.TfIdfVectorizer(%x) {max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 5>, ngram_indexes = array<i64: 0, 1>, pool_int64s = array<i64: 1, 2>} : (tensor<3xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @weight_missing(%x: tensor<3xi64>) -> tensor<2xf32> {
  // expected-error @below {{TfIdfVectorizer is not supported}}
  // expected-note @below {{expects a weight for each n-gram, one for each column}}
  %y = onnx.TfIdfVectorizer(%x) {max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "IDF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 1>, pool_int64s = array<i64: 1, 2>, weights = array<f32: 2.0>} : (tensor<3xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
