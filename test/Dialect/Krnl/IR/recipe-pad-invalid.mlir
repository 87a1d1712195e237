// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Blocks that reach past the end, where that would change results.

// Vectors of 4 in rows of 6: one would be half past the end.
func.func @vectors(%x: tensor<13x6xf32>, %w: tensor<6x6xf32>, %o: tensor<13x6xf32>) -> tensor<13x6xf32> {
  // expected-error @+1 {{recipe step 3 'vectorize(n.i, 4)': op 'mm' cannot have padded blocks: vectors of loop 'n.i' would reach across the end of 'n'}}
  %y = krnl.kernel "vectors" loops [m = 13, n = 6, k = 6] ins(%x, %w : tensor<13x6xf32>, tensor<6x6xf32>) outs(%o : tensor<13x6xf32>)
      recipe [block(n, 4, tail=pad) -> (n.o, n.i), order(m, n.o, k, n.i), vectorize(n.i, 4)] {
  ^bb0(%a: tensor<13x6xf32>, %b: tensor<6x6xf32>, %c: tensor<13x6xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<13x6xf32>, tensor<6x6xf32>) -> tensor<13x6xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<13x6xf32>
  } -> tensor<13x6xf32>
  return %y : tensor<13x6xf32>
}

// -----

// A product of zeros is zero, a sum of others is not.
func.func @sums(%x: tensor<13x6xf32>, %w: tensor<6x8xf32>, %o: tensor<13x8xf32>) -> tensor<13x8xf32> {
  // expected-error @+1 {{recipe step 1 'block(k, 4, tail=pad) -> (k.o, k.i)': op 'mm' cannot have padded blocks: it does not sum up products of two inputs of the kernel, of f16, bf16, f32 or bytes}}
  %y = krnl.kernel "sums" loops [m = 13, n = 8, k = 6] ins(%x, %w : tensor<13x6xf32>, tensor<6x8xf32>) outs(%o : tensor<13x8xf32>)
      recipe [block(k, 4, tail=pad) -> (k.o, k.i)] {
  ^bb0(%a: tensor<13x6xf32>, %b: tensor<6x8xf32>, %c: tensor<13x8xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<13x6xf32>, tensor<6x8xf32>) -> tensor<13x8xf32> {
      %u = arith.subf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<13x8xf32>
  } -> tensor<13x8xf32>
  return %y : tensor<13x8xf32>
}

// -----

// Four rows of the operand become columns in registers, and are stored together.
func.func @shuffled(%x: tensor<8x10xf32>, %o: tensor<10x8xf32>) -> tensor<10x8xf32> {
  // expected-error @+1 {{recipe step 4 'transpose(c.i)': op '0' cannot have padded blocks: accesses along loop 'c.i' are shuffled}}
  %y = krnl.kernel "shuffled" loops [c = 10, r = 8] ins(%x : tensor<8x10xf32>) outs(%o : tensor<10x8xf32>)
      recipe [block(c, 4, tail=pad) -> (c.o, c.i), unroll(c.i, 4), vectorize(r, 4), transpose(c.i)] {
  ^bb0(%a: tensor<8x10xf32>, %b: tensor<10x8xf32>):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r]) : (tensor<8x10xf32>) -> tensor<10x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<10x8xf32>
  } -> tensor<10x8xf32>
  return %y : tensor<10x8xf32>
}

// -----

func.func @groups(%x: tensor<12x10xi8>, %w: tensor<10x32xi8>, %o: tensor<12x32xi32>) -> tensor<12x32xi32> {
  // expected-error @+1 {{recipe step 5 'dot(k.b)': op 'mm' cannot have padded blocks: groups of bytes along loop 'k.b' are read at once}}
  %y = krnl.kernel "groups" loops [m = 12, n = 32, k = 10] ins(%x, %w : tensor<12x10xi8>, tensor<10x32xi8>) outs(%o : tensor<12x32xi32>)
      recipe [block(k, 4, tail=pad) -> (k.o, k.b), order(m, k.o, n, k.b), order(m, k.o, k.b, n), vectorize(n, 16), dot(k.b)] {
  ^bb0(%a: tensor<12x10xi8>, %b: tensor<10x32xi8>, %c: tensor<12x32xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<12x10xi8>, tensor<10x32xi8>) -> tensor<12x32xi32> {
      %s = arith.extsi %p : i8 to i32
      %t = arith.extsi %q : i8 to i32
      %u = arith.muli %s, %t : i32
      %v = arith.addi %e, %u : i32
      linalg.yield %v : i32
    }
    krnl.yield %r : tensor<12x32xi32>
  } -> tensor<12x32xi32>
  return %y : tensor<12x32xi32>
}

