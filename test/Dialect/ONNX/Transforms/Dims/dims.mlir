// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func @broadcast
// CHECK:         onnx.Add{{.*}}"[a, 4]"
// CHECK:         onnx.Add{{.*}}"[broadcast(a, b), 4]"
func.func @broadcast(%x: tensor<?x4xf32> {onnx.dims = ["a", ""]},
                     %y: tensor<?x1xf32> {onnx.dims = ["b", ""]}) -> (none, none) {
  %0 = onnx.Add(%x, %x) : (tensor<?x4xf32>, tensor<?x4xf32>) -> none
  %1 = onnx.Add(%x, %y) : (tensor<?x4xf32>, tensor<?x1xf32>) -> none
  return %0, %1 : none, none
}

// -----

// Two strided convolutions: the divisions become one.
// CHECK-LABEL: func @convolutions
// CHECK:         "[1, 8, (h + 1) floordiv 2, w]"
// CHECK:         "[1, 8, (h + 3) floordiv 4, w]"
func.func @convolutions(%x: tensor<1x8x?x?xf32> {onnx.dims = ["", "", "h", "w"]},
                        %w: tensor<8x8x3x3xf32>) -> none {
  %0 = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 1>}
      : (tensor<1x8x?x?xf32>, tensor<8x8x3x3xf32>) -> none
  %1 = onnx.Conv(%0, %w) {auto_pad = "SAME_UPPER", strides = array<i64: 2, 1>}
      : (none, tensor<8x8x3x3xf32>) -> none
  return %1 : none
}

// -----

// CHECK-LABEL: func @pools
// CHECK:         onnx.MaxPool{{.*}}"[1, 8, h floordiv 2]"
// CHECK:         onnx.ConvTranspose{{.*}}"[1, 4, h * 2]"
func.func @pools(%x: tensor<1x8x?xf32> {onnx.dims = ["", "", "h"]},
                 %w: tensor<8x4x2xf32>) -> (none, none) {
  %0 = onnx.MaxPool(%x) {kernel_shape = array<i64: 2>, strides = array<i64: 2>}
      : (tensor<1x8x?xf32>) -> (none)
  %1 = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>}
      : (tensor<1x8x?xf32>, tensor<8x4x2xf32>) -> none
  return %0, %1 : none, none
}

// -----

// The heads of an attention: what shape arithmetic takes apart comes together.
// CHECK-LABEL: func @heads
// CHECK:         onnx.Reshape{{.*}}"[b, s, 12, 64]"
// CHECK:         onnx.Transpose{{.*}}"[b, 12, s, 64]"
// CHECK:         onnx.MatMul{{.*}}"[b, 12, s, s]"
func.func @heads(%x: tensor<?x?x768xf32> {onnx.dims = ["b", "s", ""]}) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %tail = onnx.Constant dense<[12, -1]> : tensor<2xi64>
  %shape = onnx.Shape(%x) : (tensor<?x?x768xf32>) -> none
  %head = onnx.Slice(%shape, %zero, %two) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %target = onnx.Concat(%head, %tail) {axis = 0 : i64} : (none, tensor<2xi64>) -> none
  %0 = onnx.Reshape(%x, %target) : (tensor<?x?x768xf32>, none) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 0, 2, 1, 3>} : (none) -> none
  %2 = onnx.Transpose(%0) {perm = array<i64: 0, 2, 3, 1>} : (none) -> none
  %3 = onnx.MatMul(%1, %2) : (none, none) -> none
  return %3 : none
}

// -----

