// RUN: onnx-opt %s --onnx-fuse-quantization --split-input-file | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=arrowlake-s" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=DIRECT
// RUN: onnx-opt %s --select-target="triple=aarch64-linux-gnu features=+dotprod" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=DIRECT
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu device=cuda" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=DIRECT
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m55" --onnx-fuse-quantization --split-input-file | FileCheck %s --check-prefix=EQUAL

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
// EQUAL-LABEL: func.func @weights_around_the_middle
// EQUAL-DAG:     %[[W:.+]] = onnx.Cast(%{{.+}}) {to = 3 : i64} : (tensor<8x4xui8>) -> tensor<8x4xi8>
// EQUAL-DAG:     %[[X:.+]] = onnx.Cast(%{{.+}}) {to = 3 : i64} : (tensor<3x8xui8>) -> tensor<3x8xi8>
// EQUAL:         onnx.MatMulInteger(%[[X]], %[[W]])
// EQUAL-NOT:     tensor<3x8xi32>
// EQUAL:         return
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

// Zero points that are not constants; that of the weights takes a sum over the
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

// The zero point of each row has no place in the common form.
// CHECK-LABEL: func.func @zero_points_of_rows
// CHECK:         onnx.MatMulInteger({{.*}}) a_zero_point(%arg1)
func.func @zero_points_of_rows(%x: tensor<3x8xui8>, %z: tensor<3xui8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) a_zero_point(%z) : (tensor<3x8xui8>, tensor<8x4xi8>, tensor<3xui8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Bytes of two kinds become those of one where the target multiplies no others.
// EQUAL-LABEL: func.func @of_two_kinds
// EQUAL:         %[[BITS:.+]] = onnx.Add(%arg0, %{{.+}}) : (tensor<3x8xui8>, tensor<ui8>) -> tensor<3x8xui8>
// EQUAL:         %[[MOVED:.+]] = onnx.Cast(%[[BITS]]) {to = 3 : i64}
// EQUAL:         onnx.MatMulInteger(%[[MOVED]], %{{.+}}) : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
// CHECK-LABEL: func.func @of_two_kinds
// CHECK-NOT:     onnx.Add
// CHECK:         onnx.MatMulInteger(%arg0,
func.func @of_two_kinds(%x: tensor<3x8xui8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %0 = onnx.MatMulInteger(%x, %w) : (tensor<3x8xui8>, tensor<8x4xi8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Signed bytes with the least zero point stay, with a sum over constants.
// EQUAL-LABEL: func.func @zero_point_in_the_middle
// EQUAL-NOT:     onnx.Add
// EQUAL:         onnx.MatMulInteger(%arg0, %{{.+}}) : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
// EQUAL:         onnx.Sub
func.func @zero_point_in_the_middle(%x: tensor<3x8xi8>) -> tensor<3x4xi32> {
  %w = onnx.Constant dense<3> : tensor<8x4xi8>
  %xz = onnx.Constant dense<-128> : tensor<i8>
  %0 = onnx.MatMulInteger(%x, %w) a_zero_point(%xz) : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<i8>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}

// -----

// Weights of single channels around 128 are signed ones around 0, and need no sums of
// windows; around another zero point the convolution stays.
// CHECK-LABEL: func.func @single_channels
// CHECK:         %[[W:.+]] = onnx.Cast(%{{.+}}) {to = 3 : i64} : (tensor<4x1x3xui8>) -> tensor<4x1x3xi8>
// CHECK:         onnx.ConvInteger(%arg0, %[[W]]) {group = 4 : i64,
// CHECK-NOT:     onnx.ConvInteger
// CHECK:         onnx.ConvInteger(%arg0, %{{.+}}) x_zero_point(
func.func @single_channels(%x: tensor<1x4x8xui8>) -> (tensor<1x4x6xi32>, tensor<1x4x6xi32>) {
  %w = onnx.Constant dense<3> : tensor<4x1x3xui8>
  %xz = onnx.Constant dense<0> : tensor<ui8>
  %wz = onnx.Constant dense<128> : tensor<ui8>
  %vz = onnx.Constant dense<130> : tensor<ui8>
  %0 = onnx.ConvInteger(%x, %w) x_zero_point(%xz) w_zero_point(%wz) {group = 4 : i64, pads = array<i64: 0, 0>} : (tensor<1x4x8xui8>, tensor<4x1x3xui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x4x6xi32>
  %1 = onnx.ConvInteger(%x, %w) x_zero_point(%xz) w_zero_point(%vz) {group = 4 : i64, pads = array<i64: 0, 0>} : (tensor<1x4x8xui8>, tensor<4x1x3xui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x4x6xi32>
  return %0, %1 : tensor<1x4x6xi32>, tensor<1x4x6xi32>
}
