// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Shuffles that no access has a use for.

func.func @transpose_one_copy(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{recipe step 2 'transpose(c)': no op has vectors across the rows of an operand or result, and 2 copies of loop 'c' along them, or as many as lanes}}
  %y = krnl.kernel "transpose_one_copy" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @transpose_many_copies(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{no op has vectors across the rows of an operand or result, and 2 copies of loop 'c' along them, or as many as lanes}}
  %y = krnl.kernel "transpose_many_copies" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 8), vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @transpose_scalars(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{no op has vectors across the rows of an operand or result, and 2 copies of loop 'c' along them, or as many as lanes}}
  %y = krnl.kernel "transpose_scalars" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @transpose_same_order(%x: tensor<8x6xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{no op has vectors across the rows of an operand or result, and 2 copies of loop 'c' along them, or as many as lanes}}
  %y = krnl.kernel "transpose_same_order" loops [c = 8, r = 6] ins(%x : tensor<8x6xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), transpose(c)] {
  ^bb0(%a: tensor<8x6xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[c, r]) -> (%q = %b[c, r]) : (tensor<8x6xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @transpose_packed(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+2 {{no op has vectors across the rows of an operand or result, and 2 copies of loop 'c' along them, or as many as lanes}}
  // expected-note @+1 {{it would be legal before recipe step 3 'pack(0, [c, r])'}}
  %y = krnl.kernel "transpose_packed" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), pack(0, [c, r]), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @transpose_twice(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+2 {{the step is already applied to op '0'}}
  // expected-note @+1 {{it would be legal before recipe step 3 'transpose(c)'}}
  %y = krnl.kernel "transpose_twice" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), transpose(c), transpose(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @interleave_loaded(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{recipe step 3 'interleave(c)': no op has a result with lanes as many elements apart as loop 'c' has copies}}
  %y = krnl.kernel "interleave_loaded" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), interleave(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @interleave_other_copies(%x: tensor<6x8xf32>, %o: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-error @+1 {{no op has a result with lanes as many elements apart as loop 'c' has copies}}
  %y = krnl.kernel "interleave_other_copies" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<6x8xf32>)
      recipe [order(c, r), unroll(c, 2), vectorize(r, 4), interleave(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<6x8xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[r, c]) : (tensor<6x8xf32>) -> tensor<6x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<6x8xf32>
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

func.func @early_exit(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{no op traverses data along loop 'c'}}
  %y = krnl.kernel "early_exit" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [early_exit(c)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @tail_without_rest(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{loop 'c' leaves no iterations for a tail}}
  %y = krnl.kernel "tail_without_rest" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 8, tail=[4])] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @tail_too_large(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{the next part of the tail must have 2 to 4 iterations, but has 5}}
  %y = krnl.kernel "tail_too_large" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(r, 5, tail=[5])] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @tail_grows(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{the next part of the tail must have 2 to 3 iterations, but has 4}}
  %y = krnl.kernel "tail_grows" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(r, 5, tail=[4, 4])] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @tail_of_one(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{the next part of the tail must have 2 to 4 iterations, but has 1}}
  %y = krnl.kernel "tail_of_one" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(r, 5, tail=[1])] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @tail_of_vectors(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+2 {{vectors of loop 'r' are left one by one; they have no tail}}
  // expected-note @+1 {{it would be legal before recipe step 1 'vectorize(r, 2)'}}
  %y = krnl.kernel "tail_of_vectors" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [vectorize(r, 2), unroll(r, 4, tail=[2])] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @vectors_with_tail(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+2 {{vectors of loop 'r' are left one by one; they have no tail}}
  // expected-note @+1 {{it would be legal before recipe step 1 'unroll(r, 4, tail=[2])'}}
  %y = krnl.kernel "vectors_with_tail" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(r, 4, tail=[2]), vectorize(r, 2)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @masked_whole_vectors(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{recipe step 3 'transpose(c, masked)': no result has copies of loop 'c' that are not a power of two, so nothing is masked}}
  %y = krnl.kernel "masked_whole_vectors" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4), transpose(c, masked)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<6x8xf32>) -> tensor<8x6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

func.func @strided_elsewhere(%x: tensor<64xf32>, %o: tensor<64x3xf32>) -> tensor<64x3xf32> {
  // expected-error @+1 {{recipe step 2 'strided(i, 2)': no op accesses memory where the lanes of loop 'i' are 2 elements apart}}
  %y = krnl.kernel "strided_elsewhere" loops [i = 64] ins(%x : tensor<64xf32>) outs(%o : tensor<64x3xf32>)
      recipe [vectorize(i, 16), strided(i, 2)] {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64x3xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i, 0]) : (tensor<64xf32>) -> tensor<64x3xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<64x3xf32>
  } -> tensor<64x3xf32>
  return %y : tensor<64x3xf32>
}

// -----

func.func @strided_twice(%x: tensor<64xf32>, %o: tensor<64x3xf32>) -> tensor<64x3xf32> {
  // expected-error @+2 {{recipe step 3 'strided(i, 3)': the step is already applied to op '0'}}
  // expected-note @+1 {{it would be legal before recipe step 2 'strided(i, 3)'}}
  %y = krnl.kernel "strided_twice" loops [i = 64] ins(%x : tensor<64xf32>) outs(%o : tensor<64x3xf32>)
      recipe [vectorize(i, 16), strided(i, 3), strided(i, 3)] {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64x3xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i, 0]) : (tensor<64xf32>) -> tensor<64x3xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<64x3xf32>
  } -> tensor<64x3xf32>
  return %y : tensor<64x3xf32>
}

// -----

func.func @interleave_few_copies(%x: tensor<32xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{recipe step 3 'interleave(k)': no op has a result with lanes as many elements apart as loop 'k' has copies, or an operand with lanes so few elements apart that the copies read all between}}
  %y = krnl.kernel "interleave_few_copies" loops [i = 8, k = 2] ins(%x : tensor<32xf32>) outs(%o : tensor<8xf32>)
      recipe [unroll(k, 2), vectorize(i, 4), interleave(k)] {
  ^bb0(%a: tensor<32xf32>, %b: tensor<8xf32>):
    %s = krnl.compute [i | k] (%p = %a[i * 3 + k]) -> (%q = %b[i]) : (tensor<32xf32>) -> tensor<8xf32> {
      %t = arith.addf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
