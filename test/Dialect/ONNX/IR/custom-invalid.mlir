// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @inputs(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Custom' op has 1 values for the 2 present inputs}}
  %0 = onnx.Custom "A" of "d" in "l"(%x) {input_slots = array<i1: true, true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @outputs(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Custom' op has 1 values for the 0 present outputs}}
  %0 = onnx.Custom "A" of "d" in "l"(%x) {input_slots = array<i1: true>, output_slots = array<i1: false>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @version(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Custom' op expects a version of at least 1, but got 0}}
  %0 = onnx.Custom "A" of "d" in "l"(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @library(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Custom' op expects a domain, an operator and a library}}
  %0 = onnx.Custom "A" of "d" in ""(%x) {input_slots = array<i1: true>, output_slots = array<i1: true>, version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
