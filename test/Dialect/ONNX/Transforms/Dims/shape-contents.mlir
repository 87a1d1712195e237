// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// How exporters turn the pads of one framework into those of ONNX: a matrix of
// pairs, from the last dimension to the first, turned around.
// CHECK-LABEL: func @turned_pads
// CHECK:         onnx.Pad{{.*}}["n + 7", "m + 3"]
func.func @turned_pads(%x: tensor<?x?xf32> {onnx.dims = ["n", "m"]}) -> none {
  %pads = onnx.Constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %pairs = onnx.Constant dense<[-1, 2]> : tensor<2xi64>
  %0 = onnx.Reshape(%pads, %pairs) : (tensor<4xi64>, tensor<2xi64>) -> none
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %back = onnx.Constant dense<-1> : tensor<1xi64>
  %end = onnx.Constant dense<-9223372036854775807> : tensor<1xi64>
  %1 = onnx.Slice(%0, %back, %end) axes(%zero) steps(%back)
      : (none, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> none
  %2 = onnx.Transpose(%1) {perm = array<i64: 1, 0>} : (none) -> none
  %3 = onnx.Reshape(%2, %back) : (none, tensor<1xi64>) -> none
  %4 = onnx.Pad(%x, %3) : (tensor<?x?xf32>, none) -> none
  return %4 : none
}

// -----

// min(s, 100) rows of a table, added to s rows: s rows, or an error.
// CHECK-LABEL: func @positions
// CHECK:         onnx.Slice{{.*}}["min(s, 100)", "8"]
// CHECK:         onnx.Add{{.*}}["s", "8"]
func.func @positions(%x: tensor<?x8xf32> {onnx.dims = ["s", ""]},
                     %table: tensor<100x8xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %shape = onnx.Shape(%x) {end = 1 : i64} : (tensor<?x8xf32>) -> none
  %0 = onnx.Slice(%table, %zero, %shape) : (tensor<100x8xf32>, tensor<1xi64>, none) -> none
  %1 = onnx.Add(%x, %0) : (tensor<?x8xf32>, none) -> none
  return %1 : none
}

// -----

// Parts of shapes, gathered, sliced, split and put together again.
// CHECK-LABEL: func @parts
// CHECK:         onnx.ConstantOfShape{{.*}}["w", "n", "3"]
func.func @parts(%x: tensor<?x3x?x?xf32> {onnx.dims = ["n", "", "h", "w"]}) -> none {
  %shape = onnx.Shape(%x) : (tensor<?x3x?x?xf32>) -> none
  %last = onnx.Constant dense<-1> : tensor<1xi64>
  %w = onnx.Gather(%shape, %last) : (none, tensor<1xi64>) -> none
  %sizes = onnx.Constant dense<[2, 2]> : tensor<2xi64>
  %halves:2 = onnx.Split(%shape) split(%sizes) : (none, tensor<2xi64>) -> (none, none)
  %all = onnx.Concat(%w, %halves#0) {axis = 0 : i64} : (none, none) -> none
  %0 = onnx.ConstantOfShape(%all) : (none) -> none
  return %0 : none
}

// -----

// A range of constants and a repeated constant have known elements.
// CHECK-LABEL: func @made
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<1x3x5xf32>
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<7x7xf32>
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<4x4x4xf32>
func.func @made() -> (none, none, none) {
  %one = onnx.Constant dense<1> : tensor<i64>
  %two = onnx.Constant dense<2> : tensor<i64>
  %six = onnx.Constant dense<6> : tensor<i64>
  %odd = onnx.Range(%one, %six, %two) : (tensor<i64>, tensor<i64>, tensor<i64>) -> none
  %0 = onnx.ConstantOfShape(%odd) : (none) -> none
  %count = onnx.Constant dense<2> : tensor<1xi64>
  %sevens = onnx.ConstantOfShape(%count) {value = dense<7> : tensor<1xi64>} : (tensor<1xi64>) -> none
  %1 = onnx.ConstantOfShape(%sevens) : (none) -> none
  %three = onnx.Constant dense<3> : tensor<1xi64>
  %four = onnx.Constant dense<4> : tensor<1xi64>
  %fours = onnx.Expand(%four, %three) : (tensor<1xi64>, tensor<1xi64>) -> none
  %2 = onnx.ConstantOfShape(%fours) : (none) -> none
  return %0, %1, %2 : none, none, none
}
