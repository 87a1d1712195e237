// RUN: onnx-opt %s --convert-onnx-to-krnl --verify-diagnostics

// All operators that are not lowered are named, not only the first, and those
// in between lowered.
func.func @no_lowering(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-error @+1 {{the operator training.Gradient has no lowering yet}}
  %0 = "onnx.training.Gradient"(%x) <{xs = ["x"], y = "y"}> : (tensor<3xf32>) -> tensor<3xf32>
  %1 = onnx.Relu(%0) : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error @+1 {{the operator training.Gradient has no lowering yet}}
  %2 = "onnx.training.Gradient"(%1) <{xs = ["x"], y = "y"}> : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xf32>, tensor<3xf32>
}

// Where there is a lowering but not for this, the types and its reason.
func.func @not_for_this(%x: tensor<2x3xf32>, %w: tensor<1x1x1xf32>) -> tensor<2x3xf32> {
  // expected-error @+2 {{the operator Conv is not supported for (tensor<2x3xf32>, tensor<1x1x1xf32>) -> (tensor<2x3xf32>)}}
  // expected-note @+1 {{expects operands of one known rank, 3 or more}}
  %0 = onnx.Conv(%x, %w) : (tensor<2x3xf32>, tensor<1x1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Of a scalar there is nothing to scan.
func.func @scanned_scalar(%s: tensor<2xf32>, %x: tensor<f32>) -> tensor<2xf32> {
  // expected-error @+2 {{the operator Scan is not supported}}
  // expected-note @+1 {{axis is out of range}}
  %y = onnx.Scan(%s, %x) {num_scan_inputs = 1 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32> body {
  ^bb0(%state: tensor<2xf32>, %each: tensor<f32>):
    onnx.Yield %state : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// Attributes that inference does not look at.
func.func @axes(%x: tensor<?x?xf32>, %l: tensor<?xi64>, %d: tensor<i64>, %v: tensor<2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // expected-error @+2 {{the operator ReverseSequence is not supported}}
  // expected-note @+1 {{an axis is out of range}}
  %0 = onnx.ReverseSequence(%x, %l) {batch_axis = 7 : i64, time_axis = 0 : i64} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  // expected-error @+2 {{the operator OneHot is not supported}}
  // expected-note @+1 {{axis is out of range}}
  %1 = onnx.OneHot(%l, %d, %v) {axis = -9 : i64} : (tensor<?xi64>, tensor<i64>, tensor<2xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @groups(%x: tensor<1x2x5x5xui8>, %w: tensor<3x2x3x3xui8>) -> tensor<1x3x3x3xi32> {
  // expected-error @+2 {{the operator ConvInteger is not supported}}
  // expected-note @+1 {{group is out of range}}
  %0 = onnx.ConvInteger(%x, %w) {group = 0 : i64} : (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>) -> tensor<1x3x3x3xi32>
  return %0 : tensor<1x3x3x3xi32>
}

func.func @hidden(%x: tensor<4x2x3xf32>, %w: tensor<1x0x3xf32>, %r: tensor<1x0x0xf32>) -> tensor<4x1x2x0xf32> {
  // expected-error @+2 {{the operator RNN is not supported}}
  // expected-note @+1 {{hidden size is out of range}}
  %0 = onnx.RNN(%x, %w, %r) {hidden_size = 0 : i64} : (tensor<4x2x3xf32>, tensor<1x0x3xf32>, tensor<1x0x0xf32>) -> Y tensor<4x1x2x0xf32>
  return %0 : tensor<4x1x2x0xf32>
}

// A size that no tensor has.
func.func @expand_to_less_than_nothing(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = onnx.Constant dense<-1> : tensor<1xi64>
  // expected-error @+2 {{the operator Expand is not supported}}
  // expected-note @+1 {{the shape has a negative size}}
  %0 = onnx.Expand(%x, %s) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Complex numbers have no order.
func.func @least_of_complex_numbers(%data: tensor<5xcomplex<f32>>, %indices: tensor<3xi64>, %updates: tensor<3xcomplex<f32>>, %rows: tensor<3x1xi64>) -> (tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>) {
  // expected-error @+2 {{the operator ScatterElements is not supported}}
  // expected-note @+1 {{elements have no such reduction}}
  %0 = onnx.ScatterElements(%data, %indices, %updates) {reduction = "min"} : (tensor<5xcomplex<f32>>, tensor<3xi64>, tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  // expected-error @+2 {{the operator ScatterND is not supported}}
  // expected-note @+1 {{elements have no such reduction}}
  %1 = onnx.ScatterND(%data, %rows, %updates) {reduction = "max"} : (tensor<5xcomplex<f32>>, tensor<3x1xi64>, tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %0, %1 : tensor<5xcomplex<f32>>, tensor<5xcomplex<f32>>
}
