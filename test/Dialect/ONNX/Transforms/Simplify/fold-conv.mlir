// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// variance + epsilon = 4: y = (conv - 1) * 6 / 2 + 5 = conv * 3 + 2
// CHECK-LABEL: func @batch_normalization
// CHECK-DAG:     %[[W:.+]] = onnx.Constant dense<6.000000e+00> : tensor<1x1x1xf32>
// CHECK-DAG:     %[[B:.+]] = onnx.Constant dense<3.200000e+01> : tensor<1xf32>
// CHECK:         onnx.Conv(%arg0, %[[W]]) B(%[[B]])
// CHECK-NEXT:    return
func.func @batch_normalization(%x: tensor<1x1x4xf32>) -> none {
  %w = onnx.Constant dense<2.0> : tensor<1x1x1xf32>
  %b = onnx.Constant dense<10.0> : tensor<1xf32>
  %0 = onnx.Conv(%x, %w) B(%b) : (tensor<1x1x4xf32>, tensor<1x1x1xf32>, tensor<1xf32>) -> none
  %scale = onnx.Constant dense<6.0> : tensor<1xf32>
  %shift = onnx.Constant dense<5.0> : tensor<1xf32>
  %mean = onnx.Constant dense<1.0> : tensor<1xf32>
  %var = onnx.Constant dense<3.5> : tensor<1xf32>
  %1 = onnx.BatchNormalization(%0, %scale, %shift, %mean, %var) {epsilon = 0.5 : f32}
      : (none, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> none
  return %1 : none
}

// -----

// A factor and a summand of each channel; the filter of a transposed
// convolution has its output channels second.
// CHECK-LABEL: func @channels
// CHECK-DAG:     %[[W0:.+]] = onnx.Constant dense<{{\[\[\[}}2.000000e+00]], {{\[\[}}3.000000e+00]]]> : tensor<2x1x1xf32>
// CHECK-DAG:     %[[B0:.+]] = onnx.Constant dense<7.000000e+00> : tensor<2xf32>
// CHECK-DAG:     %[[W1:.+]] = onnx.Constant dense<{{\[\[\[}}2.000000e+00], [3.000000e+00]]]> : tensor<1x2x1xf32>
// CHECK-DAG:     onnx.Conv(%arg0, %[[W0]]) B(%[[B0]])
// CHECK-DAG:     onnx.ConvTranspose(%arg0, %[[W1]])
func.func @channels(%x: tensor<1x1x4xf32>) -> (none, none) {
  %w0 = onnx.Constant dense<1.0> : tensor<2x1x1xf32>
  %w1 = onnx.Constant dense<1.0> : tensor<1x2x1xf32>
  %factor = onnx.Constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
  %summand = onnx.Constant dense<7.0> : tensor<f32>
  %0 = onnx.Conv(%x, %w0) : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> none
  %1 = onnx.Mul(%factor, %0) : (tensor<2x1xf32>, none) -> none
  %2 = onnx.Add(%1, %summand) : (none, tensor<f32>) -> none
  %3 = onnx.ConvTranspose(%x, %w1) : (tensor<1x1x4xf32>, tensor<1x2x1xf32>) -> none
  %4 = onnx.Mul(%3, %factor) : (none, tensor<2x1xf32>) -> none
  return %2, %4 : none, none
}

// -----

// A constant that is not of the channels; weights that are not constants.
// CHECK-LABEL: func @no_fold
// CHECK:         onnx.Mul
// CHECK:         onnx.Mul
func.func @no_fold(%x: tensor<1x1x4xf32>, %v: tensor<2x1x1xf32>) -> (none, none) {
  %w = onnx.Constant dense<1.0> : tensor<2x1x1xf32>
  %along = onnx.Constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %0 = onnx.Conv(%x, %w) : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> none
  %1 = onnx.Mul(%0, %along) : (none, tensor<4xf32>) -> none
  %2 = onnx.Conv(%x, %v) : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> none
  %3 = onnx.Mul(%2, %two) : (none, tensor<f32>) -> none
  return %1, %3 : none, none
}

// -----

// A convolution with another user; a transposed one in groups; a normalization
// that is training.
// CHECK-LABEL: func @no_fold_either
// CHECK:         onnx.Mul
// CHECK:         onnx.Mul
// CHECK:         onnx.BatchNormalization
func.func @no_fold_either(%x: tensor<1x2x4xf32>) -> (none, none, none, none) {
  %w = onnx.Constant dense<1.0> : tensor<2x2x1xf32>
  %two = onnx.Constant dense<2.0> : tensor<f32>
  %0 = onnx.Conv(%x, %w) : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> none
  %1 = onnx.Mul(%0, %two) : (none, tensor<f32>) -> none
  %2 = onnx.ConvTranspose(%x, %w) {group = 2 : i64} : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> none
  %3 = onnx.Mul(%2, %two) : (none, tensor<f32>) -> none
  %v = onnx.Constant dense<3.0> : tensor<2xf32>
  %4 = onnx.Conv(%x, %w) {strides = array<i64: 2>} : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> none
  %5, %mean, %var = onnx.BatchNormalization(%4, %v, %v, %v, %v) {training_mode = 1 : i64}
      : (none, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> none running_mean none running_var none
  return %0, %1, %3, %5 : none, none, none, none
}
