// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --krnl-choose-layouts --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --krnl-choose-layouts --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes="keep-order emit-recipes=-" -o /dev/null | FileCheck %s --check-prefix=ORDER

// Seven rows of results read what goes by, row after row of the window: of 13 rows
// each is read once for all of them. The last vectors are fewer, and known.
// CHECK-LABEL: kernel "Conv"
// CHECK:         block(o0, 7) -> (o0.o, o0.i)
// CHECK:         block(o1, 32, tail=peel) -> (o1.o, o1.i)
// CHECK:         order({{.*}}, k1, k0, o0.i, o1.i)
// CHECK:         unroll(o0.i, 7)
// CHECK:         unroll(k0, 7)
// CHECK:         unroll(o1.i, 2)
// What must be added in its order is not.
// ORDER-LABEL: kernel "Conv"
// ORDER-NOT:     unroll(o0
// ORDER:       kernel "MaxPool"
func.func @rows(%x: tensor<1x96x62x62xf32>, %w: tensor<96x1x7x7xf32>) -> tensor<1x96x56x56xf32> {
  %y = onnx.Conv(%x, %w) {group = 96 : i64} : (tensor<1x96x62x62xf32>, tensor<96x1x7x7xf32>) -> tensor<1x96x56x56xf32>
  return %y : tensor<1x96x56x56xf32>
}

// Three rows that move by two share one.
// CHECK-LABEL: kernel "MaxPool"
// CHECK-NOT:     unroll(o0
func.func @apart(%x: tensor<1x64x57x57xf32>) -> tensor<1x64x28x28xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x64x57x57xf32>) -> tensor<1x64x28x28xf32>
  return %y : tensor<1x64x28x28xf32>
}

// Where the sizes are dynamic, four rows share what they read, by one vector each,
// which is half as wide as it could be: it crosses fewer lines, and short rows leave less.
// Two or three rows that are left take the time of one.
// CHECK-LABEL: kernel "AveragePool"
// CHECK:         block(o0, 4) -> (o0.o, o0.i)
// CHECK:         block(o1, 8) -> (o1.o, o1.i)
// CHECK:         order({{.*}}, k1, k0, o0.i, o1.i)
// CHECK:         unroll(o0.i, 4, tail=[3, 2])
// CHECK:         1: unroll(k0, 3)
// ORDER:       kernel "AveragePool"
func.func @dynamic_rows(%x: tensor<1x64x?x?xf32>) -> tensor<1x64x?x?xf32> {
  %y = onnx.AveragePool(%x) {kernel_shape = array<i64: 3, 3>} : (tensor<1x64x?x?xf32>) -> tensor<1x64x?x?xf32>
  return %y : tensor<1x64x?x?xf32>
}

// Windows apart share nothing, but the sums of four short rows wait less than those of one:
// rows of four channels, as their number leaves none.
// CHECK-LABEL: kernel "LpPool"
// CHECK:         block(c, 4) -> (c.o, c.i)
// CHECK:         block(o1, 8) -> (o1.o, o1.i)
// CHECK:         unroll(c.i, 4)
// ORDER:       kernel "LpPool"
func.func @dynamic_apart(%x: tensor<1x64x?x?xf32>) -> tensor<1x64x?x?xf32> {
  %y = onnx.LpPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, p = 1 : i64} : (tensor<1x64x?x?xf32>) -> tensor<1x64x?x?xf32>
  return %y : tensor<1x64x?x?xf32>
}

// Six channels leave two.
// CHECK-LABEL: kernel "LpPool#2"
// CHECK:         block(o0, 4) -> (o0.o, o0.i)
// CHECK:         unroll(o0.i, 4, tail=[3, 2])
// ORDER:       kernel "LpPool#2"
func.func @dynamic_apart_six(%x: tensor<1x6x?x?xf32>) -> tensor<1x6x?x?xf32> {
  %y = onnx.LpPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, p = 1 : i64} : (tensor<1x6x?x?xf32>) -> tensor<1x6x?x?xf32>
  return %y : tensor<1x6x?x?xf32>
}

// What is multiplied by a weight has whole vectors: the weight is loaded for each.
// CHECK-LABEL: kernel "Conv#2"
// CHECK:         block(o0, 4) -> (o0.o, o0.i)
// CHECK:         block(o1, 16) -> (o1.o, o1.i)
// ORDER:       kernel "Conv#2"
func.func @dynamic_weights(%x: tensor<1x96x?x?xf32>, %w: tensor<96x1x3x3xf32>) -> tensor<1x96x?x?xf32> {
  %y = onnx.Conv(%x, %w) {group = 96 : i64} : (tensor<1x96x?x?xf32>, tensor<96x1x3x3xf32>) -> tensor<1x96x?x?xf32>
  return %y : tensor<1x96x?x?xf32>
}

