// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s
// RUN: onnx-opt %s --pass-pipeline="builtin.module(onnx-simplify{annotate=false}, onnx-fold-constants, onnx-simplify{annotate=false})" --split-input-file 2>/dev/null | FileCheck %s --check-prefix=FOLDED

// The number is cast instead of each element, and evaluated like other constants.
// CHECK-LABEL: func @cast_fill
// CHECK-SAME:    %[[S:[^ ]+]]: tensor<2xi64>
// CHECK:         %[[V:.+]] = onnx.Constant dense<2.500000e+00> : tensor<f32>
// CHECK:         %[[C:.+]] = onnx.Cast(%[[V]]) {to = 10 : i64} : (tensor<f32>) -> tensor<f16>
// CHECK:         onnx.Expand(%[[C]], %[[S]]) : (tensor<f16>, tensor<2xi64>) -> tensor<?x?xf16>
// FOLDED-LABEL: func @cast_fill
// FOLDED-NEXT:    %[[Y:.+]] = onnx.ConstantOfShape(%{{.+}}) {value = dense<2.500000e+00> : tensor<1xf16>} : (tensor<2xi64>) -> tensor<?x?xf16>
// FOLDED-NEXT:    return %[[Y]]
func.func @cast_fill(%s: tensor<2xi64>) -> none {
  %0 = onnx.ConstantOfShape(%s) {value = dense<2.5> : tensor<1xf32>} : (tensor<2xi64>) -> none
  %1 = onnx.Cast(%0) {to = 10 : i64} : (none) -> none
  return %1 : none
}

// -----

// Fractions are cut, and each number but zero is true; the value that is left out is zero.
// FOLDED-LABEL: func @casts_of_types
// FOLDED-DAG:     onnx.ConstantOfShape(%arg0) {value = dense<-2> : tensor<1xi8>}
// FOLDED-DAG:     onnx.ConstantOfShape(%arg0) {value = dense<true> : tensor<1xi1>}
// FOLDED-DAG:     onnx.ConstantOfShape(%arg0) {value = dense<0xFF80> : tensor<1xbf16>}
// FOLDED-DAG:     onnx.ConstantOfShape(%arg0) {value = dense<0> : tensor<1xi64>}
// FOLDED-NOT:     onnx.Cast
func.func @casts_of_types(%s: tensor<?xi64>) -> (none, none, none, none) {
  %0 = onnx.ConstantOfShape(%s) {value = dense<-2.5> : tensor<1xf32>} : (tensor<?xi64>) -> none
  %1 = onnx.Cast(%0) {to = 3 : i64} : (none) -> none
  %2 = onnx.Cast(%0) {to = 9 : i64} : (none) -> none
  %3 = onnx.ConstantOfShape(%s) {value = dense<0xFFF0000000000000> : tensor<1xf64>} : (tensor<?xi64>) -> none
  %4 = onnx.Cast(%3) {to = 16 : i64} : (none) -> none
  %5 = onnx.ConstantOfShape(%s) : (tensor<?xi64>) -> none
  %6 = onnx.Cast(%5) {to = 7 : i64} : (none) -> none
  return %1, %2, %4, %6 : none, none, none, none
}

// -----

// Expand takes no elements of a byte that are floats.
// FOLDED-LABEL: func @cast_to_byte
// CHECK-LABEL: func @cast_to_byte
// CHECK:         %[[F:.+]] = onnx.ConstantOfShape
// CHECK:         onnx.Cast(%[[F]]) {saturate = 0 : i64, to = 17 : i64}
func.func @cast_to_byte(%s: tensor<2xi64>) -> none {
  %0 = onnx.ConstantOfShape(%s) {value = dense<2.5> : tensor<1xf32>} : (tensor<2xi64>) -> none
  %1 = onnx.Cast(%0) {to = 17 : i64, saturate = 0 : i64} : (none) -> none
  return %1 : none
}

// -----

// A constant with more dimensions than the shape has keeps them, and text is no number.
// CHECK-LABEL: func @expanded_constants
// CHECK:         onnx.ConstantOfShape(%arg0) {value = dense<3> : tensor<1xi32>} : (tensor<?xi64>) -> tensor<*xi32>
// CHECK:         onnx.ConstantOfShape(%arg1) {value = dense<4.000000e+00> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<?x?xf32>
// CHECK:         onnx.Expand(%{{.+}}, %arg0) : (tensor<1x1xf32>, tensor<?xi64>)
// CHECK:         onnx.Expand(%{{.+}}, %arg1) : (tensor<2x1xf32>, tensor<2xi64>)
// CHECK:         onnx.Expand(%{{.+}}, %arg1) : (tensor<!onnx.string>, tensor<2xi64>)
func.func @expanded_constants(%s: tensor<?xi64>, %t: tensor<2xi64>) -> (none, none, none, none, none) {
  %scalar = onnx.Constant dense<3> : tensor<i32>
  %matrix = onnx.Constant dense<4.0> : tensor<1x1xf32>
  %column = onnx.Constant dense<4.0> : tensor<2x1xf32>
  %text = onnx.Constant dense<"x"> : tensor<!onnx.string>
  %0 = onnx.Expand(%scalar, %s) : (tensor<i32>, tensor<?xi64>) -> none
  %1 = onnx.Expand(%matrix, %t) : (tensor<1x1xf32>, tensor<2xi64>) -> none
  %2 = onnx.Expand(%matrix, %s) : (tensor<1x1xf32>, tensor<?xi64>) -> none
  %3 = onnx.Expand(%column, %t) : (tensor<2x1xf32>, tensor<2xi64>) -> none
  %4 = onnx.Expand(%text, %t) : (tensor<!onnx.string>, tensor<2xi64>) -> none
  return %0, %1, %2, %3, %4 : none, none, none, none, none
}

// -----

// The mask of an attention in f16 that masks nothing: neither the sum nor the choice of rows is left.
// FOLDED-LABEL: func @zero_mask
// FOLDED-NEXT:    %[[Y:.+]] = onnx.Softmax(%arg0)
// FOLDED-NEXT:    return %[[Y]]
func.func @zero_mask(%x: tensor<?x8x?x?xf16>) -> none {
  %shape = onnx.Shape(%x) {start = 2 : i64} : (tensor<?x8x?x?xf16>) -> none
  %fill = onnx.ConstantOfShape(%shape) : (none) -> none
  %mask = onnx.Cast(%fill) {to = 10 : i64} : (none) -> none
  %axis = onnx.Constant dense<-1> : tensor<1xi64>
  %infinity = onnx.Constant dense<0xFF800000> : tensor<1xf32>
  %zero = onnx.Constant dense<0.0> : tensor<1xf32>
  %scores = onnx.Add(%x, %mask) : (tensor<?x8x?x?xf16>, none) -> none
  %weights = onnx.Softmax(%scores) {axis = -1 : i64} : (none) -> none
  %max = onnx.ReduceMax(%mask) axes(%axis) : (none, tensor<1xi64>) -> none
  %none = onnx.CastLike(%infinity, %mask) : (tensor<1xf32>, none) -> none
  %hidden = onnx.Equal(%max, %none) : (none, none) -> none
  %no_weight = onnx.CastLike(%zero, %weights) : (tensor<1xf32>, none) -> none
  %0 = onnx.Where(%hidden, %no_weight, %weights) : (none, none, none) -> none
  return %0 : none
}
