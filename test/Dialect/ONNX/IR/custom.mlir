// RUN: onnx-opt %s | onnx-opt | FileCheck %s
// RUN: onnx-opt %s --cse --canonicalize | FileCheck %s --check-prefix=ONCE

// Absent inputs and outputs are slots without a value.
// CHECK-LABEL: func @slots
func.func @slots(%x: tensor<?xf32>, %high: tensor<f32>) -> tensor<?xf32> {
  // CHECK: onnx.Custom "Limit" of "my.domain" in "onnxc_custom_ops_mine"(%{{.+}}, %{{.+}}) {
  // CHECK-SAME: input_slots = array<i1: true, false, true>
  // CHECK-SAME: node_attributes = {strict = 1 : i64}
  // CHECK-SAME: output_slots = array<i1: true, false>
  // CHECK-SAME: version = 2 : i64} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %y = onnx.Custom "Limit" of "my.domain" in "onnxc_custom_ops_mine"(%x, %high) {input_slots = array<i1: true, false, true>, node_attributes = {strict = 1 : i64}, output_slots = array<i1: true, false>, version = 2 : i64} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What is pure is computed once for equal inputs, and not at all unused.
// ONCE-LABEL: func @pure
// ONCE-COUNT-1: onnx.Custom "Pure"
// ONCE-NOT: onnx.Custom
func.func @pure(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = onnx.Custom "Pure" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, pure, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Custom "Pure" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, pure, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Custom "Unused" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, pure, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// Of others each is run.
// ONCE-LABEL: func @other
// ONCE: onnx.Custom "Draw"
// ONCE: onnx.Custom "Draw"
// ONCE: onnx.Custom "Log"
func.func @other(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = onnx.Custom "Draw" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Custom "Draw" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Custom "Log" of "d" in "onnxc_custom_ops_d"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
