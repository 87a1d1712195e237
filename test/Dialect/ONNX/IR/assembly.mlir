// RUN: onnx-opt %s | onnx-opt | FileCheck %s
// RUN: onnx-opt %s --mlir-print-op-generic | onnx-opt | FileCheck %s

// An absent operand leaves no trace; the keyword says which one is there.
// CHECK-LABEL: func @optional_operands
func.func @optional_operands(%x: tensor<?x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<4xf32>, %hi: tensor<f32>) {
  // CHECK: onnx.Conv(%{{.+}}, %{{.+}}) {strides = array<i64: 2, 2>} :
  %0 = onnx.Conv(%x, %w) {strides = array<i64: 2, 2>} : (tensor<?x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<?x4x4x4xf32>
  // CHECK: onnx.Conv(%{{.+}}, %{{.+}}) B(%{{.+}}) :
  %1 = onnx.Conv(%x, %w) B(%b) : (tensor<?x3x8x8xf32>, tensor<4x3x1x1xf32>, tensor<4xf32>) -> tensor<?x4x8x8xf32>
  // CHECK: onnx.Clip(%{{.+}}) max(%{{.+}}) :
  %2 = onnx.Clip(%x) max(%hi) : (tensor<?x3x8x8xf32>, tensor<f32>) -> tensor<?x3x8x8xf32>
  return
}

// CHECK-LABEL: func @optional_results
func.func @optional_results(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>) -> tensor<1x1x3xf32> {
  // CHECK: onnx.LSTM(%{{.+}}, %{{.+}}, %{{.+}}) {hidden_size = 3 : i64} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> Y_h tensor<1x1x3xf32>
  %h = onnx.LSTM(%x, %w, %r) {hidden_size = 3 : i64} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> Y_h tensor<1x1x3xf32>
  return %h : tensor<1x1x3xf32>
}

// CHECK-LABEL: func @regions
func.func @regions(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: onnx.If(%{{.+}}) : (tensor<i1>) -> tensor<2xf32> then_branch {
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<2xf32> then_branch {
    // CHECK: onnx.Relu
    %1 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %1 : tensor<2xf32>
  // CHECK: } else_branch {
  } else_branch {
    // CHECK: onnx.Yield %{{.+}} : tensor<2xf32>
    onnx.Yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// The type of a constant is written once.
// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: onnx.Constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>{{$}}
  %0 = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: onnx.Constant dense<1> : tensor<i64> -> tensor<*xi64>
  %1 = onnx.Constant dense<1> : tensor<i64> -> tensor<*xi64>
  // CHECK: onnx.Constant {value_ints = array<i64: 1, 2>} : tensor<2xi64>
  %2 = onnx.Constant {value_ints = array<i64: 1, 2>} : tensor<2xi64>
  // CHECK: onnx.Constant dense<["a", "b"]> : tensor<2x!onnx.string>
  %3 = onnx.Constant dense<["a", "b"]> : tensor<2x!onnx.string>
  return
}

// A value may be of no known type until shapes are inferred.
// CHECK-LABEL: func @unknown
func.func @unknown(%x: none, %y: tensor<2xf32>) -> none {
  // CHECK: onnx.Add(%{{.+}}, %{{.+}}) : (none, tensor<2xf32>) -> none
  %0 = onnx.Add(%x, %y) : (none, tensor<2xf32>) -> none
  return %0 : none
}

// CHECK-LABEL: func @fail
func.func @fail(%c: tensor<i1>) -> tensor<?x4xf32> {
  // CHECK: onnx.Fail "too few" if %{{.+}} : tensor<i1>
  onnx.Fail "too few" if %c : tensor<i1>
  // CHECK: onnx.Fail "too few" -> tensor<?x4xf32>
  %0 = onnx.Fail "too few" -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
