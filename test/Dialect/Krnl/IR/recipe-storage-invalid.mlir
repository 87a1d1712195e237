// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Operands that cannot be packed or cached, whichever step makes it so.

// The slice would have no place on the stack.
func.func @cache_of_unknown_size(%x: tensor<13x?xf32>, %o: tensor<13x?xf32>) -> tensor<13x?xf32> {
  %c1 = arith.constant 1 : index
  %j_size = tensor.dim %x, %c1 : tensor<13x?xf32>
  // expected-error @+1 {{recipe step 1 'cache(0, at=i)': cannot cache operand 0 at loop 'i': the extent of loop 'j' is not known}}
  %y = krnl.kernel "cache_of_unknown_size" loops [i = 13, j = %j_size] ins(%x : tensor<13x?xf32>) outs(%o : tensor<13x?xf32>)
      recipe [cache(0, at=i)] {
  ^bb0(%a: tensor<13x?xf32>, %b: tensor<13x?xf32>, %j_extent: index):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x?xf32>) -> tensor<13x?xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x?xf32>
  } -> tensor<13x?xf32>
  return %y : tensor<13x?xf32>
}

// -----

func.func @cache_too_large(%x: tensor<13x20000xf32>, %o: tensor<13x20000xf32>) -> tensor<13x20000xf32> {
  // expected-error @+1 {{cannot cache operand 0 at loop 'i': the slices would be larger than 65536 bytes}}
  %y = krnl.kernel "cache_too_large" loops [i = 13, j = 20000] ins(%x : tensor<13x20000xf32>) outs(%o : tensor<13x20000xf32>)
      recipe [cache(0, at=i)] {
  ^bb0(%a: tensor<13x20000xf32>, %b: tensor<13x20000xf32>):
    %r = krnl.compute "copy" [i, j] (%p = %a[i, j]) -> (%q = %b[i, j])
        : (tensor<13x20000xf32>) -> tensor<13x20000xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13x20000xf32>
  } -> tensor<13x20000xf32>
  return %y : tensor<13x20000xf32>
}

// -----

// One slice cannot serve two iterations.
func.func @cache_in_copies(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{recipe step 2 'unroll(i, 2)': cannot cache operand 0 at loop 'j': loop 'i' of op 'copy' takes several iterations at a time there}}
  // expected-note @+1 {{it would be legal before recipe step 1 'cache(0, at=j)'}}
  %y = krnl.kernel "cache_in_copies" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [cache(0, at=j), unroll(i, 2)] {
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

func.func @cache_not_read_inside(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 1 'zero: cache(0, at=i)': no op inside loop 'i' reads operand 0}}
  %y = krnl.kernel "cache_not_read_inside" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [zero: cache(0, at=i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// The first step is for both ops that read it.
func.func @cache_twice(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{op 'sum' caches operand 0 already}}
  // expected-note @+1 {{it would be legal before recipe step 1 'cache(0, at=i)'}}
  %y = krnl.kernel "cache_twice" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [cache(0, at=i), sum: cache(0, at=j)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// The size of the operand is that of its loop, but for what no loop walks.
func.func @pack_of_unknown_part(%x: tensor<13x?xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 1 'pack(0, [i])': cannot pack operand 0: a dimension of unknown size is not indexed by a loop}}
  %y = krnl.kernel "pack_of_unknown_part" loops [i = 13] ins(%x : tensor<13x?xf32>) outs(%o : tensor<13xf32>)
      recipe [pack(0, [i])] {
  ^bb0(%a: tensor<13x?xf32>, %b: tensor<13xf32>):
    %r = krnl.compute "copy" [i] (%p = %a[i, 0]) -> (%q = %b[i])
        : (tensor<13x?xf32>) -> tensor<13xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

func.func @pack_too_large(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{cannot pack operand 0: its packed form would have more than 2147483648 elements}}
  %y = krnl.kernel "pack_too_large" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 1048576) -> (i.o, i.i), block(j, 1048576) -> (j.o, j.i), pack(0, [i.i, j.i])] {
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

// Blocked in one op alone, the loops that index the operand differ.
func.func @pack_read_otherwise(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+2 {{recipe step 2 'sum: block(j, 4) -> (j.o, j.i)': cannot pack operand 0: op 'sub' reads it with other loops}}
  // expected-note @+1 {{it would be legal before recipe step 1 'pack(0, [i])'}}
  %y = krnl.kernel "pack_read_otherwise" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [pack(0, [i]), sum: block(j, 4) -> (j.o, j.i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @pack_for_another_op(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{op 'zero' does not read operand 0}}
  %y = krnl.kernel "pack_for_another_op" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [zero: pack(0, [i])] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<13xf32>
    %f = krnl.compute "zero" [i] () -> (%_ = %e[i]) : () -> tensor<13xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [i | j] (%p = %a[i, j]) -> (%q = %f[i])
        : (tensor<13x17xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [i, j] (%p = %a[i, j], %t = %s[i]) -> (%q = %b[i, j])
        : (tensor<13x17xf32>, tensor<13xf32>) -> tensor<13x17xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @transpose_odd_lanes(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no transpose of 12: lanes are not a power of two from 2 to 64}}
  %y = krnl.kernel "transpose_odd_lanes" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r], transpose=12)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @transpose_part(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no transpose of 32: vectors do not fill their packed dimension}}
  %y = krnl.kernel "transpose_part" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r], transpose=32)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @transpose_columns(%x: tensor<64x20xf32>, %w: tensor<20x40xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no transpose of 16: its rows are not along the dimension before the last packed one}}
  %y = krnl.kernel "transpose_columns" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<20x40xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r], transpose=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<20x40xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<20x40xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @lines_across(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no vectors of 16: its rows are not along the last packed dimension}}
  %y = krnl.kernel "lines_across" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r], lanes=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @transpose_outermost(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no transpose of 16: the packed form has fewer than three dimensions}}
  %y = krnl.kernel "transpose_outermost" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [pack(1, [k, n], transpose=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @transpose_cut_rows(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no transpose of 16: the dimension before the last packed one is not a whole row}}
  %y = krnl.kernel "transpose_cut_rows" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(k, 4) -> (k.o, k.r), pack(1, [k.o, n.o, k.r, n.r], transpose=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @interleave_no_group(%x: tensor<64x20xf32>, %w: tensor<40x20xf32>, %o: tensor<64x40xf32>) -> tensor<64x40xf32> {
  // expected-error @+1 {{cannot pack operand 1: no interleave of 16: the last packed dimension has no two or four elements}}
  %y = krnl.kernel "interleave_no_group" loops [m = 64, n = 40, k = 20] ins(%x, %w : tensor<64x20xf32>, tensor<40x20xf32>) outs(%o : tensor<64x40xf32>)
      recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r], interleave=16)] {
  ^bb0(%A: tensor<64x20xf32>, %B: tensor<40x20xf32>, %C: tensor<64x40xf32>):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[n, k]) -> (%s = %C[m, n])
        : (tensor<64x20xf32>, tensor<40x20xf32>) -> tensor<64x40xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x40xf32>
  } -> tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

