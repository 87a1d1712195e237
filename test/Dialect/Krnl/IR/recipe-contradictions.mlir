// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// A step that was legal until another one came: a note says which one it was, the last
// of several.

func.func @replaced(%x: tensor<12x8xf32>, %o: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error @+2 {{recipe step 3 'block(m, 6) -> (c, d)': loop 'm' was replaced by an earlier step}}
  // expected-note @+1 {{it would be legal before recipe step 2 'block(m, 3) -> (a, b)'}}
  %y = krnl.kernel "replaced" loops [m = 12, n = 8] ins(%x : tensor<12x8xf32>) outs(%o : tensor<12x8xf32>)
      recipe [unroll(n, 2), block(m, 3) -> (a, b), block(m, 6) -> (c, d)] {
  ^bb0(%p: tensor<12x8xf32>, %q: tensor<12x8xf32>):
    %r = krnl.compute [m, n] (%e = %p[m, n]) -> (%f = %q[m, n]) : (tensor<12x8xf32>) -> tensor<12x8xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<12x8xf32>
  } -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}

// -----

func.func @twice(%x: tensor<12x8xf32>, %o: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error @+2 {{recipe step 3 'parallel(m)': loop 'm' is parallel already}}
  // expected-note @+1 {{it would be legal before recipe step 2 'parallel(m)'}}
  %y = krnl.kernel "twice" loops [m = 12, n = 8] ins(%x : tensor<12x8xf32>) outs(%o : tensor<12x8xf32>)
      recipe [fuse_outer(m), parallel(m), parallel(m)] {
  ^bb0(%p: tensor<12x8xf32>, %q: tensor<12x8xf32>):
    %r = krnl.compute [m, n] (%e = %p[m, n]) -> (%f = %q[m, n]) : (tensor<12x8xf32>) -> tensor<12x8xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<12x8xf32>
  } -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}

// -----

// Never legal: there is no note.
func.func @alone(%x: tensor<12x8xf32>, %o: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error @+1 {{recipe step 2 'unroll(n, 0)': unroll factor must be 1 to 64, but is 0}}
  %y = krnl.kernel "alone" loops [m = 12, n = 8] ins(%x : tensor<12x8xf32>) outs(%o : tensor<12x8xf32>)
      recipe [fuse_outer(m), unroll(n, 0)] {
  ^bb0(%p: tensor<12x8xf32>, %q: tensor<12x8xf32>):
    %r = krnl.compute [m, n] (%e = %p[m, n]) -> (%f = %q[m, n]) : (tensor<12x8xf32>) -> tensor<12x8xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<12x8xf32>
  } -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}
