// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Vectors of an operand of which elements outside of a range are zero.

func.func @vectors(%x: tensor<12xf32>, %o: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{recipe step 1 'vectorize(i, 4)': op '0' reads zeros outside of a range: vectors of loop 'i' would reach across its end}}
  %y = krnl.kernel "vectors" loops [i = 12] ins(%x : tensor<12xf32>) outs(%o : tensor<12xf32>) recipe [vectorize(i, 4)] {
  ^bb0(%a: tensor<12xf32>, %c: tensor<12xf32>):
    %r = krnl.compute [i] (%p = %a[i - 1 in 0 to 12]) -> (%q = %c[i]) : (tensor<12xf32>) -> tensor<12xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<12xf32>
  } -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// -----

func.func @groups(%x: tensor<2x20xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{op '0' reads zeros outside of a range: groups of bytes along loop 'k.i' are read at once}}
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
