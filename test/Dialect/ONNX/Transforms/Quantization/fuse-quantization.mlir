// RUN: onnx-opt %s --onnx-fuse-quantization --split-input-file | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=arrowlake-s" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=DIRECT
// RUN: onnx-opt %s --select-target="triple=aarch64-linux-gnu features=+dotprod" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=DIRECT

// A convolution of dequantised bytes: borders hold the zero point, the sums of
// products have no zero point; what it adds is a sum over the weights. The scale
// of the result is part of the others, and a Relu that cuts off nothing more
// than the bytes do is gone.
// CHECK-LABEL: func.func @conv
// CHECK-DAG:     %[[ONE:.+]] = onnx.Constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[PADDED:.+]] = onnx.Pad(%arg0,
// CHECK:         %[[SUMS:.+]] = onnx.ConvInteger(%[[PADDED]], %{{.+}}) {{.*}}pads = array<i64: 0, 0, 0, 0>
// CHECK:         %[[OF_W:.+]] = onnx.ReduceSum(
// CHECK:         %[[ABOVE:.+]] = onnx.Sub(%[[SUMS]],
// CHECK:         %[[REAL:.+]] = onnx.Cast(%[[ABOVE]]) {to = 1 : i64}
// CHECK:         %[[SCALED:.+]] = onnx.Mul(%[[REAL]],
// CHECK:         %[[SHIFTED:.+]] = onnx.Add(%[[SCALED]],
// CHECK-NOT:     onnx.Relu
// CHECK:         onnx.QuantizeLinear(%[[SHIFTED]], %[[ONE]])
func.func @conv(%x: tensor<1x8x6x6xui8>) -> tensor<1x4x6x6xui8> {
  %w = onnx.Constant dense<3> : tensor<4x8x3x3xi8>
  %b = onnx.Constant dense<2.0> : tensor<4xf32>
  %xs = onnx.Constant dense<0.5> : tensor<f32>
  %xz = onnx.Constant dense<7> : tensor<ui8>
  %ws = onnx.Constant dense<[0.5, 0.25, 0.125, 2.0]> : tensor<4xf32>
  %ys = onnx.Constant dense<0.25> : tensor<f32>
  %yz = onnx.Constant dense<0> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %xs) x_zero_point(%xz) : (tensor<1x8x6x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8x6x6xf32>
  %1 = onnx.DequantizeLinear(%w, %ws) {axis = 0 : i64} : (tensor<4x8x3x3xi8>, tensor<4xf32>) -> tensor<4x8x3x3xf32>
  %2 = onnx.Conv(%0, %1) B(%b) {dilations = array<i64: 1, 1>, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %3 = onnx.Relu(%2) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %4 = onnx.QuantizeLinear(%3, %ys) y_zero_point(%yz) : (tensor<1x4x6x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x6x6xui8>
  return %4 : tensor<1x4x6x6xui8>
}

// -----

// Two signed operands: the data become unsigned, for the sum that this takes is
// one over constants. A target that multiplies them as they are has them so.
// CHECK-LABEL: func.func @signed_by_signed
// CHECK:         %[[BITS:.+]] = onnx.Cast(%arg0) {to = 2 : i64}
// CHECK:         %[[MOVED:.+]] = onnx.Add(%[[BITS]], %{{.+}}) : (tensor<3x8xui8>, tensor<ui8>)
// CHECK:         onnx.MatMulInteger(%[[MOVED]], %{{.+}}) : (tensor<3x8xui8>, tensor<8x4xi8>) -> tensor<3x4xi32>
// DIRECT-LABEL: func.func @signed_by_signed
// DIRECT-NOT:    onnx.Add
// DIRECT:        onnx.MatMulInteger(%arg0, %{{.+}}) : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
func.func @signed_by_signed(%x: tensor<3x8xi8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Unsigned weights around 128 are signed ones around 0.
// CHECK-LABEL: func.func @weights_around_the_middle
// CHECK:         %[[W:.+]] = onnx.Cast(%{{.+}}) {to = 3 : i64}
// CHECK:         %[[SUMS:.+]] = onnx.MatMulInteger(%arg0, %[[W]])
// CHECK-NEXT:    return %[[SUMS]]
// DIRECT-LABEL: func.func @weights_around_the_middle
// DIRECT:        %[[W:.+]] = onnx.Cast(%{{.+}}) {to = 3 : i64}
// DIRECT:        onnx.MatMulInteger(%arg0, %[[W]])
func.func @weights_around_the_middle(%x: tensor<3x8xui8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xui8>
  %xz = onnx.Constant dense<0> : tensor<ui8>
  %wz = onnx.Constant dense<128> : tensor<ui8>
  %0 = onnx.MatMulInteger(%x, %w) a_zero_point(%xz) b_zero_point(%wz) : (tensor<3x8xui8>, tensor<8x4xui8>, tensor<ui8>, tensor<ui8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Zero points that only the run knows; that of the weights takes a sum over the
// data.
// CHECK-LABEL: func.func @zero_points_of_the_run
// CHECK:         %[[SUMS:.+]] = onnx.MatMulInteger(%arg0, %{{[^)]+}}) : (tensor<3x8xui8>, tensor<8x4xi8>)
// CHECK:         %[[FIRST:.+]] = onnx.Sub(%[[SUMS]],
// CHECK:         %[[WIDE:.+]] = onnx.Cast(%arg0) {to = 6 : i64}
// CHECK:         onnx.ReduceSum(%[[WIDE]])
// CHECK:         onnx.Sub(%[[FIRST]],
func.func @zero_points_of_the_run(%x: tensor<3x8xui8>, %xz: tensor<ui8>, %wz: tensor<i8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) a_zero_point(%xz) b_zero_point(%wz) : (tensor<3x8xui8>, tensor<8x4xi8>, tensor<ui8>, tensor<i8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Bytes are moved, and those that are quantised as before are not touched.
// CHECK-LABEL: func.func @movement
// CHECK:         %[[T:.+]] = onnx.Transpose(%arg0) {{.*}} : (tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK-NEXT:    return %[[T]]
func.func @movement(%x: tensor<2x3xui8>) -> tensor<3x2xui8> {
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %z = onnx.Constant dense<9> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %s) x_zero_point(%z) : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xf32>
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = onnx.QuantizeLinear(%1, %s) y_zero_point(%z) : (tensor<3x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x2xui8>
  return %2 : tensor<3x2xui8>
}

// -----

// A negative scale turns the order over, so that the largest number is not the
// largest byte; and another zero point makes other bytes.
// CHECK-LABEL: func.func @left_alone
// CHECK:         onnx.MaxPool({{.*}} -> tensor<1x1x3xf32>
// CHECK:         onnx.QuantizeLinear
func.func @left_alone(%x: tensor<1x1x6xui8>) -> tensor<1x1x3xui8> {
  %s = onnx.Constant dense<-0.3> : tensor<f32>
  %z = onnx.Constant dense<9> : tensor<ui8>
  %y = onnx.Constant dense<8> : tensor<ui8>
  %0 = onnx.DequantizeLinear(%x, %s) x_zero_point(%z) : (tensor<1x1x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x6xf32>
  %1 = onnx.MaxPool(%0) {kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x1x6xf32>) -> tensor<1x1x3xf32>
  %2 = onnx.QuantizeLinear(%1, %s) y_zero_point(%y) : (tensor<1x1x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x3xui8>
  return %2 : tensor<1x1x3xui8>
}

// -----

// The zero point of each row has no place in the common form.
// CHECK-LABEL: func.func @zero_points_of_rows
// CHECK:         onnx.MatMulInteger({{.*}}) a_zero_point(%arg1)
func.func @zero_points_of_rows(%x: tensor<3x8xui8>, %z: tensor<3xui8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) a_zero_point(%z) : (tensor<3x8xui8>, tensor<8x4xi8>, tensor<3xui8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Of a table only the rows that a run picks are dequantised.
// CHECK-LABEL: func.func @rows_of_a_table
// CHECK:         %[[ROWS:.+]] = onnx.Gather(%{{.+}}, %arg0) {{.*}}(tensor<30x4xi8>, tensor<2xi64>) -> tensor<2x4xi8>
// CHECK:         onnx.DequantizeLinear(%[[ROWS]],
func.func @rows_of_a_table(%i: tensor<2xi64>) -> tensor<2x4xf32> {
  %t = onnx.Constant dense<3> : tensor<30x4xi8>
  %s = onnx.Constant dense<0.3> : tensor<f32>
  %0 = onnx.DequantizeLinear(%t, %s) : (tensor<30x4xi8>, tensor<f32>) -> tensor<30x4xf32>
  %1 = onnx.Gather(%0, %i) {axis = 0 : i64} : (tensor<30x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
