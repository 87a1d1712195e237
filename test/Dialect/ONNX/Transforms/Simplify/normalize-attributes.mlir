// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @window
// CHECK:         onnx.Conv
// CHECK-SAME:      dilations = array<i64: 1, 1>
// CHECK-SAME:      kernel_shape = array<i64: 5, 3>
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
// CHECK-SAME:      strides = array<i64: 1, 1>
func.func @window(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x5x3xf32>) -> none {
  %y = onnx.Conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<4x3x5x3xf32>) -> none
  return %y : none
}

// -----

// 8 by strides of 2: the result is 4, (4 - 1) * 2 + 3 - 8 = 1 is missing.
// CHECK-LABEL: func @same_upper
// CHECK-NOT:     auto_pad
// CHECK:         pads = array<i64: 0, 1>
func.func @same_upper(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> none {
  %y = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2>}
      : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> none
  return %y : none
}

// -----

// CHECK-LABEL: func @same_lower
// CHECK:         onnx.MaxPool{{.*}}pads = array<i64: 1, 0>
func.func @same_lower(%x: tensor<1x3x8xf32>) -> none {
  %y = onnx.MaxPool(%x) {auto_pad = "SAME_LOWER", kernel_shape = array<i64: 3>, strides = array<i64: 2>}
      : (tensor<1x3x8xf32>) -> (none)
  return %y : none
}

// -----

// With a stride of one the padding is the same for every size; with two it
// is not.
// CHECK-LABEL: func @same_dynamic
// CHECK:         onnx.Conv{{.*}}pads = array<i64: 1, 1>
// CHECK:         onnx.Conv{{.*}}auto_pad = "SAME_UPPER"
func.func @same_dynamic(%x: tensor<1x3x?xf32>, %w: tensor<4x3x3xf32>) -> (none, none) {
  %0 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER"} : (tensor<1x3x?xf32>, tensor<4x3x3xf32>) -> none
  %1 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2>}
      : (tensor<1x3x?xf32>, tensor<4x3x3xf32>) -> none
  return %0, %1 : none, none
}

// -----

// stride * (size - 1) + kernel - wanted = 2 * 3 + 3 - 8 = 1
// CHECK-LABEL: func @transposed
// CHECK:         onnx.ConvTranspose
// CHECK-NOT:     output_shape
// CHECK-SAME:      pads = array<i64: 1, 0>
// CHECK-SAME:      -> tensor<1x4x8xf32>
func.func @transposed(%x: tensor<1x3x4xf32>, %w: tensor<3x4x3xf32>) -> none {
  %y = onnx.ConvTranspose(%x, %w) {output_shape = array<i64: 8>, strides = array<i64: 2>}
      : (tensor<1x3x4xf32>, tensor<3x4x3xf32>) -> none
  return %y : none
}

// -----

// 9 is more than 2 * 3 + 1 * 2 = 8 can give: the shape is not from padding.
// CHECK-LABEL: func @transposed_larger
// CHECK:         onnx.ConvTranspose{{.*}}output_shape = array<i64: 10>
func.func @transposed_larger(%x: tensor<1x3x4xf32>, %w: tensor<3x4x3xf32>) -> none {
  %y = onnx.ConvTranspose(%x, %w) {output_shape = array<i64: 10>, strides = array<i64: 2>}
      : (tensor<1x3x4xf32>, tensor<3x4x3xf32>) -> none
  return %y : none
}

// -----

// CHECK-LABEL: func @constants
// CHECK-DAG:     onnx.Constant dense<[1, 2]> : tensor<2xi64>
// CHECK-DAG:     onnx.Constant dense<5.000000e-01> : tensor<f32>
func.func @constants() -> (none, none) {
  %0 = "onnx.Constant"() {value_ints = array<i64: 1, 2>} : () -> tensor<2xi64>
  %1 = "onnx.Constant"() {value_float = 0.5 : f32} : () -> tensor<f32>
  %2 = onnx.Identity(%0) : (tensor<2xi64>) -> none
  %3 = onnx.Identity(%1) : (tensor<f32>) -> none
  return %2, %3 : none, none
}

// -----

// floor of the middle of an element, as converters of TensorFlow ask for it;
// half_pixel is what a Resize without a mode has.
// CHECK-LABEL: func @old_coordinates
// CHECK:         onnx.Resize(%{{.*}}) scales(%{{.*}}) {nearest_mode = "round_prefer_ceil"}
func.func @old_coordinates(%x: tensor<1x1x3x3xf32>, %scales: tensor<4xf32>) -> none {
  %y = onnx.Resize(%x) scales(%scales)
      {coordinate_transformation_mode = "tf_half_pixel_for_nn", mode = "nearest", nearest_mode = "floor"}
      : (tensor<1x1x3x3xf32>, tensor<4xf32>) -> none
  return %y : none
}

// -----

// No other mode rounds up half an element further on.
// CHECK-LABEL: func @old_coordinates_alone
// CHECK:         coordinate_transformation_mode = "tf_half_pixel_for_nn"
func.func @old_coordinates_alone(%x: tensor<1x1x3x3xf32>, %scales: tensor<4xf32>) -> none {
  %y = onnx.Resize(%x) scales(%scales)
      {coordinate_transformation_mode = "tf_half_pixel_for_nn", mode = "nearest", nearest_mode = "ceil"}
      : (tensor<1x1x3x3xf32>, tensor<4xf32>) -> none
  return %y : none
}

// -----

// CHECK-LABEL: func @root_mean_square
// CHECK:         onnx.RMSNormalization(%{{.*}}, %{{.*}}) {axis = 1 : i64, epsilon = 2.500000e-01 : f32}
func.func @root_mean_square(%x: tensor<2x4xf32>, %scale: tensor<4xf32>) -> none {
  %y = onnx.microsoft.SimplifiedLayerNormalization(%x, %scale) {axis = 1 : i64, epsilon = 2.5e-01 : f32}
      : (tensor<2x4xf32>, tensor<4xf32>) -> none
  return %y : none
}

// -----

// A real signal without the dimension of the parts of its numbers.
// CHECK-LABEL: func.func @signal_without_parts
// CHECK: %[[X:.+]] = onnx.{{Unsqueeze|Reshape}}({{.*}} -> tensor<2x64x1xf32>
// CHECK: onnx.STFT(%[[X]]
func.func @signal_without_parts(%x: tensor<2x64xf32>, %window: tensor<16xf32>) -> tensor<2x7x9x2xf32> {
  %step = onnx.Constant dense<8> : tensor<i64>
  %y = onnx.STFT(%x, %step) window(%window) : (tensor<2x64xf32>, tensor<i64>, tensor<16xf32>) -> tensor<2x7x9x2xf32>
  return %y : tensor<2x7x9x2xf32>
}

// -----

// A flag is 0 or 1: the function that defines a window computes with it.
// CHECK-LABEL: func.func @flags
// CHECK: onnx.HannWindow(%{{[^ ]+}}) :
// CHECK: onnx.HammingWindow(%{{[^ ]+}}) :
// CHECK: onnx.BlackmanWindow(%{{.+}}) {periodic = 0 : i64}
func.func @flags(%n: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.HannWindow(%n) {periodic = 2 : i64} : (tensor<i32>) -> tensor<?xf32>
  %1 = onnx.HammingWindow(%n) {periodic = -1 : i64} : (tensor<i32>) -> tensor<?xf32>
  %2 = onnx.BlackmanWindow(%n) {periodic = 0 : i64} : (tensor<i32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
