// RUN: onnx-opt %s --convert-onnx-to-krnl -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @split(
// CHECK:         krnl.call @onnxc_call_string_split({{.*}}) params [1] : (tensor<2x!krnl.str>, {{.*}}) -> (tensor<2x?x!krnl.str>, tensor<2xi64>)
func.func @split(%x: tensor<2x!onnx.string>) -> (tensor<2x?x!onnx.string>, tensor<2xi64>) {
  %y, %z = onnx.StringSplit(%x) {delimiter = ",", maxsplit = 1 : i64} : (tensor<2x!onnx.string>) -> (tensor<2x?x!onnx.string>, tensor<2xi64>)
  return %y, %z : tensor<2x?x!onnx.string>, tensor<2xi64>
}

// -----

// CHECK-LABEL: func @normalize(
// CHECK:         krnl.call @onnxc_call_string_normalize({{.*}}) params [2, 1] : ({{.*}}) -> tensor<1x?x!krnl.str>
func.func @normalize(%x: tensor<1x4x!onnx.string>) -> tensor<1x?x!onnx.string> {
  %y = onnx.StringNormalizer(%x) {case_change_action = "UPPER", is_case_sensitive = 1 : i64} : (tensor<1x4x!onnx.string>) -> tensor<1x?x!onnx.string>
  return %y : tensor<1x?x!onnx.string>
}

// -----

// The filling string and the expression are a table; 1 stands for separators.
// CHECK-LABEL: func @tokens(
// CHECK:         krnl.call @onnxc_call_tokenize({{.*}}) params [0, 2, 1] : ({{.*}}) -> tensor<3x?x!krnl.str>
func.func @tokens(%x: tensor<3x!onnx.string>) -> tensor<3x?x!onnx.string> {
  %y = onnx.microsoft.Tokenizer(%x) {mark = 0 : i64, mincharnum = 2 : i64, pad_value = "#", separators = [" ", ","]} : (tensor<3x!onnx.string>) -> tensor<3x?x!onnx.string>
  return %y : tensor<3x?x!onnx.string>
}

// -----

func.func @no_way_to_tokenize(%x: tensor<3x!onnx.string>) -> tensor<3x?x!onnx.string> {
  // expected-error @below {{Tokenizer is not supported}}
  // expected-note @below {{expects either separators or tokenexp}}
  %y = onnx.microsoft.Tokenizer(%x) {mark = 0 : i64, mincharnum = 2 : i64, pad_value = "#"} : (tensor<3x!onnx.string>) -> tensor<3x?x!onnx.string>
  return %y : tensor<3x?x!onnx.string>
}

// -----

func.func @unknown_case(%x: tensor<4x!onnx.string>) -> tensor<?x!onnx.string> {
  // expected-error @below {{StringNormalizer is not supported}}
  // expected-note @below {{case_change_action is none of NONE, LOWER and UPPER}}
  %y = onnx.StringNormalizer(%x) {case_change_action = "TITLE"} : (tensor<4x!onnx.string>) -> tensor<?x!onnx.string>
  return %y : tensor<?x!onnx.string>
}
