// RUN: onnx-opt %s --canonicalize --cse | FileCheck %s

// Operators have no effects: unused ones go, equal ones are one.
// CHECK-LABEL: func @pure
func.func @pure(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NOT: onnx.Abs
  // CHECK: %[[Y:.+]] = onnx.Relu
  // CHECK-NEXT: return %[[Y]], %[[Y]]
  %0 = onnx.Abs(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// Random numbers differ each time, even without an operand that does.
// CHECK-LABEL: func @random
func.func @random() -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK-COUNT-2: onnx.RandomNormal
  %0 = onnx.RandomNormal {shape = array<i64: 2>} : () -> tensor<2xf32>
  %1 = onnx.RandomNormal {shape = array<i64: 2>} : () -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// An operator with graphs has the effects of what is in them.
// CHECK-LABEL: func @graphs
func.func @graphs(%c: tensor<i1>, %x: tensor<2xf32>) {
  // CHECK-NEXT: return
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<2xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    %1 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.Yield %1 : tensor<2xf32>
  }
  return
}

// Equal constants are one, in whichever attribute the first has its value.
// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<2xi64>, tensor<2xi64>) {
  // CHECK-COUNT-1: onnx.Constant
  // CHECK-NOT: onnx.Constant
  %0 = onnx.Constant dense<[1, 2]> : tensor<2xi64>
  %1 = onnx.Constant {value_ints = array<i64: 1, 2>} : tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

// A run that fails is not one that does not.
// CHECK-LABEL: func @fail
func.func @fail(%c: tensor<i1>) {
  // CHECK: onnx.Fail
  onnx.Fail "too few" if %c : tensor<i1>
  return
}
