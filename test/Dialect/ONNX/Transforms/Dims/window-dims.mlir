// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Two strided convolutions: the divisions become one.
// CHECK-LABEL: func @convolutions
// CHECK:         ["1", "8", "(h + 1) floordiv 2", "w"]
// CHECK:         ["1", "8", "(h + 3) floordiv 4", "w"]
func.func @convolutions(%x: tensor<1x8x?x?xf32> {onnx.dims = ["", "", "h", "w"]},
                        %w: tensor<8x8x3x3xf32>) -> none {
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 1>}
      : (tensor<1x8x?x?xf32>, tensor<8x8x3x3xf32>) -> none
  %1 = onnx.Conv(%0, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2, 1>}
      : (none, tensor<8x8x3x3xf32>) -> none
  return %1 : none
}

// -----

// CHECK-LABEL: func @pools
// CHECK:         onnx.MaxPool{{.*}}["1", "8", "h floordiv 2"]
// CHECK:         onnx.ConvTranspose{{.*}}["1", "4", "h * 2"]
func.func @pools(%x: tensor<1x8x?xf32> {onnx.dims = ["", "", "h"]},
                 %w: tensor<8x4x2xf32>) -> (none, none) {
  %0 = onnx.MaxPool(%x) {kernel_shape = array<i64: 2>, strides = array<i64: 2>}
      : (tensor<1x8x?xf32>) -> (none)
  %1 = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>}
      : (tensor<1x8x?xf32>, tensor<8x4x2xf32>) -> none
  return %0, %1 : none, none
}

// -----

// Dilated windows reach further; those of pools too.
// CHECK-LABEL: func @dilations
// CHECK:         onnx.Conv{{.*}}["n", "8", "h - 4"]
// CHECK:         onnx.AveragePool{{.*}}["n", "8", "h - 6"]
func.func @dilations(%x: tensor<?x8x?xf32> {onnx.dims = ["n", "", "h"]},
                     %w: tensor<8x8x3xf32>) -> (none, none) {
  %0 = onnx.Conv(%x, %w) {dilations = array<i64: 2>} : (tensor<?x8x?xf32>, tensor<8x8x3xf32>) -> none
  %1 = onnx.AveragePool(%x) {dilations = array<i64: 3>, kernel_shape = array<i64: 3>}
      : (tensor<?x8x?xf32>) -> none
  return %0, %1 : none, none
}

// -----

// Rounded up, the last window may begin in the padding and is left out then:
// their number is dynamic.
// CHECK-LABEL: func @rounded_up
// CHECK:         onnx.MaxPool{{.*}}["1", "8", "u{{[0-9]+}}"]
// CHECK:         onnx.MaxPool{{.*}}["1", "8", "h - 1"]
func.func @rounded_up(%x: tensor<1x8x?xf32> {onnx.dims = ["", "", "h"]}) -> (none, none) {
  %0 = onnx.MaxPool(%x) {ceil_mode = 1 : i64, kernel_shape = array<i64: 2>, strides = array<i64: 2>}
      : (tensor<1x8x?xf32>) -> (none)
  %1 = onnx.MaxPool(%x) {ceil_mode = 1 : i64, kernel_shape = array<i64: 2>}
      : (tensor<1x8x?xf32>) -> (none)
  return %0, %1 : none, none
}

// -----

// The groups of a transposed convolution multiply its channels; "same" padding
// gives as many elements as the strides say.
// CHECK-LABEL: func @transposed
// CHECK:         onnx.ConvTranspose{{.*}}["n", "8", "h * 2 + 2"]
// CHECK:         onnx.ConvTranspose{{.*}}["n", "4", "h * 2"]
func.func @transposed(%x: tensor<?x8x?xf32> {onnx.dims = ["n", "", "h"]},
                      %w: tensor<8x4x3xf32>) -> (none, none) {
  %0 = onnx.ConvTranspose(%x, %w) {group = 2 : i64, output_padding = array<i64: 1>, strides = array<i64: 2>}
      : (tensor<?x8x?xf32>, tensor<8x4x3xf32>) -> none
  %1 = onnx.ConvTranspose(%x, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2>}
      : (tensor<?x8x?xf32>, tensor<8x4x3xf32>) -> none
  return %0, %1 : none, none
}