// -----

// Nothing is stored to the intermediate past the end, and what is there is no index.
func.func @indices(%x: tensor<10xf32>, %n: tensor<10xi64>, %o: tensor<10xf32>) -> tensor<10xf32> {
  // expected-error @+1 {{recipe step 1 'block(c, 4, tail=pad) -> (c.o, c.i)': op 'read' cannot have padded blocks: it computes indices from an intermediate}}
  %y = krnl.kernel "indices" loops [c = 10] ins(%x, %n : tensor<10xf32>, tensor<10xi64>) outs(%o : tensor<10xf32>)
      recipe [block(c, 4, tail=pad) -> (c.o, c.i)] {
  ^bb0(%a: tensor<10xf32>, %b: tensor<10xi64>, %d: tensor<10xf32>):
    %t = krnl.temporary : tensor<10xi64>
    %one = arith.constant 1 : i64
    %s = krnl.compute "next" [c] (%p = %b[c]) -> (%q = %t[c]) : (tensor<10xi64>) -> tensor<10xi64> {
      %u = arith.addi %p, %one : i64
      linalg.yield %u : i64
    }
    %r = krnl.compute "read" [c] (%p = %s[c]) -> (%q = %d[c]) : (tensor<10xi64>) -> tensor<10xf32> {
      %at = arith.index_cast %p : i64 to index
      %u = tensor.extract %a[%at] : tensor<10xf32>
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// -----

// Indices of loops are, beside an intermediate too.
func.func @indices_of_loops(%x: tensor<10xf32>, %n: tensor<10xf32>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %y = krnl.kernel "indices" loops [c = 10] ins(%x, %n : tensor<10xf32>, tensor<10xf32>) outs(%o : tensor<10xf32>)
      recipe [block(c, 4, tail=pad) -> (c.o, c.i)] {
  ^bb0(%a: tensor<10xf32>, %b: tensor<10xf32>, %d: tensor<10xf32>):
    %t = krnl.temporary : tensor<10xf32>
    %s = krnl.compute "next" [c] (%p = %b[c]) -> (%q = %t[c]) : (tensor<10xf32>) -> tensor<10xf32> {
      %u = arith.negf %p : f32
      linalg.yield %u : f32
    }
    %r = krnl.compute "read" [c] (%p = %s[c]) -> (%q = %d[c]) : (tensor<10xf32>) -> tensor<10xf32> {
      %last = arith.constant 9 : index
      %at = krnl.index c
      %from = arith.subi %last, %at : index
      %u = tensor.extract %a[%from] : tensor<10xf32>
      %v = arith.addf %u, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// -----

// Past the end of the loop over blocks the last, shorter block would have less than no iteration.
func.func @bounds(%x: tensor<14xf32>, %o: tensor<14xf32>) -> tensor<14xf32> {
  // expected-error @+1 {{recipe step 2 'block(c.o, 32, tail=pad) -> (c.p, c.q)': op 'neg' cannot have padded blocks: the bound of the blocks over which loop 'c.o' runs depends on it}}
  %y = krnl.kernel "bounds" loops [c = 14] ins(%x : tensor<14xf32>) outs(%o : tensor<14xf32>)
      recipe [block(c, 16) -> (c.o, c.i), block(c.o, 32, tail=pad) -> (c.p, c.q)] {
  ^bb0(%a: tensor<14xf32>, %d: tensor<14xf32>):
    %r = krnl.compute "neg" [c] (%p = %a[c]) -> (%q = %d[c]) : (tensor<14xf32>) -> tensor<14xf32> {
      %u = arith.negf %p : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<14xf32>
  } -> tensor<14xf32>
  return %y : tensor<14xf32>
}
