// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @views
// CHECK:         %[[S:.+]] = onnx.Constant dense<[-1, 12]> : tensor<2xi64>
// CHECK-NEXT:    %[[R:.+]] = onnx.Reshape(%arg0, %[[S]])
// CHECK-NEXT:    return %[[R]]
func.func @views(%x: tensor<?x1x3x4xf32>) -> none {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Squeeze(%x) axes(%one) : (tensor<?x1x3x4xf32>, tensor<1xi64>) -> none
  %1 = onnx.Unsqueeze(%0, %one) : (none, tensor<1xi64>) -> none
  %2 = onnx.Flatten(%1) : (none) -> none
  return %2 : none
}

// -----

// No constant says two unknown sizes that are not those of the data.
// CHECK-LABEL: func @two_unknown
// CHECK:         onnx.Unsqueeze
func.func @two_unknown(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  return %0 : none
}

// -----

// CHECK-LABEL: func @cancel_two_unknown
// CHECK-NEXT:    return %arg0
func.func @cancel_two_unknown(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  %1 = onnx.Squeeze(%0) axes(%zero) : (none, tensor<1xi64>) -> none
  return %1 : none
}

// -----

// The zero copies a size of what it is applied to: the pair stays.
// CHECK-LABEL: func @copies_a_size
// CHECK-COUNT-2: onnx.Reshape
func.func @copies_a_size(%x: tensor<?x?x4xf32>, %s: tensor<2xi64>) -> none {
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?x4xf32>, tensor<2xi64>) -> none
  %copy = onnx.Constant dense<[0, 2, -1]> : tensor<3xi64>
  %1 = onnx.Reshape(%0, %copy) : (none, tensor<3xi64>) -> none
  return %1 : none
}

// -----

// Squeeze says that the size is 1; a Reshape to [-1] would forget it.
// CHECK-LABEL: func @squeeze_unknown
// CHECK:         onnx.Squeeze
func.func @squeeze_unknown(%x: tensor<4x?xf32>) -> none {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Squeeze(%x) axes(%one) : (tensor<4x?xf32>, tensor<1xi64>) -> none
  return %0 : none
}

// -----

// CHECK-LABEL: func @other_axes
// CHECK:         onnx.Unsqueeze
// CHECK:         onnx.Squeeze
func.func @other_axes(%x: tensor<?x?xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %zero) : (tensor<?x?xf32>, tensor<1xi64>) -> none
  %1 = onnx.Squeeze(%0) axes(%one) : (none, tensor<1xi64>) -> none
  return %1 : none
}

// -----

// The queries, keys and values of a product are parts of a view of it: a dimension
// is split before a part is taken and before dimensions are permuted.
// CHECK-LABEL: func @heads
// CHECK-DAG:     %[[S:.+]] = onnx.Constant dense<[5, 3, 1, 4, 2]> : tensor<5xi64>
// CHECK:         %[[R:.+]] = onnx.Reshape(%arg0, %[[S]]) : (tensor<5x1x24xf32>, tensor<5xi64>) -> tensor<5x3x1x4x2xf32>
// CHECK-NEXT:    %[[T:.+]] = onnx.Transpose(%[[R]]) {perm = array<i64: 1, 0, 2, 3, 4>}
// CHECK-NEXT:    %[[Q:.+]] = onnx.Gather(%[[T]], %{{.+}}) : (tensor<3x5x1x4x2xf32>, tensor<i64>) -> tensor<5x1x4x2xf32>
// CHECK-NEXT:    %[[QT:.+]] = onnx.Transpose(%[[Q]]) {perm = array<i64: 1, 2, 0, 3>} : (tensor<5x1x4x2xf32>) -> tensor<1x4x5x2xf32>
// CHECK-NEXT:    %[[K:.+]] = onnx.Gather(%[[T]], %{{.+}}) : (tensor<3x5x1x4x2xf32>, tensor<i64>) -> tensor<5x1x4x2xf32>
// CHECK-NEXT:    %[[KT:.+]] = onnx.Transpose(%[[K]]) {perm = array<i64: 1, 2, 3, 0>} : (tensor<5x1x4x2xf32>) -> tensor<1x4x2x5xf32>
// CHECK-NEXT:    return %[[QT]], %[[KT]]
func.func @heads(%x: tensor<5x1x24xf32>) -> (none, none) {
  %c0 = onnx.Constant dense<0> : tensor<i64>
  %c1 = onnx.Constant dense<1> : tensor<i64>
  %three = onnx.Constant dense<[1, 5, 1, 3, 8]> : tensor<5xi64>
  %0 = onnx.Reshape(%x, %three) : (tensor<5x1x24xf32>, tensor<5xi64>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 3, 1, 2, 0, 4>} : (none) -> none
  %squeezed = onnx.Constant dense<[3, 5, 1, 8]> : tensor<4xi64>
  %2 = onnx.Reshape(%1, %squeezed) : (none, tensor<4xi64>) -> none
  %3 = onnx.Gather(%2, %c0) : (none, tensor<i64>) -> none
  %4 = onnx.Gather(%2, %c1) : (none, tensor<i64>) -> none
  %split = onnx.Constant dense<[5, 4, 2]> : tensor<3xi64>
  %5 = onnx.Reshape(%3, %split) : (none, tensor<3xi64>) -> none
  %6 = onnx.Reshape(%4, %split) : (none, tensor<3xi64>) -> none
  %7 = onnx.Transpose(%5) {perm = array<i64: 1, 0, 2>} : (none) -> none
  %8 = onnx.Transpose(%6) {perm = array<i64: 1, 2, 0>} : (none) -> none
  %q = onnx.Constant dense<[1, 4, 5, 2]> : tensor<4xi64>
  %k = onnx.Constant dense<[1, 4, 2, 5]> : tensor<4xi64>
  %9 = onnx.Reshape(%7, %q) : (none, tensor<4xi64>) -> none
  %10 = onnx.Reshape(%8, %k) : (none, tensor<4xi64>) -> none
  return %9, %10 : none, none
}

