// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @nothing_left
// CHECK-NEXT:    return %arg0
func.func @nothing_left(%x: tensor<2x3xf32>) -> none {
  %0 = onnx.Identity(%x) : (tensor<2x3xf32>) -> none
  %1 = onnx.Dropout(%0) : (none) -> (none)
  %2 = onnx.Cast(%1) {to = 1 : i64} : (none) -> none
  %3 = onnx.Sum(%2) : (none) -> none
  %one = onnx.Constant dense<1.0> : tensor<f32>
  %4 = onnx.Mul(%3, %one) : (none, tensor<f32>) -> none
  return %4 : none
}

// -----

// The result is declared to be more precise than its operand: that must not be lost.
// CHECK-LABEL: func @more_precise_result
// CHECK:         onnx.Identity
func.func @more_precise_result(%x: tensor<?x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Identity(%x) : (tensor<?x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @dropout_in_training
// CHECK:         onnx.Dropout
func.func @dropout_in_training(%x: tensor<2x3xf32>, %t: tensor<i1>) -> none {
  %0 = onnx.Dropout(%x) training_mode(%t) : (tensor<2x3xf32>, tensor<i1>) -> none
  return %0 : none
}

// -----

// A wider type holds all values, a narrower one does not.
// CHECK-LABEL: func @casts
// CHECK:         %[[A:.+]] = onnx.Cast(%arg0) {{.*}} -> tensor<2xi64>
// CHECK:         %[[B:.+]] = onnx.Cast(%arg0) {{.*}} -> tensor<2xi8>
// CHECK:         %[[C:.+]] = onnx.Cast(%[[B]]) {{.*}} -> tensor<2xi64>
// CHECK:         return %[[A]], %[[C]]
func.func @casts(%x: tensor<2xi32>) -> (none, none) {
  %0 = onnx.Cast(%x) {to = 11 : i64} : (tensor<2xi32>) -> none
  %1 = onnx.Cast(%0) {to = 7 : i64} : (none) -> none
  %2 = onnx.Cast(%x) {to = 3 : i64} : (tensor<2xi32>) -> none
  %3 = onnx.Cast(%2) {to = 7 : i64} : (none) -> none
  return %1, %3 : none, none
}

// -----

// The text of a number shows its type: "True", "1" or "1.0", "0.1" or
// "0.10000000149011612".
// CHECK-LABEL: func @casts_to_text
// CHECK:         %[[A:.+]] = onnx.Cast(%arg0) {{.*}} -> tensor<2xi64>
// CHECK:         onnx.Cast(%[[A]]) {to = 8 : i64}
// CHECK:         %[[B:.+]] = onnx.Cast(%arg1) {{.*}} -> tensor<2xf64>
// CHECK:         onnx.Cast(%[[B]]) {to = 8 : i64}
func.func @casts_to_text(%x: tensor<2xi1>, %y: tensor<2xf32>) -> (none, none) {
  %0 = onnx.Cast(%x) {to = 7 : i64} : (tensor<2xi1>) -> none
  %1 = onnx.Cast(%0) {to = 8 : i64} : (none) -> none
  %2 = onnx.Cast(%y) {to = 11 : i64} : (tensor<2xf32>) -> none
  %3 = onnx.Cast(%2) {to = 8 : i64} : (none) -> none
  return %1, %3 : none, none
}

// -----

// CHECK-LABEL: func @cast_like
// CHECK-NEXT:    onnx.Cast(%arg0) {saturate = 0 : i64, to = 17 : i64}
// CHECK-NEXT:    return
func.func @cast_like(%x: tensor<2xf32>, %y: tensor<*xf8E4M3FN>) -> none {
  %0 = onnx.CastLike(%x, %y) {saturate = 0 : i64} : (tensor<2xf32>, tensor<*xf8E4M3FN>) -> none
  return %0 : none
}

// -----

// Either zero has the exponential one.
// CHECK-LABEL: func @added_before_softmax
// CHECK-NEXT:    %[[Y:.+]] = onnx.Softmax(%arg0)
// CHECK-NEXT:    %[[Z:.+]] = onnx.Softmax(%arg0)
// CHECK-NEXT:    return %[[Y]], %[[Z]], %[[Y]]
func.func @added_before_softmax(%x: tensor<2x3xf32>) -> (none, none, none) {
  %zero = onnx.Constant dense<0.0> : tensor<1xf32>
  %minus = onnx.Constant dense<-0.0> : tensor<1xf32>
  %0 = onnx.Add(%x, %zero) : (tensor<2x3xf32>, tensor<1xf32>) -> none
  %1 = onnx.Softmax(%0) {axis = -1 : i64} : (none) -> none
  %2 = onnx.Add(%zero, %x) : (tensor<1xf32>, tensor<2x3xf32>) -> none
  %3 = onnx.Softmax(%2) {axis = 0 : i64} : (none) -> none
  %4 = onnx.Add(%x, %minus) : (tensor<2x3xf32>, tensor<1xf32>) -> none
  %5 = onnx.Softmax(%4) {axis = -1 : i64} : (none) -> none
  return %1, %3, %5 : none, none, none
}

// -----

// CHECK-LABEL: func @added_with_more_dimensions
// CHECK:         onnx.Add
func.func @added_with_more_dimensions(%x: tensor<3xf32>) -> none {
  %zero = onnx.Constant dense<0.0> : tensor<1x1xf32>
  %0 = onnx.Add(%x, %zero) : (tensor<3xf32>, tensor<1x1xf32>) -> none
  %1 = onnx.Softmax(%0) {axis = -1 : i64} : (none) -> none
  return %1 : none
}

// -----

// A factor that broadcasts changes the shape; adding zero changes -0.0, as
// subtracting -0.0 does.
// CHECK-LABEL: func @not_neutral
// CHECK:         onnx.Mul
// CHECK:         onnx.Add
// CHECK:         onnx.Sub
func.func @not_neutral(%x: tensor<3xf32>) -> (none, none, none) {
  %ones = onnx.Constant dense<1.0> : tensor<2x1xf32>
  %0 = onnx.Mul(%x, %ones) : (tensor<3xf32>, tensor<2x1xf32>) -> none
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %1 = onnx.Add(%x, %zero) : (tensor<3xf32>, tensor<f32>) -> none
  %minus = onnx.Constant dense<-0.0> : tensor<f32>
  %2 = onnx.Sub(%x, %minus) : (tensor<3xf32>, tensor<f32>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// CHECK-LABEL: func @mask_is_used
// CHECK:         onnx.Dropout
func.func @mask_is_used(%x: tensor<2x3xf32>) -> none {
  %0, %mask = onnx.Dropout(%x) : (tensor<2x3xf32>) -> (none, none)
  return %mask : none
}

// -----

// Nothing is added and nothing taken away, also where a mode has nothing to repeat.
// CHECK-LABEL: func @pads_of_zero
// CHECK-NEXT:    return %arg0, %arg0
func.func @pads_of_zero(%x: tensor<?x3xf32>) -> (none, none) {
  %pads = onnx.Constant dense<0> : tensor<4xi64>
  %0 = onnx.Pad(%x, %pads) {mode = "reflect"} : (tensor<?x3xf32>, tensor<4xi64>) -> none
  %pair = onnx.Constant dense<0> : tensor<2xi64>
  %value = onnx.Constant dense<7.0> : tensor<f32>
  %axis = onnx.Constant dense<-1> : tensor<1xi64>
  %1 = onnx.Pad(%x, %pair) constant_value(%value) axes(%axis) : (tensor<?x3xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> none
  return %0, %1 : none, none
}

// -----

// Pads may shift elements and keep the size; a run may refuse axes that it is given.
// CHECK-LABEL: func @pads_with_an_effect
// CHECK:         onnx.Pad
// CHECK:         onnx.Pad
func.func @pads_with_an_effect(%x: tensor<4xf32>, %axis: tensor<1xi64>) -> (none, none) {
  %shift = onnx.Constant dense<[1, -1]> : tensor<2xi64>
  %0 = onnx.Pad(%x, %shift) : (tensor<4xf32>, tensor<2xi64>) -> none
  %pads = onnx.Constant dense<0> : tensor<2xi64>
  %1 = onnx.Pad(%x, %pads) axes(%axis) : (tensor<4xf32>, tensor<2xi64>, tensor<1xi64>) -> none
  return %0, %1 : none, none
}