// CHECK-LABEL: func @movement
// CHECK:         onnx.Concat{{.*}}"[n + m, 4]"
// CHECK:         onnx.Slice{{.*}}"[max(n - 2, 0), 4]"
// CHECK:         onnx.Pad{{.*}}"[n + 3, 4]"
// CHECK:         onnx.Tile{{.*}}"[n * 2, 4]"
// CHECK:         onnx.Split{{.*}}"[(n + 1) floordiv 2, 4]", "[n - ((n + 1) floordiv 2), 4]"
// CHECK:         onnx.Resize{{.*}}"[n * 2, 4]"
func.func @movement(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                    %y: tensor<?x4xf32> {onnx.dims = ["m", ""]})
    -> (none, none, none, none, none, none, none) {
  %0 = onnx.Concat(%x, %y) {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> none
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %minus = onnx.Constant dense<-1> : tensor<1xi64>
  %1 = onnx.Slice(%x, %one, %minus) : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> none
  %pads = onnx.Constant dense<[1, 0, 2, 0]> : tensor<4xi64>
  %2 = onnx.Pad(%x, %pads) : (tensor<?x4xf32>, tensor<4xi64>) -> none
  %repeats = onnx.Constant dense<[2, 1]> : tensor<2xi64>
  %3 = onnx.Tile(%x, %repeats) : (tensor<?x4xf32>, tensor<2xi64>) -> none
  %4:2 = onnx.Split(%x) {num_outputs = 2 : i64} : (tensor<?x4xf32>) -> (none, none)
  %scales = onnx.Constant dense<[2.0, 1.0]> : tensor<2xf32>
  %5 = onnx.Resize(%x) scales(%scales) : (tensor<?x4xf32>, tensor<2xf32>) -> none
  return %0, %1, %2, %3, %4#0, %4#1, %5 : none, none, none, none, none, none, none
}

// -----

// A size that only the run knows has a name of its own, and keeps it.
// CHECK-LABEL: func @data_dependent
// CHECK:         onnx.NonZero{{.*}}"[2, [[U:u[0-9]+]]]"
// CHECK:         onnx.Transpose{{.*}}"[[[U]], 2]"
func.func @data_dependent(%x: tensor<3x4xf32>) -> none {
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> none
  %1 = onnx.Transpose(%0) {perm = array<i64: 1, 0>} : (none) -> none
  return %1 : none
}

// -----

// CHECK-LABEL: func @generators
// CHECK:         onnx.Range{{.*}}"[n]"
// CHECK:         onnx.ConstantOfShape{{.*}}"[n * 4]"
func.func @generators(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}) -> (none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %one = onnx.Constant dense<1> : tensor<i64>
  %shape = onnx.Shape(%x) : (tensor<?x4xf32>) -> none
  %n = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %0 = onnx.Range(%zero, %n, %one) : (tensor<i64>, none, tensor<i64>) -> none
  %size = onnx.Size(%x) : (tensor<?x4xf32>) -> none
  %axes = onnx.Constant dense<0> : tensor<1xi64>
  %vector = onnx.Unsqueeze(%size, %axes) : (none, tensor<1xi64>) -> none
  %1 = onnx.ConstantOfShape(%vector) : (none) -> none
  return %0, %1 : none, none
}

// -----

// An unnamed input dimension is named after its place.
// CHECK-LABEL: func @unnamed
// CHECK:         onnx.Relu{{.*}}"[image.0, 3]"
func.func @unnamed(%x: tensor<?x3xf32> {onnx.name = "image"}) -> none {
  %0 = onnx.Relu(%x) : (tensor<?x3xf32>) -> none
  return %0 : none
}

// -----

// A loop that always runs M times stacks M slices; one that may stop does not.
// CHECK-LABEL: func @trip_count
// CHECK:         onnx.Loop{{.*}}"[n, 4]"
// CHECK:         onnx.Loop{{.*}}"[u{{[0-9]+}}, 4]"
func.func @trip_count(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                      %stop: tensor<i1>) -> (none, none) {
  %zero = onnx.Constant dense<0> : tensor<i64>
  %true = onnx.Constant dense<true> : tensor<i1>
  %shape = onnx.Shape(%x) : (tensor<?x4xf32>) -> none
  %n = onnx.Gather(%shape, %zero) : (none, tensor<i64>) -> none
  %0 = onnx.Loop M(%n) cond(%true) : (none, tensor<i1>) -> none body {
  ^bb0(%i: none, %c: none):
    %row = onnx.Gather(%x, %i) : (tensor<?x4xf32>, none) -> none
    onnx.Yield %c, %row : none, none
  }
  %1 = onnx.Loop M(%n) cond(%true) : (none, tensor<i1>) -> none body {
  ^bb0(%i: none, %c: none):
    %row = onnx.Gather(%x, %i) : (tensor<?x4xf32>, none) -> none
    onnx.Yield %stop, %row : tensor<i1>, none
  }
  return %0, %1 : none, none
}

