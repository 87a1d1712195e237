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
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<13xf32>) outs(%b : tensor<13xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13xf32>
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

// With 12 iterations this would be legal: no block is shorter than the others.
func.func @parallel_tail(%x: tensor<13xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 3 'parallel(i.o, i.i)': loop 'i.i' ends early in its last block, so it cannot run parallel}}
  %y = krnl.kernel "parallel_tail" loops [i = 13] ins(%x : tensor<13xf32>) outs(%o : tensor<13xf32>)
      recipe [block(i, 4) -> (i.o, i.i), share(i.o, i.i), parallel(i.o, i.i)] {
  ^bb0(%a: tensor<13xf32>, %b: tensor<13xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<13xf32>) outs(%b : tensor<13xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13xf32>
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

func.func @fuse_tail(%x: tensor<13xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 2 'fuse(i.o, i.i) -> f': loop 'f' ends early in its last block, so what it is made of cannot be fused}}
  %y = krnl.kernel "fuse_tail" loops [i = 13] ins(%x : tensor<13xf32>) outs(%o : tensor<13xf32>)
      recipe [block(i, 4) -> (i.o, i.i), fuse(i.o, i.i) -> f] {
  ^bb0(%a: tensor<13xf32>, %b: tensor<13xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<13xf32>) outs(%b : tensor<13xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13xf32>
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}
