// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @place_used_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = krnl.kernel "k" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %r = krnl.compute [j | i] (%p = %a[i, j]) -> (%q = %o[0, j])
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0 : index
      // expected-error @+1 {{may be used by the terminator only}}
      %v = krnl.scatter_store %p at [%zero, %zero] : f32
      %w = arith.addf %v, %p : f32
      linalg.yield %w : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @too_few_indices(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = krnl.kernel "k" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %r = krnl.compute [j | i] (%p = %a[i, j]) -> (%q = %o[0, j])
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0 : index
      // expected-error @+1 {{needs an index for each dimension of result 0}}
      %v = krnl.scatter_store %p at [%zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @current_of_a_plain_result(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = krnl.kernel "k" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %r = krnl.compute [i, j] (%p = %a[i, j]) -> (%q = %o[i, j])
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %zero = arith.constant 0 : index
      // expected-error @+1 {{reads result 0, which goes to no computed index}}
      %v = krnl.scatter_load 0 at [%zero, %zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @updates_in_another_order(%x: tensor<4x8xf32>, %z: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{recipe step 1 'order(j, i)': op '0' needs the loops that it reduces in order}}
  %y = krnl.kernel "k" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%z : tensor<9xf32>) recipe [order(j, i)] {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<9xf32>):
    %r = krnl.compute [| i, j] (%p = %a[i, j]) -> (%q = %o[0]) : (tensor<4x8xf32>) -> tensor<9xf32> {
      %zero = arith.constant 0 : index
      %v = krnl.scatter_store %p at [%zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<9xf32>
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

func.func @updates_in_parts(%x: tensor<4x8xf32>, %z: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{recipe step 1 'split_reduction(j, 4) -> (j.o, j.i)': op '0'}}
  %y = krnl.kernel "k" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%z : tensor<9xf32>) recipe [split_reduction(j, 4) -> (j.o, j.i)] {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<9xf32>):
    %r = krnl.compute [| i, j] (%p = %a[i, j]) -> (%q = %o[0]) : (tensor<4x8xf32>) -> tensor<9xf32> {
      %zero = arith.constant 0 : index
      %v = krnl.scatter_store %p at [%zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<9xf32>
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}