// -----

// How exporters turn the pads of one framework into those of ONNX: a matrix of
// pairs, from the last dimension to the first, turned around.
// CHECK-LABEL: func @turned_pads
// CHECK:         onnx.Pad{{.*}}"[n + 7, m + 3]"
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
// CHECK:         onnx.Slice{{.*}}"[min(s, 100), 8]"
// CHECK:         onnx.Add{{.*}}"[s, 8]"
func.func @positions(%x: tensor<?x8xf32> {onnx.dims = ["s", ""]},
                     %table: tensor<100x8xf32>) -> none {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %shape = onnx.Shape(%x) {end = 1 : i64} : (tensor<?x8xf32>) -> none
  %0 = onnx.Slice(%table, %zero, %shape) : (tensor<100x8xf32>, tensor<1xi64>, none) -> none
  %1 = onnx.Add(%x, %0) : (tensor<?x8xf32>, none) -> none
  return %1 : none
}

// -----

// Elements of narrow integers wrap around: such sums are not followed.
// CHECK-LABEL: func @wraps_around
// CHECK:         onnx.ConstantOfShape{{.*}}"[v{{[0-9]+}}]"
func.func @wraps_around() -> none {
  %large = onnx.Constant dense<100> : tensor<1xi8>
  %0 = onnx.Add(%large, %large) : (tensor<1xi8>, tensor<1xi8>) -> none
  %1 = onnx.Cast(%0) {to = 7 : i64} : (none) -> none
  %2 = onnx.ConstantOfShape(%1) : (none) -> none
  return %2 : none
}

// -----

// Of maps there is one row, as long as the vocabulary or as the map says.
// CHECK-LABEL: func @maps
// CHECK:         onnx.ml.CastMap{{.*}} -> tensor<1x?xf32>
// CHECK:         onnx.ml.CastMap{{.*}} -> tensor<1x7xf32>
// CHECK:         onnx.ml.DictVectorizer{{.*}} -> tensor<1x3xf32>
func.func @maps(%m: !onnx.map<i64, tensor<f32>>) -> (none, none, none) {
  %0 = onnx.ml.CastMap(%m) : (!onnx.map<i64, tensor<f32>>) -> none
  %1 = onnx.ml.CastMap(%m) {map_form = "SPARSE", max_map = 7 : i64} : (!onnx.map<i64, tensor<f32>>) -> none
  %2 = onnx.ml.DictVectorizer(%m) {int64_vocabulary = array<i64: 3, 2, 1>} : (!onnx.map<i64, tensor<f32>>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// CHECK-LABEL: func @mel_weights
// CHECK:         onnx.MelWeightMatrix{{.*}} -> tensor<9x?xf32>
func.func @mel_weights(%bins: tensor<i64>, %rate: tensor<i64>, %edge: tensor<f32>) -> none {
  %length = onnx.Constant dense<16> : tensor<i64>
  %0 = onnx.MelWeightMatrix(%bins, %length, %rate, %edge, %edge)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> none
  return %0 : none
}

// -----

// The remainder has the sign of the divisor, with fmod that of the dividend.
// CHECK-LABEL: func @remainders
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<12xf32>
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<7xf32>
func.func @remainders() -> (none, none) {
  %x = onnx.Constant dense<-33> : tensor<1xi64>
  %y = onnx.Constant dense<5> : tensor<1xi64>
  %ten = onnx.Constant dense<10> : tensor<1xi64>
  %0 = onnx.Mod(%x, %y) : (tensor<1xi64>, tensor<1xi64>) -> none
  %1 = onnx.Add(%0, %ten) : (none, tensor<1xi64>) -> none
  %2 = onnx.ConstantOfShape(%1) : (none) -> none
  %3 = onnx.Mod(%x, %y) {fmod = 1 : i64} : (tensor<1xi64>, tensor<1xi64>) -> none
  %4 = onnx.Add(%3, %ten) : (none, tensor<1xi64>) -> none
  %5 = onnx.ConstantOfShape(%4) : (none) -> none
  return %2, %5 : none, none
}
