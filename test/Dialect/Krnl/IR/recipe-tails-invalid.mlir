// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Recipes whose last, shorter blocks nothing would bound.

// 13 = 3 * 4 + 1: the last block has one iteration, which only a loop inside the
// loop over the blocks can know.
func.func @order_tail_outside(%x: tensor<13xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 2 'order(i.i, i.o)': loop 'i.i' ends early in its last block, so it must be inside loop 'i.o'}}
  %y = krnl.kernel "order_tail_outside" loops [i = 13] ins(%x : tensor<13xf32>) outs(%o : tensor<13xf32>)
      recipe [block(i, 4) -> (i.o, i.i), order(i.i, i.o)] {
  ^bb0(%a: tensor<13xf32>, %b: tensor<13xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<13xf32>) -> tensor<13xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

// With 12 iterations this would be legal: no block is shorter than the others.
func.func @parallel_tail(%x: tensor<13xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 3 'parallel(i.o, i.i)': loop 'i.i' ends early in its last block, so it cannot run parallel}}
  %y = krnl.kernel "parallel_tail" loops [i = 13] ins(%x : tensor<13xf32>) outs(%o : tensor<13xf32>)
      recipe [block(i, 4) -> (i.o, i.i), fuse_outer(i.o, i.i), parallel(i.o, i.i)] {
  ^bb0(%a: tensor<13xf32>, %b: tensor<13xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<13xf32>) -> tensor<13xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

func.func @fuse_tail(%x: tensor<13xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 2 'fuse(i.o, i.i) -> f': loop 'f' ends early in its last block, so its loops cannot be fused}}
  %y = krnl.kernel "fuse_tail" loops [i = 13] ins(%x : tensor<13xf32>) outs(%o : tensor<13xf32>)
      recipe [block(i, 4) -> (i.o, i.i), fuse(i.o, i.i) -> f] {
  ^bb0(%a: tensor<13xf32>, %b: tensor<13xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<13xf32>) -> tensor<13xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

// Each copy of the outer loop would need a bound of its own.
func.func @unrolled_blocks(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 2 'unroll(i.o, 2)': loop 'i.i' ends early in its last block, so loop 'i.o' outside cannot be unrolled}}
  %y = krnl.kernel "unrolled_blocks" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4) -> (i.o, i.i), unroll(i.o, 2)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// With the last block apart the others have none.
func.func @unrolled_peeled_blocks(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "unrolled_peeled_blocks" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4, tail=peel) -> (i.o, i.i), unroll(i.o, 2)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// The loops over the blocks may be fused: which block it is follows from the value.
func.func @fused_blocks(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %y = krnl.kernel "fused_blocks" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4) -> (i.o, i.i), block(j, 4) -> (j.o, j.i), order(i.o, j.o, i.i, j.i), fuse(i.o, j.o) -> f, fuse_outer(f), parallel(f)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// But what is in a block stays inside of them.
func.func @fused_blocks_inside(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 5 'order(i.i, f)': loop 'i.i' ends early in its last block, so it must be inside loop 'f'}}
  %y = krnl.kernel "fused_blocks_inside" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4) -> (i.o, i.i), block(j, 4) -> (j.o, j.i), order(i.o, j.o, i.i, j.i), fuse(i.o, j.o) -> f, order(i.i, f)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @fused_peeled(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{loop 'i.o' peels its last block, so it must stay a loop; without tail=peel it need not}}
  %y = krnl.kernel "fused_peeled" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 4, tail=peel) -> (i.o, i.i), order(i.o, j), fuse(i.o, i.i) -> f] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// Each peeled loop doubles the code.
func.func @peeled_too_often(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 4 'block(j.i, 2, tail=peel) -> (j.p, j.q)': op 'copy' has 4 loops whose last block is peeled, more than 3}}
  %y = krnl.kernel "peeled_too_often" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 7, tail=peel) -> (i.o, i.i), block(i.i, 2, tail=peel) -> (i.p, i.q), block(j, 3, tail=peel) -> (j.o, j.i), block(j.i, 2, tail=peel) -> (j.p, j.q)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>) -> tensor<13x17xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// Each row of the tile would need a bound of its own.
func.func @tiled_blocks(%x: tensor<9x21xf32>, %o: tensor<21xf32>) -> tensor<21xf32> {
  // expected-error @+1 {{recipe step 3 'register_tile(j.o, j.i, lanes=16)': loop 'j.i' ends early in its last block, so loop 'j.o' outside cannot be part of its register tile}}
  %y = krnl.kernel "sum" loops [i = 9, j = 21] ins(%x : tensor<9x21xf32>) outs(%o : tensor<21xf32>)
      recipe [block(j, 16, tail=peel) -> (j.o, j.i), order(i, j.o, j.i), register_tile(j.o, j.i, lanes=16)] {
  ^bb0(%a: tensor<9x21xf32>, %b: tensor<21xf32>):
    %r = krnl.compute [j | i] (%p = %a[i, j]) -> (%q = %b[j]) : (tensor<9x21xf32>) -> tensor<21xf32> {
      %s = arith.addf %q, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<21xf32>
  } -> tensor<21xf32>
  return %y : tensor<21xf32>
}