// Of windows of five rows that move by two, four read 11 rows, not 20. The columns, whose
// lanes are shuffled out of the same vectors, are unrolled as well.
// CHECK-LABEL: kernel "Conv#3"
// CHECK:         block(o0, 4) -> (o0.o, o0.i)
// CHECK:         order({{.*}}, k0, k1, o0.i, o1)
// CHECK:         unroll(o0.i, 4)
// CHECK:         unroll(k1, 5)
// CHECK:         unroll(k0, 5)
// CHECK:         order(o0.i, o1, k0, k1)
// CHECK:         interleave(k1)
func.func @steps_of_two(%x: tensor<1x96x59x59xf32>, %w: tensor<96x1x5x5xf32>) -> tensor<1x96x28x28xf32> {
  %y = onnx.Conv(%x, %w) {group = 96 : i64, strides = array<i64: 2, 2>} : (tensor<1x96x59x59xf32>, tensor<96x1x5x5xf32>) -> tensor<1x96x28x28xf32>
  return %y : tensor<1x96x28x28xf32>
}

// Columns that are not apart are a loop outside of the rows.
// CHECK-LABEL: kernel "Conv#4"
// CHECK:         order({{.*}}, k1, k0, o0.i, o1.i)
// CHECK-NOT:     interleave
// ORDER:       kernel "Conv#4"
func.func @rows_of_two(%x: tensor<1x96x59x60xf32>, %w: tensor<96x1x5x5xf32>) -> tensor<1x96x28x56xf32> {
  %y = onnx.Conv(%x, %w) {group = 96 : i64, strides = array<i64: 2, 1>} : (tensor<1x96x59x60xf32>, tensor<96x1x5x5xf32>) -> tensor<1x96x28x56xf32>
  return %y : tensor<1x96x28x56xf32>
}

// A window of dynamic size is assumed to be short: it has no lanes. Weights of the run are packed once, for all
// images and rows of them.
// CHECK-LABEL: kernel "Conv#5"
// CHECK:         block(oc, 64) -> (oc.o, oc.r)
// CHECK:         register_tile(o1.r, oc.r, lanes=16
// CHECK:         pack(1, [oc.o, ic, k0, k1, oc.r], transpose=16)
// ORDER:       kernel "Conv#5"
func.func @dynamic_window(%x: tensor<?x64x56x56xf32>, %w: tensor<512x64x?x?xf32>) -> tensor<?x512x?x?xf32> {
  %y = onnx.Conv(%x, %w) : (tensor<?x64x56x56xf32>, tensor<512x64x?x?xf32>) -> tensor<?x512x?x?xf32>
  return %y : tensor<?x512x?x?xf32>
}

// Nor has it where nothing else is known: rows of images do not fill the vectors of a loop without a tile.
// CHECK-LABEL: kernel "Conv#6"
// CHECK:         register_tile(o1.r, oc.r, lanes=16
// ORDER:       kernel "Conv#6"
func.func @dynamic_all(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %y = onnx.Conv(%x, %w) : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Windows whose rows are apart share no elements from one row of results to the next, but the filter of their channel.
// CHECK-LABEL: kernel "Conv#7"
// CHECK:         block(o0, 4) -> (o0.o, o0.i)
// CHECK:         unroll(o0.i, 4, tail=[3, 2])
// ORDER:       kernel "Conv#7"
func.func @dilated_rows(%x: tensor<1x96x?x?xf32>, %w: tensor<96x1x3x3xf32>) -> tensor<1x96x?x?xf32> {
  %y = onnx.Conv(%x, %w) {group = 96 : i64, dilations = array<i64: 2, 2>} : (tensor<1x96x?x?xf32>, tensor<96x1x3x3xf32>) -> tensor<1x96x?x?xf32>
  return %y : tensor<1x96x?x?xf32>
}

// Windows of a pool share nothing: rows of four channels leave no rest.
// CHECK-LABEL: kernel "MaxPool#2"
// CHECK:         block(c, 4) -> (c.o, c.i)
// CHECK:         unroll(c.i, 4)
func.func @rows_of_channels(%x: tensor<1x96x?x?xf32>) -> tensor<1x96x?x?xf32> {
  %y = onnx.MaxPool(%x) {dilations = array<i64: 2, 2>, kernel_shape = array<i64: 3, 3>} : (tensor<1x96x?x?xf32>) -> tensor<1x96x?x?xf32>
  return %y : tensor<1x96x?x?xf32>
}
