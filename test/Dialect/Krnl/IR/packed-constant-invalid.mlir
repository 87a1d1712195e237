// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @lengths() -> tensor<4xf32> {
  // expected-error @+1 {{expected as many dims, sizes and strides, but got 1, 2 and 1}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0], sizes = [2, 2], strides = [1]>
  return %a : tensor<4xf32>
}

// -----

func.func @negative() {
  // expected-error @+1 {{'krnl.constant' op layout has size 4 and stride -1, but expects no negative}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0], sizes = [4], strides = [-1]>
  return
}

// -----

func.func @too_large() {
  // expected-error @+1 {{'krnl.constant' op layout has more elements than an address can count}}
  %a = krnl.constant dense<1.0> : tensor<4xf32> layout #krnl.packed<dims = [0, 0], sizes = [4611686018427387904, 16], strides = [1, 0]>
  return
}

// -----

func.func @long_sums_without_count() {
  // expected-error @+1 {{expected an entry and a count of long sums}}
  %a = krnl.constant dense<1> : tensor<8x2xi8> layout #krnl.packed<dims = [0, 1, 0], sizes = [2, 2, 4], strides = [4, 1, 1], long_sums = [0]>
  return
}

// -----

func.func @long_sums_of_columns() {
  // expected-error @+1 {{long sums along entry 1 are of no groups of 4 bytes}}
  %a = krnl.constant dense<1> : tensor<8x2xi8> layout #krnl.packed<dims = [0, 1, 0], sizes = [2, 2, 4], strides = [4, 1, 1], long_sums = [1, 1]>
  return
}