// -----

// A size of 10 stems from both dimensions.
// CHECK-LABEL: func @merged
// CHECK:         %[[T:.+]] = onnx.Transpose
// CHECK:         onnx.Reshape(%[[T]]
func.func @merged(%x: tensor<2x40xf32>) -> none {
  %s = onnx.Constant dense<[8, 5, 2]> : tensor<3xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<2x40xf32>, tensor<3xi64>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 0, 2, 1>} : (none) -> none
  %t = onnx.Constant dense<[8, 10]> : tensor<2xi64>
  %2 = onnx.Reshape(%1, %t) : (none, tensor<2xi64>) -> none
  return %2 : none
}

// -----

// What makes the data writes it transposed.
// CHECK-LABEL: func @no_view
// CHECK:         %[[T:.+]] = onnx.Transpose
// CHECK:         onnx.Reshape(%[[T]]
func.func @no_view(%x: tensor<8x10xf32>) -> none {
  %0 = onnx.Relu(%x) : (tensor<8x10xf32>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (none) -> none
  %t = onnx.Constant dense<[5, 2, 8]> : tensor<3xi64>
  %2 = onnx.Reshape(%1, %t) : (none, tensor<3xi64>) -> none
  return %2 : none
}

// -----

// A size of 4 has elements from both sides of the axis.
// CHECK-LABEL: func @spans_the_axis
// CHECK:         %[[G:.+]] = onnx.Gather(%arg0
// CHECK:         onnx.Reshape(%[[G]]
func.func @spans_the_axis(%x: tensor<2x3x6xf32>) -> none {
  %i = onnx.Constant dense<2> : tensor<i64>
  %0 = onnx.Gather(%x, %i) {axis = 1 : i64} : (tensor<2x3x6xf32>, tensor<i64>) -> none
  %s = onnx.Constant dense<[4, 3]> : tensor<2xi64>
  %1 = onnx.Reshape(%0, %s) : (none, tensor<2xi64>) -> none
  return %1 : none
}

// -----

// The index may be that of a run; the axis is after the size of 2.
// CHECK-LABEL: func @part_at_run_time
// CHECK:         %[[R:.+]] = onnx.Reshape(%arg0, %{{.+}}) : (tensor<2x3x6xf32>, tensor<4xi64>) -> tensor<2x3x3x2xf32>
// CHECK-NEXT:    onnx.Gather(%[[R]], %arg1) {axis = 1 : i64}
func.func @part_at_run_time(%x: tensor<2x3x6xf32>, %i: tensor<i64>) -> none {
  %0 = onnx.Gather(%x, %i) {axis = 1 : i64} : (tensor<2x3x6xf32>, tensor<i64>) -> none
  %s = onnx.Constant dense<[2, 3, 2]> : tensor<3xi64>
  %1 = onnx.Reshape(%0, %s) : (none, tensor<3xi64>) -> none
  return %1 : none
}
