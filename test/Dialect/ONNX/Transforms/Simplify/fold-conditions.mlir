// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// No row of a uniform mask is hidden: rows without an element have no result either, whatever would be chosen.
// CHECK-LABEL: func @uniform_mask
// CHECK-NEXT:    return %arg0
func.func @uniform_mask(%x: tensor<?x8x?x?xf32>) -> none {
  %shape = onnx.Shape(%x) {start = 2 : i64} : (tensor<?x8x?x?xf32>) -> none
  %mask = onnx.ConstantOfShape(%shape) : (none) -> none
  %axis = onnx.Constant dense<-1> : tensor<1xi64>
  %infinity = onnx.Constant dense<0xFF800000> : tensor<1xf32>
  %zero = onnx.Constant dense<0.0> : tensor<1xf32>
  %max = onnx.ReduceMax(%mask) axes(%axis) : (none, tensor<1xi64>) -> none
  %hidden = onnx.Equal(%max, %infinity) : (none, tensor<1xf32>) -> none
  %0 = onnx.Where(%hidden, %zero, %x) : (none, tensor<1xf32>, tensor<?x8x?x?xf32>) -> none
  return %0 : none
}

// -----

// All elements of a mask are hidden, and then all rows.
// CHECK-LABEL: func @hidden_mask
// CHECK-NEXT:    return %arg1
func.func @hidden_mask(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> none {
  %shape = onnx.Shape(%y) : (tensor<?x?xf32>) -> none
  %same = onnx.Reshape(%x, %shape) : (tensor<?x?xf32>, none) -> none
  %mask = onnx.ConstantOfShape(%shape) {value = dense<0xFF800000> : tensor<1xf32>} : (none) -> none
  %axis = onnx.Constant dense<1> : tensor<1xi64>
  %infinity = onnx.Constant dense<0xFF800000> : tensor<1xf32>
  %max = onnx.ReduceMax(%mask) axes(%axis) : (none, tensor<1xi64>) -> none
  %hidden = onnx.Equal(%infinity, %max) : (tensor<1xf32>, none) -> none
  %0 = onnx.Where(%hidden, %y, %same) : (none, tensor<?x?xf32>, none) -> none
  return %0 : none
}

// -----

// Results have elements where the mask has none: its maximum is then another one.
// CHECK-LABEL: func @empty_mask
// CHECK:         onnx.Where
func.func @empty_mask(%x: tensor<?xf32>, %y: tensor<?xf32>) -> none {
  %rows = onnx.Shape(%x) : (tensor<?xf32>) -> none
  %columns = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %shape = onnx.Concat(%rows, %columns) {axis = 0 : i64} : (none, none) -> none
  %mask = onnx.ConstantOfShape(%shape) : (none) -> none
  %axis = onnx.Constant dense<1> : tensor<1xi64>
  %infinity = onnx.Constant dense<0xFF800000> : tensor<1xf32>
  %zero = onnx.Constant dense<0.0> : tensor<1xf32>
  %max = onnx.ReduceMax(%mask) axes(%axis) {keepdims = 0 : i64} : (none, tensor<1xi64>) -> none
  %hidden = onnx.Equal(%max, %infinity) : (none, tensor<1xf32>) -> none
  %0 = onnx.Where(%hidden, %zero, %x) : (none, tensor<1xf32>, tensor<?xf32>) -> none
  return %0 : none
}

// -----

// A constant condition of equal elements chooses one side, which has to have the shape of the result.
// CHECK-LABEL: func @constant_condition
// CHECK:         %[[W:.+]] = onnx.Where(%{{.+}}, %arg1, %arg0)
// CHECK-NEXT:    return %arg0, %arg0, %[[W]]
func.func @constant_condition(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> (none, none, none) {
  %no = onnx.Constant dense<false> : tensor<3xi1>
  %yes = onnx.Constant dense<true> : tensor<1x1xi1>
  %0 = onnx.Where(%no, %y, %x) : (tensor<3xi1>, tensor<3xf32>, tensor<?x3xf32>) -> none
  %1 = onnx.Where(%yes, %x, %y) : (tensor<1x1xi1>, tensor<?x3xf32>, tensor<3xf32>) -> none
  %2 = onnx.Where(%yes, %y, %x) : (tensor<1x1xi1>, tensor<3xf32>, tensor<?x3xf32>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// So does a fill. Elements that differ choose one by one.
// CHECK-LABEL: func @other_conditions
// CHECK:         %[[W:.+]] = onnx.Where(%{{.+}}, %arg0, %{{.+}})
// CHECK:         return %arg0, %[[W]]
func.func @other_conditions(%x: tensor<?x3xf32>) -> (none, none) {
  %shape = onnx.Shape(%x) : (tensor<?x3xf32>) -> none
  %fill = onnx.ConstantOfShape(%shape) {value = dense<true> : tensor<1xi1>} : (none) -> none
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %some = onnx.Constant dense<[true, false, true]> : tensor<3xi1>
  %0 = onnx.Where(%fill, %x, %zero) : (none, tensor<?x3xf32>, tensor<f32>) -> none
  %1 = onnx.Where(%some, %x, %zero) : (tensor<3xi1>, tensor<?x3xf32>, tensor<f32>) -> none
  return %0, %1 : none, none
}
