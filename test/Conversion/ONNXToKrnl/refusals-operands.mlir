// RUN: onnx-opt %s --convert-onnx-to-krnl --verify-diagnostics

// Operands of ranks and sizes that inference lets pass, and that no kernel is for.
func.func @ranks(%x: tensor<2x3xf32>, %y: tensor<2x3x4xf32>, %i: tensor<2x3xi64>, %z: tensor<1x1x4x4xf32>, %u: tensor<4xf32>, %s: tensor<2xi64>, %n: tensor<3x?xi64>) {
  // expected-error @+2 {{the operator Gemm is not supported}}
  // expected-note @+1 {{operand is not of rank 2}}
  %0 = onnx.Gemm(%y, %x) : (tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator GridSample is not supported}}
  // expected-note @+1 {{ranks do not fit}}
  %1 = onnx.GridSample(%x, %y) : (tensor<2x3xf32>, tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator MaxRoiPool is not supported}}
  // expected-note @+1 {{ranks do not fit}}
  %2 = onnx.MaxRoiPool(%x, %x) {pooled_shape = array<i64: 2, 2>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?x?x?xf32>
  // expected-error @+2 {{the operator RoiAlign is not supported}}
  // expected-note @+1 {{ranks do not fit}}
  %3 = onnx.RoiAlign(%x, %x, %s) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?x?x?xf32>
  // expected-error @+2 {{the operator DeformConv is not supported}}
  // expected-note @+1 {{ranks do not fit}}
  %4 = onnx.DeformConv(%z, %x, %z) : (tensor<1x1x4x4xf32>, tensor<2x3xf32>, tensor<1x1x4x4xf32>) -> tensor<?x?x?x?xf32>
  // expected-error @+2 {{the operator DeformConv is not supported}}
  // expected-note @+1 {{channels do not divide into offset groups}}
  %5 = onnx.DeformConv(%z, %z, %z) {offset_group = 2 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<?x?x?x?xf32>
  // expected-error @+2 {{the operator Col2Im is not supported}}
  // expected-note @+1 {{operand is not of rank 3}}
  %6 = onnx.Col2Im(%x, %s, %s) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?x?xf32>
  // expected-error @+2 {{the operator NonMaxSuppression is not supported}}
  // expected-note @+1 {{operand is not of rank 3}}
  %7 = onnx.NonMaxSuppression(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x3xi64>
  // expected-error @+2 {{the operator ScatterElements is not supported}}
  // expected-note @+1 {{ranks and axis do not agree}}
  %8 = onnx.ScatterElements(%y, %i, %x) : (tensor<2x3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  // expected-error @+2 {{the operator GatherND is not supported}}
  // expected-note @+1 {{the rank of a result is not known}}
  %9 = onnx.GatherND(%x, %n) : (tensor<2x3xf32>, tensor<3x?xi64>) -> tensor<*xf32>
  // expected-error @+2 {{the operator OneHot is not supported}}
  // expected-note @+1 {{values are not a list}}
  %10 = onnx.OneHot(%s, %s, %x) : (tensor<2xi64>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator Multinomial is not supported}}
  // expected-note @+1 {{operand is not of rank 2}}
  %11 = onnx.Multinomial(%u) : (tensor<4xf32>) -> tensor<?x?xi32>
  // expected-error @+2 {{the operator TensorScatter is not supported}}
  // expected-note @+1 {{expects operands of one rank}}
  %12 = onnx.TensorScatter(%y, %x) : (tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  // expected-error @+2 {{the operator CausalConvWithState is not supported}}
  // expected-note @+1 {{ranks are not 3}}
  %13:2 = onnx.CausalConvWithState(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

func.func @operands(%x: tensor<2x3xf32>, %f: tensor<f32>, %d: tensor<?xi64>, %e: tensor<?x?x?xf32>, %i: tensor<2x3xi64>, %s: tensor<2xi64>, %b: tensor<2x3xui8>, %t: tensor<2x!onnx.string>, %k: tensor<1xi64>, %r: tensor<f32>, %n: tensor<i64>, %m: tensor<2x2xi64>, %y: tensor<1x4x4x!onnx.string>) {
  // expected-error @+2 {{the operator MatMul is not supported}}
  // expected-note @+1 {{operand is of rank 0}}
  %0 = onnx.MatMul(%f, %x) : (tensor<f32>, tensor<2x3xf32>) -> tensor<?xf32>
  // expected-error @+2 {{the operator Col2Im is not supported}}
  // expected-note @+1 {{the rank of a result is not known}}
  %1 = onnx.Col2Im(%e, %d, %d) : (tensor<?x?x?xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+2 {{the operator ScatterND is not supported}}
  // expected-note @+1 {{ranks do not agree}}
  %2 = onnx.ScatterND(%x, %i, %f) : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>) -> tensor<2x3xf32>
  // expected-error @+2 {{the operator ImageDecoder is not supported}}
  // expected-note @+1 {{the file is not one row}}
  %3 = onnx.ImageDecoder(%b) : (tensor<2x3xui8>) -> tensor<?x?x3xui8>
  // expected-error @+2 {{the operator ml.ArrayFeatureExtractor is not supported}}
  // expected-note @+1 {{operand is of rank 0}}
  %4 = onnx.ml.ArrayFeatureExtractor(%f, %s) : (tensor<f32>, tensor<2xi64>) -> tensor<?xf32>
  // expected-error @+2 {{the operator training.Adagrad is not supported}}
  // expected-note @+1 {{incomplete set of tensors}}
  %5:2 = onnx.training.Adagrad(%r, %n) inputs(%x, %x, %x, %x) : (tensor<f32>, tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // expected-error @+2 {{the operator MaxPool is not supported}}
  // expected-note @+1 {{operand has no spatial dims}}
  %6 = onnx.MaxPool(%x) {kernel_shape = array<i64: 2, 2>} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator Resize is not supported}}
  // expected-note @+1 {{elements that are not numbers}}
  %7 = onnx.Resize(%t) sizes(%k) {mode = "linear"} : (tensor<2x!onnx.string>, tensor<1xi64>) -> tensor<?x!onnx.string>
  // expected-error @+2 {{the operator SplitToSequence is not supported}}
  // expected-note @+1 {{split is not a scalar or vector}}
  %8 = onnx.SplitToSequence(%x) split(%m) : (tensor<2x3xf32>, tensor<2x2xi64>) -> !onnx.seq<tensor<*xf32>>
  // expected-error @+2 {{the operator LpPool is not supported}}
  // expected-note @+1 {{operand has no spatial dims}}
  %9 = onnx.LpPool(%x) {kernel_shape = array<i64: 2, 2>} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator Col2Im is not supported}}
  // expected-note @+1 {{strings have no sum}}
  %10 = onnx.Col2Im(%y, %s, %s) : (tensor<1x4x4x!onnx.string>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x?x?x!onnx.string>
  return
}

func.func @axes(%x: tensor<2x3xf32>, %f: tensor<f32>, %u: tensor<4xf32>, %n: tensor<i64>, %z: tensor<1x1x4x4xf32>, %t: tensor<2x2x2x!onnx.string>) {
  // expected-error @+2 {{the operator SpaceToDepth is not supported}}
  // expected-note @+1 {{rank is not 4}}
  %0 = onnx.SpaceToDepth(%x) {blocksize = 2 : i64} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator DepthToSpace is not supported}}
  // expected-note @+1 {{rank is not 4}}
  %1 = onnx.DepthToSpace(%x) {blocksize = 2 : i64} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator BatchNormalization is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %2 = onnx.BatchNormalization(%f, %u, %u, %u, %u) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error @+2 {{the operator InstanceNormalization is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %3 = onnx.InstanceNormalization(%f, %u, %u) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error @+2 {{the operator GroupNormalization is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %4 = onnx.GroupNormalization(%f, %u, %u) {num_groups = 2 : i64} : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error @+2 {{the operator ArgMax is not supported}}
  // expected-note @+1 {{operand has no axis}}
  %5 = onnx.ArgMax(%f) : (tensor<f32>) -> tensor<i64>
  // expected-error @+2 {{the operator Softmax is not supported}}
  // expected-note @+1 {{operand has no axis}}
  %6 = onnx.Softmax(%f) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{the operator Hardmax is not supported}}
  // expected-note @+1 {{operand has no axis}}
  %7 = onnx.Hardmax(%f) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{the operator GlobalAveragePool is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %8 = onnx.GlobalAveragePool(%u) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{the operator STFT is not supported}}
  // expected-note @+1 {{the signal's rank is not 3}}
  %9 = onnx.STFT(%x, %n) window(%u) : (tensor<2x3xf32>, tensor<i64>, tensor<4xf32>) -> tensor<?x?x?x2xf32>
  // expected-error @+2 {{the operator DFT is not supported}}
  // expected-note @+1 {{operand has fewer than 2 axes}}
  %10 = onnx.DFT(%u) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{the operator TfIdfVectorizer is not supported}}
  // expected-note @+1 {{expects tokens in rows}}
  %11 = onnx.TfIdfVectorizer(%t) {max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0>, pool_strings = ["a"]} : (tensor<2x2x2x!onnx.string>) -> tensor<?x?x1xf32>
  // expected-error @+2 {{the operator StringNormalizer is not supported}}
  // expected-note @+1 {{expects one row of strings}}
  %12 = onnx.StringNormalizer(%t) : (tensor<2x2x2x!onnx.string>) -> tensor<?x!onnx.string>
  // expected-error @+2 {{the operator LRN is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %13 = onnx.LRN(%u) {size = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{the operator LpNormalization is not supported}}
  // expected-note @+1 {{axis is out of range}}
  %14 = onnx.LpNormalization(%f) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{the operator GlobalMaxPool is not supported}}
  // expected-note @+1 {{operand has no channels}}
  %15 = onnx.GlobalMaxPool(%f) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{the operator QuantizeLinear is not supported}}
  // expected-note @+1 {{scale has another rank}}
  %16 = onnx.QuantizeLinear(%x, %z) : (tensor<2x3xf32>, tensor<1x1x4x4xf32>) -> tensor<2x3xui8>
  return
}

// Ranks that the lowering of an operator excludes.
func.func @excluded(%x: tensor<2x3xf32>, %f: tensor<f32>, %k: tensor<2x2xi64>, %b: tensor<2x2xi1>, %n: tensor<i64>, %s: tensor<?xi64>, %t: tensor<2x3x4xf32>) {
  // expected-error @+2 {{the operator TopK is not supported}}
  // expected-note @+1 {{K is not a scalar or vector}}
  %0:2 = onnx.TopK(%x, %k) : (tensor<2x3xf32>, tensor<2x2xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  // expected-error @+2 {{the operator Compress is not supported}}
  // expected-note @+1 {{condition is not of rank 1}}
  %1 = onnx.Compress(%x, %b) : (tensor<2x3xf32>, tensor<2x2xi1>) -> tensor<?xf32>
  // expected-error @+2 {{the operator CumSum is not supported}}
  // expected-note @+1 {{the axis is not a scalar or vector}}
  %2 = onnx.CumSum(%x, %k) : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x3xf32>
  // expected-error @+2 {{the operator ScatterND is not supported}}
  // expected-note @+1 {{indices are of rank 0}}
  %3 = onnx.ScatterND(%x, %n, %f) : (tensor<2x3xf32>, tensor<i64>, tensor<f32>) -> tensor<2x3xf32>
  // expected-error @+2 {{the operator AffineGrid is not supported}}
  // expected-note @+1 {{the grid has neither 2 nor 3 spatial dimensions}}
  %4 = onnx.AffineGrid(%t, %s) : (tensor<2x3x4xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  // expected-error @+3 {{the operator Squeeze is not supported}}
  // expected-note @+2 {{the result has more dimensions than the operand}}
  // expected-note @+1 {{the rank is known}}
  %5 = onnx.Squeeze(%x) axes(%s) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  // expected-error @+2 {{the operator Unsqueeze is not supported}}
  // expected-note @+1 {{the result has fewer dimensions than the operand}}
  %6 = onnx.Unsqueeze(%x, %s) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @added_dimensions(%x: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %axes = onnx.Constant dense<1> : tensor<1xi64>
  // expected-error @+2 {{the operator Unsqueeze is not supported for ('tensor<?xf32>', 'tensor<1xi64>') -> ('tensor<?x?x?xf32>')}}
  // expected-note @+1 {{the result has not a dimension more for each axis}}
  %y = onnx.Unsqueeze(%x, %axes) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
