// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// Shape arithmetic that only copies sizes becomes zeros of Reshape.
// CHECK-LABEL: func @copied_sizes
// CHECK:         %[[S:.+]] = onnx.Constant dense<[0, 0, 12, 64]> : tensor<4xi64>
// CHECK-NEXT:    onnx.Reshape(%arg0, %[[S]])
// CHECK-NEXT:    return
func.func @copied_sizes(%x: tensor<?x?x768xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %tail = onnx.Constant dense<[12, 64]> : tensor<2xi64>
  %shape = onnx.Shape(%x) : (tensor<?x?x768xf32>) -> none
  %head = onnx.Slice(%shape, %zero, %two) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %target = onnx.Concat(%head, %tail) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %0 = onnx.Reshape(%x, %target) : (tensor<?x?x768xf32>, none) -> none
  return %0 : none
}

// -----

// What keeps the shape goes away, whatever the sizes are.
// CHECK-LABEL: func @same_shape
// CHECK-NEXT:    return %arg0, %arg0, %arg0
func.func @same_shape(%x: tensor<?x4xf32>) -> (none, none, none) {
  %shape = onnx.Shape(%x) : (tensor<?x4xf32>) -> none
  %0 = onnx.Reshape(%x, %shape) : (tensor<?x4xf32>, none) -> none
  %1 = onnx.Expand(%x, %shape) : (tensor<?x4xf32>, none) -> none
  %begin = onnx.Constant dense<0> : tensor<1xi64>
  %end = onnx.Constant dense<9223372036854775807> : tensor<1xi64>
  %2 = onnx.Slice(%x, %begin, %end) : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// CHECK-LABEL: func @shape_arithmetic
// CHECK:         %[[C:.+]] = onnx.Constant dense<[7, 3]> : tensor<2xi64>
// CHECK-NEXT:    return %[[C]]
func.func @shape_arithmetic(%x: tensor<?x3x7xf32>) -> none {
  %index = onnx.Constant dense<[2, 1]> : tensor<2xi64>
  %shape = onnx.Shape(%x) : (tensor<?x3x7xf32>) -> none
  %narrow = onnx.Cast(%shape) {to = 6 : i64} : (none) -> none
  %picked = onnx.Gather(%narrow, %index) : (none, tensor<2xi64>) -> none
  %one = onnx.Constant dense<1> : tensor<i32>
  %more = onnx.Add(%picked, %one) : (none, tensor<i32>) -> none
  %less = onnx.Sub(%more, %one) : (none, tensor<i32>) -> none
  %wide = onnx.Cast(%less) {to = 7 : i64} : (none) -> none
  return %wide : none
}

// -----

// A dynamic size is not a constant.
// CHECK-LABEL: func @unknown_element
// CHECK:         onnx.Shape
func.func @unknown_element(%x: tensor<?x3xf32>) -> none {
  %shape = onnx.Shape(%x) : (tensor<?x3xf32>) -> none
  return %shape : none
}

// -----

// A Resize that only repeats sizes of its operand goes over the other axes
// alone, or away; in one of its modes the same size may still move pixels.
// CHECK-LABEL: func @kept_sizes
// CHECK-SAME:    %[[X:.+]]: tensor<?x3x?x?xf32>, %[[TO:.+]]: tensor<2xi64>
// CHECK:         onnx.Resize(%[[X]]) sizes(%{{.+}}) {axes = array<i64: 2, 3>
// CHECK:         %[[B:.+]] = onnx.Resize(%[[X]]) sizes(%{{.+}}) {coordinate
// CHECK:         return %{{.+}}, %[[X]], %[[B]]
func.func @kept_sizes(%x: tensor<?x3x?x?xf32>, %to: tensor<2xi64>) -> (none, none, none) {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %shape = onnx.Shape(%x) : (tensor<?x3x?x?xf32>) -> none
  %head = onnx.Slice(%shape, %zero, %two) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %sizes = onnx.Concat(%head, %to) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %0 = onnx.Resize(%x) sizes(%sizes) {mode = "linear"} : (tensor<?x3x?x?xf32>, none) -> none
  %1 = onnx.Resize(%x) sizes(%shape) {mode = "cubic"} : (tensor<?x3x?x?xf32>, none) -> none
  %2 = onnx.Resize(%x) sizes(%shape) {coordinate_transformation_mode = "tf_half_pixel_for_nn"} : (tensor<?x3x?x?xf32>, none) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// So does the last of several views that has the shape of the first one's data.
// CHECK-LABEL: func @same_shape_as_before
// CHECK-NEXT:    return %arg0
func.func @same_shape_as_before(%x: tensor<?x4x?x64xf32>) -> none {
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %two) : (tensor<?x4x?x64xf32>, tensor<1xi64>) -> none
  %shape = onnx.Constant dense<[0, 4, -1, 64]> : tensor<4xi64>
  %1 = onnx.Reshape(%0, %shape) : (none, tensor<4xi64>) -> none
  return %1 : none
}

// -----

// Beside an operand of the shape of the result nothing is repeated; where no
// operand has it, it stays.
// CHECK-LABEL: func @repeated_operands
// CHECK:         %[[ZERO:.+]] = onnx.Constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[FILL:.+]] = onnx.ConstantOfShape
// CHECK:         %[[SUM:.+]] = onnx.Add(%arg0, %[[ZERO]])
// CHECK:         %[[PRODUCT:.+]] = onnx.Mul(%arg1, %arg0)
// CHECK:         %[[LARGER:.+]] = onnx.Add(%arg1, %[[FILL]])
// CHECK:         return %[[SUM]], %[[PRODUCT]], %[[LARGER]]
func.func @repeated_operands(%x: tensor<?x?xf32>, %y: tensor<1x1xf32>) -> (none, none, none) {
  %shape = onnx.Shape(%x) : (tensor<?x?xf32>) -> none
  %fill = onnx.ConstantOfShape(%shape) : (none) -> tensor<?x?xf32>
  %0 = onnx.Add(%x, %fill) : (tensor<?x?xf32>, tensor<?x?xf32>) -> none
  %many = onnx.Expand(%y, %shape) : (tensor<1x1xf32>, none) -> none
  %1 = onnx.Mul(%many, %x) : (none, tensor<?x?xf32>) -> none
  %2 = onnx.Add(%y, %fill) : (tensor<1x1xf32>, tensor<?x?xf32>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// Integers that are sizes of some tensor are written as such.
// CHECK-LABEL: func @sizes_as_such
// CHECK:         %[[S:.+]] = onnx.Shape(%arg0) {end = 2 : i64, start = 1 : i64}
// CHECK:         %[[N:.+]] = onnx.Reshape(%[[S]], %{{.+}}) : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
// CHECK:         %[[C:.+]] = onnx.Concat(%{{.+}}, %[[S]])
// CHECK-NEXT:    return %[[N]], %[[C]]
func.func @sizes_as_such(%x: tensor<?x?xf32>) -> (none, none) {
  %one = onnx.Constant dense<1> : tensor<i64>
  %axis = onnx.Constant dense<0> : tensor<1xi64>
  %four = onnx.Constant dense<4> : tensor<1xi64>
  %shape = onnx.Shape(%x) : (tensor<?x?xf32>) -> none
  %size = onnx.Gather(%shape, %one) : (none, tensor<i64>) -> none
  %more = onnx.Add(%size, %one) : (none, tensor<i64>) -> none
  %same = onnx.Sub(%more, %one) : (none, tensor<i64>) -> none
  %list = onnx.Unsqueeze(%same, %axis) : (none, tensor<1xi64>) -> none
  %both = onnx.Concat(%four, %list) {axis = 0 : i64} : (tensor<1xi64>, none) -> none
  return %size, %both : none, none
}

// -----

// An Expand keeps sizes by ones. Another dynamic size stays.
// CHECK-LABEL: func @expanded_sizes
// CHECK:         %[[S:.+]] = onnx.Constant dense<[1, 4, 1, 64]> : tensor<4xi64>
// CHECK:         onnx.Expand(%arg0, %[[S]])
// CHECK:         onnx.Expand(%arg0, %{{[^,]+}}) :
func.func @expanded_sizes(%x: tensor<1x?x64xf32>, %y: tensor<?xf32>) -> (none, none) {
  %head = onnx.Constant dense<[1, 4]> : tensor<2xi64>
  %end = onnx.Constant dense<64> : tensor<1xi64>
  %kept = onnx.Shape(%x) {start = 1 : i64, end = 2 : i64} : (tensor<1x?x64xf32>) -> none
  %target = onnx.Concat(%head, %kept, %end) {axis = 0 : i64} : (tensor<2xi64>, none, tensor<1xi64>) -> none
  %0 = onnx.Expand(%x, %target) : (tensor<1x?x64xf32>, none) -> none
  %other = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %more = onnx.Concat(%other, %kept, %end) {axis = 0 : i64} : (none, none, tensor<1xi64>) -> none
  %1 = onnx.Expand(%x, %more) : (tensor<1x?x64xf32>, none) -> none
  return %0, %1 : none, none
}

// -----

// A shape that a run may refuse stays, though the sizes of the result are known.
// CHECK-LABEL: func @checked_expansion
// CHECK:         %[[E:.+]] = onnx.Expand(%arg0, %arg1)
// CHECK:         return %[[E]]
func.func @checked_expansion(%x: tensor<3x4xf32>, %shape: tensor<2xi64>) -> none {
  %0 = onnx.Expand(%x, %shape) : (tensor<3x4xf32>, tensor<2xi64>) -> none
  return %0 : none
}

// -----

// An operand that may not broadcast stays as it is.
// CHECK-LABEL: func @checked_operands
// CHECK:         %[[E:.+]] = onnx.Expand(%arg1, %arg2)
// CHECK:         %[[C:.+]] = onnx.ConstantOfShape(%arg2)
// CHECK:         onnx.Add(%arg0, %[[E]])
// CHECK:         onnx.Add(%arg0, %[[C]])
func.func @checked_operands(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %shape: tensor<2xi64>) -> (none, none) {
  %0 = onnx.Expand(%y, %shape) : (tensor<4xf32>, tensor<2xi64>) -> none
  %1 = onnx.ConstantOfShape(%shape) : (tensor<2xi64>) -> none
  %2 = onnx.Add(%x, %0) : (tensor<3x4xf32>, none) -> none
  %3 = onnx.Add(%x, %1) : (tensor<3x4xf32>, none) -> none
  return %2, %3 : none, none
}

// -----

// A size is that of the first tensor that has it, so that what is computed from it is
// computed once.
// CHECK-LABEL: func @repeated_sizes
// CHECK:         %[[N:.+]] = onnx.Shape(%arg0) {end = 1 : i64}
// CHECK-NOT:     onnx.Shape(%arg1)
// CHECK:         %[[SUM:.+]] = onnx.Add(%arg2, %[[N]])
// CHECK-NEXT:    return %[[SUM]], %[[SUM]]
func.func @repeated_sizes(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}, %y: tensor<3x?xf32> {onnx.dims = ["", "n"]}, %z: tensor<1xi64>) -> (none, none) {
  %n = onnx.Shape(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32>) -> none
  %m = onnx.Shape(%y) {start = 1 : i64, end = 2 : i64} : (tensor<3x?xf32>) -> none
  %a = onnx.Add(%z, %n) : (tensor<1xi64>, none) -> none
  %b = onnx.Add(%z, %m) : (tensor<1xi64>, none) -> none
  return %a, %b : none, none
}

// -----

// Nothing is taken for what an operation before it was that is erased.
// CHECK-LABEL: func @lists_of_sizes
// CHECK-SAME:    -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
// CHECK-NEXT:    %[[B:.+]] = onnx.Shape(%arg0) {end = 2 : i64, start = 1 : i64}
// CHECK-NEXT:    %[[A:.+]] = onnx.Shape(%arg0) {end = 1 : i64}
// CHECK-NEXT:    return %[[B]], %[[A]], %[[B]]
func.func @lists_of_sizes(%x: tensor<?x?xf32>) -> (none, none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %one = onnx.Constant dense<1> : tensor<i64>
  %list = onnx.Constant dense<1> : tensor<1xi64>
  %shape = onnx.Shape(%x) : (tensor<?x?xf32>) -> none
  %b = onnx.Gather(%shape, %one) : (none, tensor<i64>) -> none
  %0 = onnx.Reshape(%b, %list) : (none, tensor<1xi64>) -> none
  %a = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %1 = onnx.Reshape(%a, %list) : (none, tensor<1xi64>) -> none
  %least = onnx.ReduceMin(%0) {keepdims = 0 : i64} : (none) -> none
  %2 = onnx.Reshape(%least, %list) : (none, tensor<1xi64>) -> none
  return %0, %1, %2 : none, none, none
}
