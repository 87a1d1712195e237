// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Groups are of two, four or sixteen bytes, inside one op, along a loop that it sums up. Sums of
// 16 bits are those of four unsigned bytes by packed signed ones.

func.func @not_four(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{recipe step 1 'dot(k)': a group has 2, 4 or 16 iterations; block loop 'k' first}}
  %y = krnl.kernel "not_four" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [dot(k)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
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

func.func @not_summed(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{sums up no products of bytes along loop 'n.i'}}
  %y = krnl.kernel "not_summed" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(n, 4) -> (n.o, n.i), dot(n.i)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
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

func.func @no_bytes(%x: tensor<2x24xi16>, %w: tensor<24x16xi16>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{sums up no products of bytes along loop 'k.q'}}
  %y = krnl.kernel "no_bytes" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi16>, tensor<24x16xi16>) outs(%o : tensor<2x16xi32>) recipe [block(k, 4) -> (k.o, k.q), dot(k.q)] {
  ^bb0(%a: tensor<2x24xi16>, %b: tensor<24x16xi16>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi16>, tensor<24x16xi16>) -> tensor<2x16xi32> {
      %u = arith.extui %p : i16 to i32
      %v = arith.extsi %q : i16 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}

// -----

func.func @unrolled(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+2 {{loop 'k.q' is already unrolled or vectorized}}
  // expected-note @+1 {{it would be legal before recipe step 2 'unroll(k.q, 2)'}}
  %y = krnl.kernel "unrolled" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 4) -> (k.o, k.q), unroll(k.q, 2), dot(k.q)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
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

func.func @group_outside(%x: tensor<4x24xi8>, %w: tensor<24x16xi8>, %o: tensor<4x16xi32>) -> tensor<4x16xi32> {
  // expected-error @+1 {{recipe step 2 'dot(m)': loop 'm' is in fuse_outer; a group is inside an op}}
  %y = krnl.kernel "group_outside" loops [m = 4, n = 16, k = 24]
      ins(%x, %w : tensor<4x24xi8>, tensor<24x16xi8>) outs(%o : tensor<4x16xi32>) recipe [fuse_outer(m), dot(m)] {
  ^bb0(%a: tensor<4x24xi8>, %b: tensor<24x16xi8>, %c: tensor<4x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4x24xi8>, tensor<24x16xi8>) -> tensor<4x16xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<4x16xi32>
  } -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// -----

// Sixteen bytes are for one sum.
func.func @sums_in_vectors(%x: tensor<2x32xi8>, %w: tensor<32x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+2 {{has sums in vectors, and a group of 16 bytes is for one sum}}
  // expected-note @+1 {{it would be legal before recipe step 3}}
  %y = krnl.kernel "sums_in_vectors" loops [m = 2, n = 16, k = 32]
      ins(%x, %w : tensor<2x32xi8>, tensor<32x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 16) -> (k.o, k.q), order(k.o, k.q, m, n), vectorize(n, 4), dot(k.q)] {
  ^bb0(%a: tensor<2x32xi8>, %b: tensor<32x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x32xi8>, tensor<32x16xi8>) -> tensor<2x16xi32> {
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

// The tile has vectors for other ops.
func.func @tile_comes_late(%x: tensor<2x32xi8>, %w: tensor<32x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+2 {{already has a group of bytes; the tile comes before it}}
  // expected-note @+1 {{it would be legal before recipe step 3}}
  %y = krnl.kernel "tile_comes_late" loops [m = 2, n = 16, k = 32]
      ins(%x, %w : tensor<2x32xi8>, tensor<32x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 16) -> (k.o, k.q), order(k.o, k.q, m, n), dot(k.q), register_tile(m, n, lanes=4)] {
  ^bb0(%a: tensor<2x32xi8>, %b: tensor<32x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x32xi8>, tensor<32x16xi8>) -> tensor<2x16xi32> {
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

// How many columns are unrolled has to be known.
func.func @unknown_columns(%x: tensor<2x32xi8>, %w: tensor<32x?xi8>, %o: tensor<2x?xi32>) -> tensor<2x?xi32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %o, %c1 : tensor<2x?xi32>
  // expected-error @+2 {{has an unknown number of columns, and a group of 16 bytes is for one sum}}
  // expected-note @+1 {{it would be legal before recipe step 5}}
  %y = krnl.kernel "unknown_columns" loops [m = 2, n = %n, k = 32]
      ins(%x, %w : tensor<2x32xi8>, tensor<32x?xi8>) outs(%o : tensor<2x?xi32>) recipe [block(n, 8) -> (n.o, n.r), block(k, 16) -> (k.o, k.q), order(n.o, k.o, k.q, m, n.r), fuse_outer(n.o), register_tile(m, n.r, lanes=4), dot(k.q)] {
  ^bb0(%a: tensor<2x32xi8>, %b: tensor<32x?xi8>, %c: tensor<2x?xi32>, %e: index):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x32xi8>, tensor<32x?xi8>) -> tensor<2x?xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x?xi32>
  } -> tensor<2x?xi32>
  return %y : tensor<2x?xi32>
}

// -----

func.func @short_pairs(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{recipe step 2 'dot(k.q, sums=i16)': the sums of op '0' are of no group of 4 bytes}}
  %y = krnl.kernel "short_pairs" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 2) -> (k.o, k.q), dot(k.q, sums=i16)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
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

func.func @short_unpacked(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{the sums of op '0' are of no packed operand with loop 'k.q' last}}
  %y = krnl.kernel "short_unpacked" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(k, 4) -> (k.o, k.q), dot(k.q, sums=i16)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
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

func.func @short_signed(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{the sums of op '0' are of no product of unsigned bytes by those of operand 1 as they are, signed}}
  %y = krnl.kernel "short_signed" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(n, 8) -> (n.o, n.r), block(k, 4) -> (k.o, k.q), order(m, n.o, k.o, k.q, n.r), pack(1, [n.o, k.o, n.r, k.q]), dot(k.q, sums=i16)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extsi %p : i8 to i32
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

func.func @short_data(%x: tensor<2x24xi8>, %w: tensor<24x16xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  // expected-error @+1 {{the sums of op '0' are of no product of unsigned bytes by those of operand 1 as they are, signed}}
  %y = krnl.kernel "short_data" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>) recipe [block(n, 8) -> (n.o, n.r), block(k, 4) -> (k.o, k.q), order(m, n.o, k.o, k.q, n.r), pack(1, [n.o, k.o, n.r, k.q]), dot(k.q, sums=i16)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extsi %p : i8 to i32
      %v = arith.extui %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}
