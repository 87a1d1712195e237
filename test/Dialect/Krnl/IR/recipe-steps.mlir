// RUN: onnx-opt %s --krnl-print-nest -o /dev/null | FileCheck %s
//
// One kernel per step of a recipe: what the loops are after it.

// Every op on its own loops, in the order of the kernel.
// CHECK-LABEL: kernel empty{{$}}
// CHECK:         nest: m(100) n(96) k(64)
// CHECK-NEXT:    0: m(100) n(96)
// CHECK-NEXT:    mm: m(100) n(96) k(64 reduced)
func.func @empty(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "empty" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// 100 = 12 * 8 + 4: thirteen blocks, the last one shorter.
// CHECK-LABEL: kernel block_static{{$}}
// CHECK:         nest: m.o(13) m.r(8) n(96) k(64)
func.func @block_static(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "block_static" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// The number of blocks is not known.
// CHECK-LABEL: kernel block_dynamic{{$}}
// CHECK:         nest: r.o(?) r.i(8) c(100)
// CHECK-NEXT:    0: r.o(?) r.i(8)
// CHECK-NEXT:    sum: r.o(?) r.i(8) c(100 reduced)
func.func @block_dynamic(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "block_dynamic" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [block(r, 8) -> (r.o, r.i)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// The other op keeps its loop.
// CHECK-LABEL: kernel block_of_one_op{{$}}
// CHECK:         nest: r(?) c(100)
// CHECK-NEXT:    0: r(?)
// CHECK-NEXT:    sum: r(?) c.o(10 reduced) c.i(10 reduced)
// CHECK-NEXT:    sub: r(?) c(100)
func.func @block_of_one_op(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "block_of_one_op" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: block(c, 10) -> (c.o, c.i)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// Ops without k lose nothing.
// CHECK-LABEL: kernel fuse{{$}}
// CHECK:         nest: mn(9600) k(64)
// CHECK-NEXT:    0: mn(9600)
// CHECK-NEXT:    mm: mn(9600) k(64 reduced)
func.func @fuse(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "fuse" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [fuse(m, n) -> mn] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// The two swap, n keeps its own.
// CHECK-LABEL: kernel order{{$}}
// CHECK:         nest: k(64) n(96) m(100)
// CHECK-NEXT:    0: n(96) m(100)
// CHECK-NEXT:    mm: k(64 reduced) n(96) m(100)
func.func @order(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "order" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [order(k, m)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// Only the matmul runs n inside k.
// CHECK-LABEL: kernel order_of_one_op{{$}}
// CHECK:         nest: m(100) n(96) k(64)
// CHECK-NEXT:    0: m(100) n(96)
// CHECK-NEXT:    mm: m(100) k(64 reduced) n(96)
func.func @order_of_one_op(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "order_of_one_op" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [mm: order(k, n)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// Sums are added up in another order now, and the nest knows.
// CHECK-LABEL: kernel order_of_reduced_loops (reorders reductions){{$}}
func.func @order_of_reduced_loops(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "order_of_reduced_loops" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(k, 8) -> (k.o, k.i), order(k.i, k.o)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// CHECK-LABEL: kernel share_and_parallel{{$}}
// CHECK:         nest: r.o(? parallel) r.i(4 fuse_outer) c(100)
func.func @share_and_parallel(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "share_and_parallel" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [block(r, 4) -> (r.o, r.i), fuse_outer(r.o, r.i), parallel(r.o)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// CHECK-LABEL: kernel unroll{{$}}
// CHECK:         mm: m(100) n(96) k(64 reduced x4)
func.func @unroll(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "unroll" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [mm: unroll(k, 4)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// Two vectors of 16 per step.
// CHECK-LABEL: kernel vectorize{{$}}
// CHECK:         sub: r(?) c(100 x2 lanes=16)
func.func @vectorize(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "vectorize" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sub: vectorize(c, 16), sub: unroll(c, 2)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// One partial sum per lane: another order of adding.
// CHECK-LABEL: kernel vectorize_reduction (reorders reductions){{$}}
func.func @vectorize_reduction(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "vectorize_reduction" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: vectorize(c, 16)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// The fill gets the tile too, without the loop over k.
// CHECK-LABEL: kernel register_tile{{$}}
// CHECK:         nest: m.o(13 fuse_outer) n.o(2 fuse_outer) k(64) m.r(8) n.r(48)
// CHECK-NEXT:    0: m.o(13) n.o(2) m.r(8 row) n.r(48 lanes=16 column)
// CHECK-NEXT:    mm: m.o(13) n.o(2) k(64 reduced) m.r(8 row) n.r(48 lanes=16 column)
func.func @register_tile(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "register_tile" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(m, 8) -> (m.o, m.r), block(n, 48) -> (n.o, n.r), order(m.o, n.o, k, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=16)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// No loop changes.
// CHECK-LABEL: kernel cache_and_pack{{$}}
// CHECK:         nest: m(100) n.o(2) n.r(48) k(64)
func.func @cache_and_pack(%x: tensor<100x64xf32>, %w: tensor<64x96xf32>, %o: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %y = krnl.kernel "cache_and_pack" loops [m = 100, n = 96, k = 64]
      ins(%x, %w : tensor<100x64xf32>, tensor<64x96xf32>) outs(%o : tensor<100x96xf32>)
      recipe [block(n, 48) -> (n.o, n.r), pack(1, [k, n.r]), cache(0, at=m)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<64x96xf32>, %c: tensor<100x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<100x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<100x64xf32>, tensor<64x96xf32>) -> tensor<100x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<100x96xf32>
  } -> tensor<100x96xf32>
  return %y : tensor<100x96xf32>
}

// CHECK-LABEL: kernel split_reduction (reorders reductions){{$}}
// CHECK:         sum: r(?) c.o(25 reduced) c.i(4 reduced)
func.func @split_reduction(%x: tensor<?x100xf32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x100xf32>
  %y = krnl.kernel "split_reduction" loops [r = %r_size, c = 100]
      ins(%x : tensor<?x100xf32>) outs(%o : tensor<?x100xf32>)
      recipe [sum: split_reduction(c, 4) -> (c.o, c.i)] {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x100xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<?x100xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute "sub" [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x100xf32>, tensor<?xf32>) -> tensor<?x100xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// Ops inside one loop that the last of them reduces; another one stays outside.
// CHECK-LABEL: kernel compute_at{{$}}
// CHECK:         nest: m(4 fuse_outer) b(6 compute_at)
// CHECK-NEXT:    0: m(4)
// CHECK-NEXT:    square: m(4) b(6)
// CHECK-NEXT:    total: m(4) b(6 reduced)
func.func @compute_at(%x: tensor<4x6xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "compute_at" loops [m = 4, b = 6]
      ins(%x : tensor<4x6xf32>) outs(%o : tensor<4xf32>) recipe [fuse_outer(m), compute_at(b)] {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m] () -> (%_ = %c[m]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %t = krnl.temporary : tensor<4x6xf32>
    %e = krnl.compute "square" [m, b] (%p = %a[m, b]) -> (%q = %t[m, b])
        : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = arith.mulf %p, %p : f32
      linalg.yield %r : f32
    }
    %total = krnl.compute "total" [m | b] (%p = %e[m, b]) -> (%q = %f[m])
        : (tensor<4x6xf32>) -> tensor<4xf32> {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
    krnl.yield %total : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The factor runs before the rows, what the sums begin with before the slices of the sums, and what reads them after.
// CHECK-LABEL: kernel hoist{{$}}
// CHECK:         nest: n(4 fuse_outer) k.o(2 fuse_outer) m(6 fuse_outer) k.i(4)
// CHECK-NEXT:    zero: n(4) m(6)
// CHECK-NEXT:    factor: n(4) k.o(2) k.i(4)
// CHECK-NEXT:    sum: n(4) k.o(2 reduced) m(6) k.i(4 reduced)
// CHECK-NEXT:    relu: n(4) m(6)
func.func @hoist(%x: tensor<6x8xf32>, %w: tensor<8x4xi8>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %y = krnl.kernel "hoist" loops [m = 6, n = 4, k = 8] ins(%x, %w : tensor<6x8xf32>, tensor<8x4xi8>) outs(%o : tensor<6x4xf32>)
      recipe [block(k, 4) -> (k.o, k.i), order(n, k.o, m, k.i), zero: hoist(k.o), factor: hoist(m), relu: hoist(k.o), fuse_outer(n, k.o, m)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x4xi8>, %c: tensor<6x4xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8x4xf32>
    %u = krnl.temporary : tensor<6x4xf32>
    %z = krnl.compute "zero" [m, n] () -> (%_ = %u[m, n]) : () -> tensor<6x4xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute "factor" [n, k] (%p = %b[k, n]) -> (%q = %t[k, n]) : (tensor<8x4xi8>) -> tensor<8x4xf32> {
      %r = arith.sitofp %p : i8 to f32
      linalg.yield %r : f32
    }
    %s = krnl.compute "sum" [m, n | k] (%p = %a[m, k], %q = %f[k, n]) -> (%r = %z[m, n])
        : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> {
      %v = arith.mulf %p, %q : f32
      %next = arith.addf %r, %v : f32
      linalg.yield %next : f32
    }
    %e = krnl.compute "relu" [m, n] (%p = %s[m, n]) -> (%q = %c[m, n]) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %r = arith.maximumf %p, %zero : f32
      linalg.yield %r : f32
    }
    krnl.yield %e : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// A thread for each row of a tile; the last tile has fewer.
// CHECK-LABEL: kernel map{{$}}
// CHECK:         nest: r.o(2 parallel) r.t(64 map) c(6)
func.func @map(%x: tensor<100x6xf32>, %o: tensor<100x6xf32>) -> tensor<100x6xf32> {
  %y = krnl.kernel "map" loops [r = 100, c = 6]
      ins(%x : tensor<100x6xf32>) outs(%o : tensor<100x6xf32>)
      recipe [block(r, 64) -> (r.o, r.t), fuse_outer(r.o, r.t), parallel(r.o), map(r.t, thread)] {
  ^bb0(%a: tensor<100x6xf32>, %b: tensor<100x6xf32>):
    %s = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<100x6xf32>) -> tensor<100x6xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<100x6xf32>
  } -> tensor<100x6xf32>
  return %y : tensor<100x6xf32>
}

// Threads have a part of each row, and combine what they have summed up.
// CHECK-LABEL: kernel map_reduced (reorders reductions)
// CHECK:         nest: r.o(25 parallel) r.t(4 map) c.o(4) c.t(32 map)
// CHECK:         sum: r.o(25) r.t(4) c.o(4 reduced) c.t(32 reduced)
func.func @map_reduced(%x: tensor<100x128xf32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %y = krnl.kernel "map_reduced" loops [r = 100, c = 128]
      ins(%x : tensor<100x128xf32>) outs(%o : tensor<100xf32>)
      recipe [block(r, 4) -> (r.o, r.t), block(c, 32) -> (c.o, c.t), fuse_outer(r.o, r.t), parallel(r.o),
              map(r.t, thread), map(c.t, thread)] {
  ^bb0(%a: tensor<100x128xf32>, %b: tensor<100xf32>):
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %b[r])
        : (tensor<100x128xf32>) -> tensor<100xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<100xf32>
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}
