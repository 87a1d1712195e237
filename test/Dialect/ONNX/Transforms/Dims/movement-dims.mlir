// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func @movement
// CHECK:         onnx.Concat{{.*}}["n + m", "4"]
// CHECK:         onnx.Slice{{.*}}["max(n - 2, 0)", "4"]
// CHECK:         onnx.Pad{{.*}}["n + 3", "4"]
// CHECK:         onnx.Tile{{.*}}["n * 2", "4"]
// CHECK:         onnx.Split{{.*}}["(n + 1) floordiv 2", "4"], ["n - ((n + 1) floordiv 2)", "4"]
// CHECK:         onnx.Resize{{.*}}["n * 2", "4"]
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

// CHECK-LABEL: func @blocks
// CHECK:         onnx.SpaceToDepth{{.*}}["n", "c * 4", "h", "w"]
// CHECK:         onnx.DepthToSpace{{.*}}["n", "c", "h * 2", "w * 2"]
func.func @blocks(%x: tensor<?x?x?x?xf32> {onnx.dims = ["n", "c", "h", "w"]}) -> (none, none) {
  %scales = onnx.Constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>
  %0 = onnx.Resize(%x) scales(%scales) : (tensor<?x?x?x?xf32>, tensor<4xf32>) -> none
  %1 = onnx.SpaceToDepth(%0) {blocksize = 2 : i64} : (none) -> none
  %2 = onnx.DepthToSpace(%1) {blocksize = 2 : i64} : (none) -> none
  return %1, %2 : none, none
}

// -----

// CHECK-LABEL: func @slices
// CHECK:         onnx.Slice{{.*}}["n", "(h + 1) floordiv 2"]
// CHECK:         onnx.Slice{{.*}}["n", "h"]
// CHECK:         onnx.Slice{{.*}}["n", "min(3, h)"]
func.func @slices(%x: tensor<?x?xf32> {onnx.dims = ["n", "h"]}) -> (none, none, none) {
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %three = onnx.Constant dense<3> : tensor<1xi64>
  %back = onnx.Constant dense<-1> : tensor<1xi64>
  %last = onnx.Constant dense<9223372036854775807> : tensor<1xi64>
  %first = onnx.Constant dense<-9223372036854775807> : tensor<1xi64>
  %0 = onnx.Slice(%x, %zero, %last) axes(%one) steps(%two)
      : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> none
  %1 = onnx.Slice(%x, %back, %first) axes(%one) steps(%back)
      : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> none
  %2 = onnx.Slice(%x, %zero, %three) axes(%one)
      : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> none
  return %0, %1, %2 : none, none, none
}

// -----

// The sizes of a Split, the repeats of a Tile and the pads of a Pad may come
// from other sizes.
// CHECK-LABEL: func @from_sizes
// CHECK:         onnx.Split{{.*}}["m"], ["2"]
// CHECK:         onnx.Tile{{.*}}["n * m"]
// CHECK:         onnx.Pad{{.*}}["n + m * 2"]
func.func @from_sizes(%x: tensor<?xf32> {onnx.dims = ["n"]}, %y: tensor<?xf32> {onnx.dims = ["m"]})
    -> (none, none, none, none) {
  %m = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %sizes = onnx.Concat(%m, %two) {axis = 0 : i64} : (none, tensor<1xi64>) -> none
  %0:2 = onnx.Split(%x) split(%sizes) : (tensor<?xf32>, none) -> (none, none)
  %1 = onnx.Tile(%x, %m) : (tensor<?xf32>, none) -> none
  %pads = onnx.Concat(%m, %m) {axis = 0 : i64} : (none, none) -> none
  %2 = onnx.Pad(%x, %pads) : (tensor<?xf32>, none) -> none
  return %0#0, %0#1, %1, %2 : none, none, none, none
}
