// RUN: onnx-opt %s --onnx-fuse-masks --split-input-file | FileCheck %s

// On a device a mask of bools hides scores, and rows of nothing else are zero.
// CHECK-LABEL: func @bools
// CHECK-SAME:  (%[[S:.+]]: tensor<2x3x4xf32>, %[[M:.+]]: tensor<3x4xi1>)
// CHECK:         %[[NONE:.+]] = onnx.Constant {{.*}}dense<0xFF800000> : tensor<f32>
// CHECK:         %[[X:.+]] = onnx.Where(%[[M]], %[[S]], %[[NONE]])
// CHECK:         %[[Y:.+]] = onnx.Softmax(%[[X]]) {axis = 2 : i64, onnx.hidden_rows_are_zero}
// CHECK-NOT:     onnx.ReduceMax
// CHECK:         return %[[Y]]
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @bools(%s: tensor<2x3x4xf32>, %mask: tensor<3x4xi1>) -> tensor<2x3x4xf32> {
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %b = onnx.Where(%mask, %zero, %none) : (tensor<3x4xi1>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %x = onnx.Add(%s, %b) : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<3x1xi1>, tensor<f32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
}

// -----

// A bias that may be any number hides scores where it is -infinity. The precision of the softmax is its own.
// CHECK-LABEL: func @numbers
// CHECK-SAME:  (%[[S:.+]]: tensor<2x3x4xf16>, %[[B:.+]]: tensor<3x4xf16>)
// CHECK:         %[[X:.+]] = onnx.Add(%[[S]], %[[B]]) {onnx.hides}
// CHECK:         %[[WIDE:.+]] = onnx.Cast(%[[X]]) {{.*}}-> tensor<2x3x4xf32>
// CHECK:         %[[P:.+]] = onnx.Softmax(%[[WIDE]]) {axis = 2 : i64, onnx.hidden_rows_are_zero}
// CHECK:         %[[Y:.+]] = onnx.Cast(%[[P]]) {{.*}}-> tensor<2x3x4xf16>
// CHECK:         return %[[Y]]
func.func @numbers(%s: tensor<2x3x4xf16>, %b: tensor<3x4xf16>) -> tensor<2x3x4xf16> {
  %zero = onnx.Constant dense<0.0> : tensor<f16>
  %none = onnx.Constant dense<0xFC00> : tensor<f16>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %x = onnx.Add(%b, %s) : (tensor<3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  %w = onnx.Cast(%x) {to = 1 : i64} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf32>
  %p = onnx.Softmax(%w) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %n = onnx.Cast(%p) {to = 10 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf16>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<3x4xf16>, tensor<1xi64>) -> tensor<3x1xf16>
  %h = onnx.Equal(%none, %m) : (tensor<f16>, tensor<3x1xf16>) -> tensor<3x1xi1>
  %y = onnx.Where(%h, %zero, %n) : (tensor<3x1xi1>, tensor<f16>, tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return %y : tensor<2x3x4xf16>
}

// -----

// Conditions beneath casts, views and paddings, and beside a bias of numbers.
// CHECK-LABEL: func @sums
// CHECK-SAME:  (%[[S:.+]]: tensor<2x3x?xf32>, %[[B:.+]]: tensor<3x?xf32>, %[[M:.+]]: tensor<3x?xi1>, %[[K:.+]]: tensor<?xi1>, %[[PADS:.+]]: tensor<4xi64>, %{{.+}}: tensor<2xi64>)
// CHECK-DAG:     %[[PADDED:.+]] = onnx.Pad(%[[M]], %[[PADS]]) constant_value(%[[NO:.+]]) : (tensor<3x?xi1>, tensor<4xi64>, tensor<i1>) -> tensor<3x?xi1>
// CHECK-DAG:     %[[NO]] = onnx.Constant {{.*}}dense<false> : tensor<i1>
// CHECK-DAG:     %[[ROW:.+]] = onnx.Reshape(%[[K]], %{{.+}}) : (tensor<?xi1>, tensor<2xi64>) -> tensor<1x?xi1>
// CHECK-DAG:     %[[X0:.+]] = onnx.Add(%[[S]], %[[B]]) {onnx.hides}
// CHECK:         %[[X1:.+]] = onnx.Where(%[[PADDED]], %[[X0]], %[[NONE:.+]])
// CHECK:         %[[X2:.+]] = onnx.Where(%[[ROW]], %{{.+}}, %[[X1]])
// CHECK:         onnx.Softmax(%[[X2]])
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @sums(%s: tensor<2x3x?xf32>, %bias: tensor<3x?xf32>, %mask: tensor<3x?xi1>, %keys: tensor<?xi1>, %pads: tensor<4xi64>, %shape: tensor<2xi64>) -> tensor<2x3x?xf32> {
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %half_zero = onnx.Constant dense<0.0> : tensor<f16>
  %half_none = onnx.Constant dense<0xFC00> : tensor<f16>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %c = onnx.Where(%mask, %half_zero, %half_none) : (tensor<3x?xi1>, tensor<f16>, tensor<f16>) -> tensor<3x?xf16>
  %cp = onnx.Pad(%c, %pads) constant_value(%half_none) : (tensor<3x?xf16>, tensor<4xi64>, tensor<f16>) -> tensor<3x?xf16>
  %cc = onnx.Cast(%cp) {to = 1 : i64} : (tensor<3x?xf16>) -> tensor<3x?xf32>
  %d = onnx.Where(%keys, %none, %zero) : (tensor<?xi1>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %dr = onnx.Reshape(%d, %shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  %e = onnx.Add(%bias, %cc) : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  %b = onnx.Add(%e, %dr) : (tensor<3x?xf32>, tensor<1x?xf32>) -> tensor<3x?xf32>
  %x = onnx.Add(%s, %b) : (tensor<2x3x?xf32>, tensor<3x?xf32>) -> tensor<2x3x?xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<3x?xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<3x1xi1>, tensor<f32>, tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  return %y : tensor<2x3x?xf32>
}
}

// -----

// Zeros of the shape of the scores hide nothing.
// CHECK-LABEL: func @zeros
// CHECK-SAME:  (%[[S:.+]]: tensor<2x3x4xf32>, %[[M:.+]]: tensor<4xi1>)
// CHECK:         %[[X:.+]] = onnx.Where(%[[M]], %[[S]], %{{.+}})
// CHECK:         onnx.Softmax(%[[X]])
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @zeros(%s: tensor<2x3x4xf32>, %mask: tensor<4xi1>) -> tensor<2x3x4xf32> {
  %shape = onnx.Constant dense<[3, 4]> : tensor<2xi64>
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %z = onnx.ConstantOfShape(%shape) : (tensor<2xi64>) -> tensor<3x4xf32>
  %c = onnx.Where(%mask, %zero, %none) : (tensor<4xi1>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %b = onnx.Add(%z, %c) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %x = onnx.Add(%s, %b) : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<3x1xi1>, tensor<f32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
}

// -----

// A processor adds the numbers of a mask, which it computes once. Positions are compared where scores are.
// CHECK-LABEL: func @processor
// CHECK-SAME:  (%[[S:.+]]: tensor<2x3x4xf32>, %[[M:.+]]: tensor<3x4xi1>)
// CHECK-DAG:     %[[B:.+]] = onnx.Where(%[[M]], %{{.+}}, %{{.+}})
// CHECK-DAG:     %[[AFTER:.+]] = onnx.Less
// CHECK-DAG:     %[[X:.+]] = onnx.Add(%[[S]], %[[B]]) {onnx.hides}
// CHECK:         %[[Y:.+]] = onnx.Where(%[[AFTER]], %{{.+}}, %[[X]])
// CHECK:         onnx.Softmax(%[[Y]]) {axis = 2 : i64, onnx.hidden_rows_are_zero}
func.func @processor(%s: tensor<2x3x4xf32>, %mask: tensor<3x4xi1>) -> tensor<2x3x4xf32> {
  %rows = onnx.Constant dense<[[0], [1], [2]]> : tensor<3x1xi64>
  %columns = onnx.Constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %after = onnx.Less(%rows, %columns) : (tensor<3x1xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  %a = onnx.Where(%mask, %zero, %none) : (tensor<3x4xi1>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %c = onnx.Where(%after, %none, %zero) : (tensor<3x4xi1>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %b = onnx.Add(%a, %c) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %x = onnx.Add(%s, %b) : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<3x1xi1>, tensor<f32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// The maxima are of another tensor than the bias, and the softmax is along another dimension.
// CHECK-LABEL: func @others
// CHECK-NOT:     onnx.hidden_rows_are_zero
// CHECK:         return
func.func @others(%s: tensor<3x4x4xf32>, %b: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3x4x4xf32>) {
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %x = onnx.Add(%s, %b) : (tensor<3x4x4xf32>, tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %m = onnx.ReduceMax(%o) axes(%last) : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<4x1xi1>, tensor<f32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %q = onnx.Softmax(%x) {axis = 1 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %n = onnx.ReduceMax(%b) axes(%last) : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %i = onnx.Equal(%n, %none) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xi1>
  %z = onnx.Where(%i, %zero, %q) : (tensor<4x1xi1>, tensor<f32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return %y, %z : tensor<3x4x4xf32>, tensor<3x4x4xf32>
}

// -----

// The shape that is padded or viewed is that of the sum, or of zeros, and not of a condition: these are numbers.
// CHECK-LABEL: func @moved_sums
// CHECK-SAME:  (%[[S:.+]]: tensor<2x1x5xf32>, %{{.+}}: tensor<2x1xi1>, %{{.+}}: tensor<1x4xi1>)
// CHECK-DAG:     %[[SUM:.+]] = onnx.Add(%{{.+}}, %{{.+}}) : (tensor<2x1xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK-DAG:     %[[PADDED:.+]] = onnx.Pad(%[[SUM]],
// CHECK-DAG:     %[[MOVED:.+]] = onnx.Reshape(%[[PADDED]],
// CHECK-DAG:     %[[ZEROS:.+]] = onnx.Pad(%{{.+}} : (tensor<1x4xf32>,
// CHECK-DAG:     %[[BIAS:.+]] = onnx.Add(%[[MOVED]], %[[ZEROS]])
// CHECK-DAG:     %[[X:.+]] = onnx.Add(%[[S]], %[[BIAS]]) {onnx.hides}
// CHECK:         onnx.Softmax(%[[X]]) {axis = 2 : i64, onnx.hidden_rows_are_zero}
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @moved_sums(%s: tensor<2x1x5xf32>, %rows: tensor<2x1xi1>, %keys: tensor<1x4xi1>) -> tensor<2x1x5xf32> {
  %pads = onnx.Constant dense<[0, 0, 0, 1]> : tensor<4xi64>
  %shape = onnx.Constant dense<[2, 1, 5]> : tensor<3xi64>
  %row_shape = onnx.Constant dense<[1, 4]> : tensor<2xi64>
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %last = onnx.Constant dense<2> : tensor<1xi64>
  %c = onnx.Where(%rows, %zero, %none) : (tensor<2x1xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1xf32>
  %d = onnx.Where(%keys, %zero, %none) : (tensor<1x4xi1>, tensor<f32>, tensor<f32>) -> tensor<1x4xf32>
  %e = onnx.Add(%c, %d) : (tensor<2x1xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %ep = onnx.Pad(%e, %pads) constant_value(%none) : (tensor<2x4xf32>, tensor<4xi64>, tensor<f32>) -> tensor<2x5xf32>
  %er = onnx.Reshape(%ep, %shape) : (tensor<2x5xf32>, tensor<3xi64>) -> tensor<2x1x5xf32>
  %z = onnx.ConstantOfShape(%row_shape) : (tensor<2xi64>) -> tensor<1x4xf32>
  %zp = onnx.Pad(%z, %pads) constant_value(%none) : (tensor<1x4xf32>, tensor<4xi64>, tensor<f32>) -> tensor<1x5xf32>
  %b = onnx.Add(%er, %zp) : (tensor<2x1x5xf32>, tensor<1x5xf32>) -> tensor<2x1x5xf32>
  %x = onnx.Add(%s, %b) : (tensor<2x1x5xf32>, tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  %p = onnx.Softmax(%x) {axis = 2 : i64} : (tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  %m = onnx.ReduceMax(%b) axes(%last) : (tensor<2x1x5xf32>, tensor<1xi64>) -> tensor<2x1x1xf32>
  %h = onnx.Equal(%m, %none) : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xi1>
  %y = onnx.Where(%h, %zero, %p) : (tensor<2x1x1xi1>, tensor<f32>, tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  return %y : tensor<2x1x5xf32>
}
}
