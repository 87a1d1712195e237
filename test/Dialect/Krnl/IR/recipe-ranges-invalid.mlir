// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Vectors of a sum, or of a result, of which elements outside of a range are zero, another constant, or not stored.

func.func @vectors(%x: tensor<12xf32>, %o: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{recipe step 1 'vectorize(i, 4)': op '0' goes beyond a range: vectors of loop 'i' would reach across its end}}
  %y = krnl.kernel "vectors" loops [i = 12, k = 3] ins(%x : tensor<12xf32>) outs(%o : tensor<12xf32>) recipe [vectorize(i, 4)] {
  ^bb0(%a: tensor<12xf32>, %c: tensor<12xf32>):
    %r = krnl.compute [i | k] (%p = %a[i + k - 1 in 0 to 12]) -> (%q = %c[i]) : (tensor<12xf32>) -> tensor<12xf32> {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<12xf32>
  } -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// -----

func.func @groups(%x: tensor<2x20xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{op '0' goes beyond a range: groups of bytes along loop 'k.i' are read at once}}
  %y = krnl.kernel "groups" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x20xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 4) -> (k.o, k.i), dot(k.i)] {
  ^bb0(%a: tensor<2x20xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k - 2 in 0 to 20], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x20xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @copies(%x: tensor<32x16xf32>, %w: tensor<48x32xf32>, %o: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-error @+1 {{op 'mm' goes beyond a range: copies to shared memory have zeros outside of it}}
  %y = krnl.kernel "copies" loops [h = 32, n = 32, r = 3, c = 16] ins(%x, %w : tensor<32x16xf32>, tensor<48x32xf32>) outs(%o : tensor<32x32xf32>)
      recipe [block(h, 4) -> (h.t, h.r), block(n, 4) -> (n.t, n.r), order(h.t, n.t, h.r, r, c, n.r), fuse_outer(h.t, n.t), map(h.t, thread), map(n.t, thread),
              unroll(h.r, 4), vectorize(n.r, 4), cache(0, at=r, in=shared), cache(1, at=r, in=shared)] {
  ^bb0(%a: tensor<32x16xf32>, %b: tensor<48x32xf32>, %d: tensor<32x32xf32>):
    %r = krnl.compute "mm" [h, n | r, c] (%p = %a[h + r - 1 in 0 to 32 else 1.0 : f32, c], %q = %b[r * 16 + c, n]) -> (%s = %d[h, n])
        : (tensor<32x16xf32>, tensor<48x32xf32>) -> tensor<32x32xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<32x32xf32>
  } -> tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}
}

// -----

func.func @vectors_of_result(%o: tensor<11xf32>) -> tensor<11xf32> {
  // expected-error @+1 {{recipe step 1 'vectorize(i, 4)': op '0' goes beyond a range: vectors of loop 'i' would reach across its end}}
  %y = krnl.kernel "vectors" loops [i = 12] outs(%o : tensor<11xf32>) recipe [vectorize(i, 4)] {
  ^bb0(%c: tensor<11xf32>):
    %zero = arith.constant 0.0 : f32
    %r = krnl.compute [i] () -> (%q = %c[i in 0 to 11]) : () -> tensor<11xf32> { linalg.yield %zero : f32 }
    krnl.yield %r : tensor<11xf32>
  } -> tensor<11xf32>
  return %y : tensor<11xf32>
}