func.func @arena_of_registers(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @+1 {{recipe step 2 'arena(double)': no result of op 'double' is an intermediate on the stack}}
  %y = krnl.kernel "arena_of_registers" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [fuse_outer(i, j), arena(double)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

func.func @arena_of_result(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @+1 {{recipe step 2 'arena(1)': no result of op '1' is an intermediate on the stack}}
  %y = krnl.kernel "arena_of_result" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [fuse_outer(i), arena(1)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

func.func @arena_of_many(%x: tensor<8x16385xf32>, %o: tensor<8x16385xf32>) -> tensor<8x16385xf32> {
  // expected-error @+1 {{no result of op 'double' is an intermediate on the stack}}
  %y = krnl.kernel "arena_of_many" loops [i = 8, j = 16385] ins(%x : tensor<8x16385xf32>) outs(%o : tensor<8x16385xf32>)
      recipe [fuse_outer(i), arena(double)] {
  ^bb0(%a: tensor<8x16385xf32>, %b: tensor<8x16385xf32>):
    %t = krnl.temporary : tensor<8x16385xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x16385xf32>) -> tensor<8x16385xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x16385xf32>) -> tensor<8x16385xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x16385xf32>
  } -> tensor<8x16385xf32>
  return %y : tensor<8x16385xf32>
}

// -----

func.func @arena_of_nothing(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @+1 {{there is no op 'triple'}}
  %y = krnl.kernel "arena_of_nothing" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [arena(triple)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

func.func @arena_twice(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @+2 {{recipe step 3 'arena(0)': the step is already applied to op '0'}}
  // expected-note @+1 {{it would be legal before recipe step 2 'arena(double)'}}
  %y = krnl.kernel "arena_twice" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [fuse_outer(i), arena(double), arena(0)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// -----

// Each thread of a device has one iteration, which goes on in its registers.
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
func.func @threads(%x: tensor<8x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{recipe step 4 'arena(double)': no result of op 'double' is an intermediate on the stack}}
  %y = krnl.kernel "threads" loops [i = 8, j = 32] ins(%x : tensor<8x32xf32>) outs(%o : tensor<8x32xf32>)
      recipe [fuse_outer(i), parallel(i), map(j, thread), arena(double)] {
  ^bb0(%a: tensor<8x32xf32>, %b: tensor<8x32xf32>):
    %t = krnl.temporary : tensor<8x32xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
}
