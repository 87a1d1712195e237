// RUN: onnx-opt %s --convert-onnx-to-krnl --verify-diagnostics

// All operators that are not lowered are named, not only the first, and those
// in between lowered.
func.func @no_lowering(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-error @+1 {{the operator training.Gradient has no lowering yet}}
  %0 = "onnx.training.Gradient"(%x) <{xs = ["x"], y = "y"}> : (tensor<3xf32>) -> tensor<3xf32>
  %1 = onnx.Relu(%0) : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error @+1 {{the operator training.Gradient has no lowering yet}}
  %2 = "onnx.training.Gradient"(%1) <{xs = ["x"], y = "y"}> : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xf32>, tensor<3xf32>
}

// Where there is a lowering but not for this, the types and its reason.
func.func @not_for_this(%x: tensor<2x3xf32>, %w: tensor<1x1x1xf32>) -> tensor<2x3xf32> {
  // expected-error @+2 {{the operator Conv is not supported for ('tensor<2x3xf32>', 'tensor<1x1x1xf32>') -> ('tensor<2x3xf32>')}}
  // expected-note @+1 {{expects operands of one known rank, 3 or more}}
  %0 = onnx.Conv(%x, %w) : (tensor<2x3xf32>, tensor<1x1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Of a scalar there is nothing to scan.
func.func @scanned_scalar(%s: tensor<2xf32>, %x: tensor<f32>) -> tensor<2xf32> {
  // expected-error @+2 {{the operator Scan is not supported}}
  // expected-note @+1 {{axis is out of range}}
  %y = onnx.Scan(%s, %x) {num_scan_inputs = 1 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32> body {
  ^bb0(%state: tensor<2xf32>, %each: tensor<f32>):
    onnx.Yield %state : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// Attributes that inference does not look at.
func.func @axes(%x: tensor<?x?xf32>, %l: tensor<?xi64>, %d: tensor<i64>, %v: tensor<2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // expected-error @+2 {{the operator ReverseSequence is not supported}}
  // expected-note @+1 {{an axis is out of range}}
  %0 = onnx.ReverseSequence(%x, %l) {batch_axis = 7 : i64, time_axis = 0 : i64} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator OneHot is not supported}}
  // expected-note @+1 {{axis is out of range}}
  %1 = onnx.OneHot(%l, %d, %v) {axis = -9 : i64} : (tensor<?xi64>, tensor<i64>, tensor<2xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @groups(%x: tensor<1x2x5x5xui8>, %w: tensor<3x2x3x3xui8>) -> tensor<1x3x3x3xi32> {
  // expected-error @+2 {{the operator ConvInteger is not supported}}
  // expected-note @+1 {{group is out of range}}
  %0 = onnx.ConvInteger(%x, %w) {group = 0 : i64} : (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>) -> tensor<1x3x3x3xi32>
  return %0 : tensor<1x3x3x3xi32>
}

func.func @hidden(%x: tensor<4x2x3xf32>, %w: tensor<1x0x3xf32>, %r: tensor<1x0x0xf32>) -> tensor<4x1x2x0xf32> {
  // expected-error @+2 {{the operator RNN is not supported}}
  // expected-note @+1 {{hidden size is out of range}}
  %0 = onnx.RNN(%x, %w, %r) {hidden_size = 0 : i64} : (tensor<4x2x3xf32>, tensor<1x0x3xf32>, tensor<1x0x0xf32>) -> Y tensor<4x1x2x0xf32>
  return %0 : tensor<4x1x2x0xf32>
}

// Complex numbers have no order.
func.func @least_of_complex_numbers(%data: tensor<5xcomplex<f32>>, %indices: tensor<3xi64>, %updates: tensor<3xcomplex<f32>>, %rows: tensor<3x1xi64>) -> (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) {
  // expected-error @+2 {{the operator ScatterElements is not supported}}
  // expected-note @+1 {{elements have no such reduction}}
  %0 = onnx.ScatterElements(%data, %indices, %updates) {reduction = "min"} : (tensor<5xcomplex<f32>>, tensor<3xi64>, tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  // expected-error @+2 {{the operator ScatterND is not supported}}
  // expected-note @+1 {{elements have no such reduction}}
  %1 = onnx.ScatterND(%data, %rows, %updates) {reduction = "max"} : (tensor<5xcomplex<f32>>, tensor<3x1xi64>, tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %0, %1 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
}

// Attributes and types of single operators.
func.func @imputer(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{the operator ml.Imputer is not supported}}
  // expected-note @+1 {{no values to impute}}
  %0 = onnx.ml.Imputer(%x) {replaced_value_float = 0.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @trees(%x: tensor<16x2xf32>, %y: tensor<4x2xf64>) -> (tensor<16x1xf32>, tensor<4x1xf64>, tensor<4x1xf64>) {
  // expected-error @+2 {{the operator ml.TreeEnsembleRegressor is not supported}}
  // expected-note @+1 {{aggregate_function is none of SUM, AVERAGE, MIN and MAX}}
  %0 = onnx.ml.TreeEnsembleRegressor(%x) {aggregate_function = "MEDIAN"} : (tensor<16x2xf32>) -> tensor<16x1xf32>
  // expected-error @+2 {{the operator ml.TreeEnsemble is not supported}}
  // expected-note @+1 {{post_transform is not 0 to 4}}
  %1 = onnx.ml.TreeEnsemble(%y) {post_transform = 9 : i64, leaf_targetids = array<i64: 0>, leaf_weights = dense<2.0> : tensor<1xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 0>, nodes_featureids = array<i64: 1>, nodes_modes = dense<1> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  // expected-error @+2 {{the operator ml.TreeEnsemble is not supported}}
  // expected-note @+1 {{aggregate_function is not 0 to 3}}
  %2 = onnx.ml.TreeEnsemble(%y) {aggregate_function = 9 : i64, leaf_targetids = array<i64: 0>, leaf_weights = dense<2.0> : tensor<1xf64>, n_targets = 1 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 0>, nodes_featureids = array<i64: 1>, nodes_modes = dense<1> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf64>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>} : (tensor<4x2xf64>) -> tensor<4x1xf64>
  return %0, %1, %2 : tensor<16x1xf32>, tensor<4x1xf64>, tensor<4x1xf64>
}

func.func @support_vectors(%x: tensor<4x2xf32>) -> tensor<4x1xf32> {
  // expected-error @+2 {{the operator ml.SVMRegressor is not supported}}
  // expected-note @+1 {{coefficients, support vectors and names do not fit together}}
  %0 = onnx.ml.SVMRegressor(%x) {coefficients = array<f32: 1.0, -1.0>, kernel_type = "CHI2", n_supports = 2 : i64, rho = array<f32: 0.25>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0>} : (tensor<4x2xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// The sum of the numbers of vectors is not a number of 64 bits.
func.func @support_vectors_beyond_counting(%x: tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>) {
  // expected-error @+2 {{the operator ml.SVMClassifier is not supported}}
  // expected-note @+1 {{do not fit together}}
  %0, %1 = onnx.ml.SVMClassifier(%x) {classlabels_ints = array<i64: 7, 5>, coefficients = array<f32: 1.0, -1.0, 0.5, 2.0>, kernel_params = array<f32: 0.5, 0.1, 2.0>, kernel_type = "RBF", rho = array<f32: 0.25>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0>, vectors_per_class = array<i64: 2, 9223372036854775807>} : (tensor<4x2xf32>) -> (tensor<4xi64>, tensor<4x2xf32>)
  return %0, %1 : tensor<4xi64>, tensor<4x2xf32>
}

func.func @image(%x: tensor<1x5x5xf32>, %i: tensor<2xi64>, %b: tensor<2xi64>) -> tensor<1x1x5x5xf32> {
  // expected-error @+2 {{the operator Col2Im is not supported}}
  // expected-note @+1 {{strides or dilations below 1}}
  %0 = onnx.Col2Im(%x, %i, %b) {strides = array<i64: 0, 1>} : (tensor<1x5x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x5x5xf32>
  return %0 : tensor<1x1x5x5xf32>
}

func.func @samples(%x: tensor<2x7xf32>) -> tensor<2x?xi32> {
  // expected-error @+2 {{the operator Multinomial is not supported}}
  // expected-note @+1 {{sample_size is negative}}
  %0 = onnx.Multinomial(%x) {sample_size = -1 : i64} : (tensor<2x7xf32>) -> tensor<2x?xi32>
  return %0 : tensor<2x?xi32>
}

func.func @blocks(%x: tensor<3x5xi8>, %s: tensor<3x3xf32>, %v: tensor<i8>, %w: tensor<3xf32>) -> (tensor<3x5xf32>, tensor<f32>) {
  // expected-error @+2 {{the operator DequantizeLinear is not supported}}
  // expected-note @+1 {{block_size is negative}}
  %0 = onnx.DequantizeLinear(%x, %s) {axis = 1 : i64, block_size = -2 : i64} : (tensor<3x5xi8>, tensor<3x3xf32>) -> tensor<3x5xf32>
  // expected-error @+2 {{the operator DequantizeLinear is not supported}}
  // expected-note @+1 {{scalar with a vector of scales}}
  %1 = onnx.DequantizeLinear(%v, %w) : (tensor<i8>, tensor<3xf32>) -> tensor<f32>
  return %0, %1 : tensor<3x5xf32>, tensor<f32>
}

func.func @cells(%x: tensor<7x2x3xf16>, %w: tensor<1x4x3xf16>, %r: tensor<1x4x4xf16>, %y: tensor<7x2x3xf32>, %v: tensor<1x?x3xf32>, %s: tensor<1x?x?xf32>) -> (tensor<1x2x4xf16>, tensor<1x2x?xf32>) {
  // expected-error @+2 {{the operator RNN is not supported}}
  // expected-note @+1 {{element type is not f32 or f64}}
  %0 = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64} : (tensor<7x2x3xf16>, tensor<1x4x3xf16>, tensor<1x4x4xf16>) -> Y_h tensor<1x2x4xf16>
  // expected-error @+2 {{the operator RNN is not supported}}
  // expected-note @+1 {{hidden size is not known}}
  %1 = onnx.RNN(%y, %v, %s) : (tensor<7x2x3xf32>, tensor<1x?x3xf32>, tensor<1x?x?xf32>) -> Y_h tensor<1x2x?xf32>
  return %0, %1 : tensor<1x2x4xf16>, tensor<1x2x?xf32>
}

func.func @tokens(%x: tensor<3xi64>, %t: tensor<3x!onnx.string>) -> (tensor<2xf32>, tensor<3x?x!onnx.string>) {
  // expected-error @+2 {{the operator TfIdfVectorizer is not supported}}
  // expected-note @+1 {{no n-grams to count}}
  %0 = onnx.TfIdfVectorizer(%x) {max_gram_length = 1 : i64, max_skip_count = -1 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 1>, pool_int64s = array<i64: 1, 2>} : (tensor<3xi64>) -> tensor<2xf32>
  // expected-error @+2 {{the operator microsoft.Tokenizer is not supported}}
  // expected-note @+1 {{one of the separators is empty}}
  %1 = onnx.microsoft.Tokenizer(%t) {mark = 0 : i64, mincharnum = 2 : i64, pad_value = "#", separators = [" ", ""]} : (tensor<3x!onnx.string>) -> tensor<3x?x!onnx.string>
  return %0, %1 : tensor<2xf32>, tensor<3x?x!onnx.string>
}

func.func @matrices(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  // expected-error @+2 {{the operator Det is not supported}}
  // expected-note @+1 {{operand is not a matrix}}
  %0 = onnx.Det(%x) : (tensor<3xf32>) -> tensor<f32>
  // expected-error @+2 {{the operator Trilu is not supported}}
  // expected-note @+1 {{operand is not a matrix}}
  %1 = onnx.Trilu(%y) : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<f32>, tensor<3xf32>
}

func.func @einsum(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{the operator Einsum is not supported}}
  // expected-note @+1 {{the equation is none, or not one for these ranks}}
  %0 = onnx.Einsum(%x) {equation = "ijk->i"} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @resize(%x: tensor<4xf32>, %r: tensor<0xf32>) -> (tensor<?xf32>, tensor<8xf32>) {
  // expected-error @+2 {{the operator Resize is not supported}}
  // expected-note @+1 {{neither sizes nor scales}}
  %0 = onnx.Resize(%x) : (tensor<4xf32>) -> tensor<?xf32>
  %s = onnx.Constant dense<8> : tensor<1xi64>
  // expected-error @+2 {{the operator Resize is not supported}}
  // expected-note @+1 {{no region to crop}}
  %1 = onnx.Resize(%x) sizes(%s) {mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %0, %1 : tensor<?xf32>, tensor<8xf32>
}

func.func @recurrent(%x: tensor<5x2x3xf32>, %w: tensor<4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  // expected-error @+2 {{the operator RNN is not supported}}
  // expected-note @+1 {{expects input 'W' to have rank 3, but it has rank 2}}
  %y = onnx.RNN(%x, %w, %r) {hidden_size = 4 : i64} : (tensor<5x2x3xf32>, tensor<4x3xf32>, tensor<1x4x4xf32>) -> Y tensor<5x1x2x4xf32>
  return %y : tensor<5x1x2x4xf32>
}

// A gradient or a state has the type of its tensor; of two tensors each has its
// own.
func.func @gradients(%r: tensor<f32>, %t: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2x3xf64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x3xf64>, tensor<2x3xf64>) {
  // expected-error @+2 {{the operator training.Momentum is not supported}}
  // expected-note @+1 {{value 2 of input 'inputs' differs in type or rank from value 1 of input 'inputs', which it belongs to}}
  %0:2 = onnx.training.Momentum(%r, %t) inputs(%x, %y, %x) {alpha = 0.9 : f32, beta = 0.1 : f32, mode = "standard", norm_coefficient = 0.0 : f32} : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2x3xf64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-error @+2 {{the operator training.Momentum is not supported}}
  // expected-note @+1 {{value 6 of input 'inputs' differs in type or rank from value 2 of input 'inputs', which it belongs to}}
  %1:4 = onnx.training.Momentum(%r, %t) inputs(%x, %y, %x, %y, %x, %x) {alpha = 0.9 : f32, beta = 0.1 : f32, mode = "standard", norm_coefficient = 0.0 : f32} : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2x3xf64>, tensor<2xf32>, tensor<2x3xf64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x3xf64>, tensor<2xf32>, tensor<2x3xf64>)
  return %0#0, %0#1, %1#1, %1#3 : tensor<2xf32>, tensor<2xf32>, tensor<2x3xf64>, tensor<2x3xf64>
}
