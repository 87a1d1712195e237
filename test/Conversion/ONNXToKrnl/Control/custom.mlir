// RUN: onnx-opt %s --split-input-file --convert-onnx-to-krnl | FileCheck %s

// A node becomes a call with its number; what the run has to know of it is an
// attribute of the module. Types are those of the graph: storage forgets them.
// CHECK: module attributes {krnl.custom_nodes = [
// CHECK-SAME: {attributes = {gain = 2.000000e+00 : f32}, domain = "d", inputs = array<i64: 1, 0, 9>, library = "onnxc_custom_ops_d", node = "first", op_type = "A", outputs = array<i64: 12, 0>, version = 3 : i64},
// CHECK-SAME: {attributes = {}, domain = "d", inputs = array<i64: 12>, library = "onnxc_custom_ops_d", node = "", op_type = "B", outputs = array<i64: 8>, version = 1 : i64}]}
// CHECK-LABEL: func @nodes
func.func @nodes(%x: tensor<?xf32>, %m: tensor<2xi1>) -> tensor<?x!onnx.string> {
  // A pure one has no effect.
  // CHECK: %[[A:.+]] = krnl.call @onnxc_call_custom(%arg0, %arg1) params [0] : (tensor<?xf32>, tensor<2xi8>) -> tensor<?x4xi32>
  %0 = onnx.Custom "A" of "d" in "onnxc_custom_ops_d"(%x, %m) {input_slots = array<i1: true, false, true>, node_attributes = {gain = 2.0 : f32}, output_slots = array<i1: true, false>, pure, version = 3 : i64} : (tensor<?xf32>, tensor<2xi1>) -> tensor<?x4xui32> loc("first")
  // CHECK: krnl.call @onnxc_call_custom(%[[A]]) stateful params [1] : (tensor<?x4xi32>) -> tensor<?x!krnl.str>
  %1 = onnx.Custom "B" of "d" in "onnxc_custom_ops_d"(%0) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<?x4xui32>) -> tensor<?x!onnx.string> loc(unknown)
  return %1 : tensor<?x!onnx.string>
}
