// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @lengths() -> tensor<4xf32> {
  // expected-error @+1 {{expected as many dims, sizes and strides, but got 1, 2 and 1}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0], sizes = [2, 2], strides = [1]>
  return %a : tensor<4xf32>
}

// -----

func.func @negative() -> tensor<4xf32> {
  // expected-error @+1 {{dims, sizes and strides must not be negative, but are 0, 4 and -1}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0], sizes = [4], strides = [-1]>
  return %a : tensor<4xf32>
}

// -----

func.func @too_large() -> tensor<4xf32> {
  // expected-error @+1 {{has more elements than an address can count}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0, 0], sizes = [4611686018427387904, 16], strides = [1, 0]>
  return %a : tensor<4xf32>
}
