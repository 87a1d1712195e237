// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
//
// A target whose tiles are shared by threads: the loops that nothing reduces are
// one, and each thread has a vector or a tile of the result, or a part of a long row.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// CHECK-LABEL: kernel "elementwise"
// CHECK-NEXT:    block(c, 4) -> (c.vector, c.r),
// CHECK-NEXT:    order(r, c.vector, c.r),
// CHECK-NEXT:    fuse(r, c.vector) -> flat.0,
// CHECK-NEXT:    block(flat.0, 256) -> (flat.o, flat.t),
// CHECK-NEXT:    fuse_outer(flat.o, flat.t),
// CHECK-NEXT:    parallel(flat.o),
// CHECK-NEXT:    map(flat.t, thread),
// CHECK-NEXT:    vectorize(c.r, 4)
func.func @elementwise(%x: tensor<512x1000xf32>, %o: tensor<512x1000xf32>) -> tensor<512x1000xf32> {
  %y = krnl.kernel "elementwise" loops [r = 512, c = 1000]
      ins(%x : tensor<512x1000xf32>) outs(%o : tensor<512x1000xf32>) recipe [] {
  ^bb0(%a: tensor<512x1000xf32>, %b: tensor<512x1000xf32>):
    %s = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<512x1000xf32>) -> tensor<512x1000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<512x1000xf32>
  } -> tensor<512x1000xf32>
  return %y : tensor<512x1000xf32>
}

// One loop is the threads by itself.
// CHECK-LABEL: kernel "line"
// CHECK-NEXT:    block(i, 4) -> (i.vector, i.r),
// CHECK-NEXT:    order(i.vector, i.r),
// CHECK-NEXT:    block(i.vector, 64) -> (i.o, i.t),
// CHECK-NEXT:    fuse_outer(i.o, i.t),
// CHECK-NEXT:    parallel(i.o),
// CHECK-NEXT:    map(i.t, thread),
// CHECK-NEXT:    vectorize(i.r, 4)
func.func @line(%x: tensor<1000xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = krnl.kernel "line" loops [i = 1000]
      ins(%x : tensor<1000xf32>) outs(%o : tensor<1000xf32>) recipe [] {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// Lanes are along the loop before a short one, where they read adjacent elements.
// CHECK-LABEL: kernel "turned"
// CHECK:         order(r.vector, c, r.r),
// CHECK:         vectorize(r.r, 4)
func.func @turned(%x: tensor<2x65536xf32>, %o: tensor<65536x2xf32>) -> tensor<65536x2xf32> {
  %y = krnl.kernel "turned" loops [r = 65536, c = 2]
      ins(%x : tensor<2x65536xf32>) outs(%o : tensor<65536x2xf32>) recipe [] {
  ^bb0(%a: tensor<2x65536xf32>, %b: tensor<65536x2xf32>):
    %one = arith.constant 1 : index
    %s = krnl.compute [r, c] () -> (%q = %b[r, c]) : () -> tensor<65536x2xf32> {
      %i = krnl.index r
      %j = krnl.index c
      %k = arith.subi %one, %j : index
      %e = tensor.extract %a[%k, %i] : tensor<2x65536xf32>
      linalg.yield %e : f32
    }
    krnl.yield %s : tensor<65536x2xf32>
  } -> tensor<65536x2xf32>
  return %y : tensor<65536x2xf32>
}

// There the elements that they read are far apart, unlike along the short one.
// CHECK-LABEL: kernel "apart"
// CHECK-NEXT:    order(r, c),
// CHECK-NOT:     vectorize
// CHECK:         ]
func.func @apart(%x: tensor<65536x8xf32>, %o: tensor<65536x2xf32>) -> tensor<65536x2xf32> {
  %y = krnl.kernel "apart" loops [r = 65536, c = 2]
      ins(%x : tensor<65536x8xf32>) outs(%o : tensor<65536x2xf32>) recipe [] {
  ^bb0(%a: tensor<65536x8xf32>, %b: tensor<65536x2xf32>):
    %s = krnl.compute [r, c] () -> (%q = %b[r, c]) : () -> tensor<65536x2xf32> {
      %i = krnl.index r
      %j = krnl.index c
      %e = tensor.extract %a[%i, %j] : tensor<65536x8xf32>
      linalg.yield %e : f32
    }
    krnl.yield %s : tensor<65536x2xf32>
  } -> tensor<65536x2xf32>
  return %y : tensor<65536x2xf32>
}

// No vector is cut off: seven columns are one element for each thread. Few
// threads are in small blocks.
// CHECK-LABEL: kernel "odd"
// CHECK-NEXT:    order(r, c),
// CHECK-NEXT:    fuse(r, c) -> flat.0,
// CHECK-NEXT:    block(flat.0, 64) -> (flat.o, flat.t),
// CHECK:         map(flat.t, thread)
// CHECK-NOT:     vectorize
func.func @odd(%x: tensor<8x7xf32>, %o: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %y = krnl.kernel "odd" loops [r = 8, c = 7]
      ins(%x : tensor<8x7xf32>) outs(%o : tensor<8x7xf32>) recipe [] {
  ^bb0(%a: tensor<8x7xf32>, %b: tensor<8x7xf32>):
    %s = krnl.compute [r, c] (%p = %a[r, c]) -> (%q = %b[r, c])
        : (tensor<8x7xf32>) -> tensor<8x7xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x7xf32>
  } -> tensor<8x7xf32>
  return %y : tensor<8x7xf32>
}

// The operands of a tile of 32 by 32 are in shared memory; each thread has four rows and a vector of
// columns, and reads four terms before it multiplies them.
// CHECK-LABEL: kernel "product"
// CHECK-NEXT:    order(m, n, k),
// CHECK-NEXT:    block(m, 16) -> (m.o, m.b),
// CHECK-NEXT:    block(m.b, 4) -> (m.t, m.r),
// CHECK-NEXT:    block(n, 32) -> (n.o, n.b),
// CHECK-NEXT:    block(n.b, 32) -> (n.vector, n.l),
// CHECK-NEXT:    block(n.l, 4) -> (n.t, n.r),
// CHECK-NEXT:    block(k, 32) -> (k.o, k.i),
// CHECK-NEXT:    order(m.o, n.o, m.t, n.t, m.r, n.vector, n.r, k.o, k.i),
// CHECK-NEXT:    fuse_outer(m.o, n.o, m.t, n.t),
// CHECK-NEXT:    parallel(m.o, n.o),
// CHECK-NEXT:    map(m.t, thread),
// CHECK-NEXT:    map(n.t, thread),
// CHECK-NEXT:    unroll(m.r, 4),
// CHECK-NEXT:    cache(0, at=k.o, in=shared),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK-NEXT:    pipeline(k.o, 2),
// CHECK-NEXT:    vectorize(n.r, 4),
// CHECK-NEXT:    unroll(k.i, 4)
func.func @product(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = krnl.kernel "product" loops [m = 64, n = 128, k = 96]
      ins(%x, %w : tensor<64x96xf32>, tensor<96x128xf32>) outs(%o : tensor<64x128xf32>) recipe [] {
  ^bb0(%a: tensor<64x96xf32>, %b: tensor<96x128xf32>, %c: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x128xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// Columns that reach into a border of zeros have vectors, too, where they are copied to shared memory.
// CHECK-LABEL: kernel "border"
// CHECK:         cache(1, at=sum.o, in=shared),
// CHECK-NEXT:    cache(0, at=sum.o, in=shared),
// CHECK-NEXT:    pipeline(sum.o, 3),
// CHECK-NEXT:    vectorize(w.r, 4),
// CHECK-NEXT:    unroll(sum.i, 4)
func.func @border(%x: tensor<64x16x64xf32>, %f: tensor<64x64x3x3xf32>, %o: tensor<64x16x64xf32>) -> tensor<64x16x64xf32> {
  %y = krnl.kernel "border" loops [m = 64, h = 16, w = 64, c = 64, r = 3, s = 3]
      ins(%x, %f : tensor<64x16x64xf32>, tensor<64x64x3x3xf32>) outs(%o : tensor<64x16x64xf32>) recipe [] {
  ^bb0(%a: tensor<64x16x64xf32>, %b: tensor<64x64x3x3xf32>, %c: tensor<64x16x64xf32>):
    %zero = arith.constant 0.0 : f32
    %start = krnl.compute [m, h, w] () -> (%_ = %c[m, h, w]) : () -> tensor<64x16x64xf32> { linalg.yield %zero : f32 }
    %sums = krnl.compute [m, h, w | c, r, s] (%lhs = %a[c, h + r - 1 in 0 to 16, w + s - 1 in 0 to 64], %rhs = %b[m, c, r, s])
        -> (%sum = %start[m, h, w]) : (tensor<64x16x64xf32>, tensor<64x64x3x3xf32>) -> tensor<64x16x64xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %sums : tensor<64x16x64xf32>
  } -> tensor<64x16x64xf32>
  return %y : tensor<64x16x64xf32>
}

// Nothing but a short sum: one thread.
// CHECK-LABEL: kernel "few"
// CHECK-SAME:    []
func.func @few(%x: tensor<20xf32>, %o: tensor<f32>) -> tensor<f32> {
  %y = krnl.kernel "few" loops [k = 20] ins(%x : tensor<20xf32>) outs(%o : tensor<f32>) recipe [] {
  ^bb0(%a: tensor<20xf32>, %b: tensor<f32>):
    %r = krnl.compute [| k] (%p = %a[k]) -> (%q = %b[]) : (tensor<20xf32>) -> tensor<f32> {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}

// Nothing but the sum: one warp.
// CHECK-LABEL: kernel "total"
// CHECK-NEXT:    block(k, 4) -> (k.vector, k.r),
// CHECK-NEXT:    order(k.vector, k.r),
// CHECK-NEXT:    block(k.vector, 32) -> (k.o, k.i),
// CHECK-NEXT:    map(k.i, thread),
// CHECK-NEXT:    vectorize(k.r, 4)
func.func @total(%x: tensor<96xf32>, %o: tensor<f32>) -> tensor<f32> {
  %y = krnl.kernel "total" loops [k = 96] ins(%x : tensor<96xf32>) outs(%o : tensor<f32>) recipe [] {
  ^bb0(%a: tensor<96xf32>, %b: tensor<f32>):
    %r = krnl.compute [| k] (%p = %a[k]) -> (%q = %b[]) : (tensor<96xf32>) -> tensor<f32> {
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}

// A block has a row that is long and contiguous, each thread several vectors, which are all on their
// way at once.
// CHECK-LABEL: kernel "long_rows"
// CHECK-NEXT:    block(c, 4) -> (c.vector, c.r),
// CHECK-NEXT:    order(r, c.vector, c.r),
// CHECK-NEXT:    block(c.vector, 256) -> (c.o, c.i),
// CHECK-NEXT:    fuse_outer(r),
// CHECK-NEXT:    parallel(r),
// CHECK-NEXT:    map(c.i, thread),
// CHECK-NEXT:    unroll(c.o, 4),
// CHECK-NEXT:    vectorize(c.r, 4)
func.func @long_rows(%x: tensor<4000x4096xf32>, %o: tensor<4000xf32>) -> tensor<4000xf32> {
  %y = krnl.kernel "long_rows" loops [r = 4000, c = 4096]
      ins(%x : tensor<4000x4096xf32>) outs(%o : tensor<4000xf32>) recipe [] {
  ^bb0(%a: tensor<4000x4096xf32>, %b: tensor<4000xf32>):
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<4000x4096xf32>) -> tensor<4000xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<4000xf32>
  } -> tensor<4000xf32>
  return %y : tensor<4000xf32>
}

// A warp has a shorter one, and a block several where there are many.
// CHECK-LABEL: kernel "rows"
// CHECK-NEXT:    order(r, c),
// CHECK-NEXT:    block(c, 32) -> (c.o, c.i),
// CHECK-NEXT:    block(r, 8) -> (r.o, r.b),
// CHECK-NEXT:    fuse_outer(r.o, r.b),
// CHECK-NEXT:    parallel(r.o),
// CHECK-NEXT:    map(r.b, thread),
// CHECK-NEXT:    map(c.i, thread)
func.func @rows(%x: tensor<4000x77xf32>, %o: tensor<4000xf32>) -> tensor<4000xf32> {
  %y = krnl.kernel "rows" loops [r = 4000, c = 77]
      ins(%x : tensor<4000x77xf32>) outs(%o : tensor<4000xf32>) recipe [] {
  ^bb0(%a: tensor<4000x77xf32>, %b: tensor<4000xf32>):
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<4000x77xf32>) -> tensor<4000xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<4000xf32>
  } -> tensor<4000xf32>
  return %y : tensor<4000xf32>
}

// Rows of one image, which ops read and continue in place: a dimension of one element is not a part.
// CHECK-LABEL: kernel "image"
// CHECK:         map(r.b, thread),
// CHECK-NEXT:    map(c.i, thread),
// CHECK-NEXT:    vectorize(c.r, 4)
func.func @image(%x: tensor<1x1536x128xf32>, %o: tensor<1x1536x128xf32>) -> tensor<1x1536x128xf32> {
  %y = krnl.kernel "image" loops [r = 1536, c = 128]
      ins(%x : tensor<1x1536x128xf32>) outs(%o : tensor<1x1536x128xf32>) recipe [] {
  ^bb0(%a: tensor<1x1536x128xf32>, %b: tensor<1x1536x128xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.compute [r, c] (%p = %a[0, r, c]) -> (%q = %b[0, r, c]) : (tensor<1x1536x128xf32>) -> tensor<1x1536x128xf32> {
      %t = math.exp %p : f32
      linalg.yield %t : f32
    }
    %start = krnl.temporary : tensor<1x1536xf32>
    %f = krnl.compute [r] () -> (%q = %start[0, r]) : () -> tensor<1x1536xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | c] (%p = %e[0, r, c]) -> (%q = %f[0, r]) : (tensor<1x1536x128xf32>) -> tensor<1x1536xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    %d = krnl.compute [r, c] (%p = %s[0, r]) -> (%q = %e[0, r, c]) : (tensor<1x1536xf32>) -> tensor<1x1536x128xf32> {
      %t = arith.divf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %d : tensor<1x1536x128xf32>
  } -> tensor<1x1536x128xf32>
  return %y : tensor<1x1536x128xf32>
}

// Elements at indices that the payload computes are not adjacent for the lanes of a thread, but for the
// threads of a warp.
// CHECK-LABEL: kernel "clamped"
// CHECK:         fuse(r, c) -> flat.0,
// CHECK:         map(flat.t, thread)
// CHECK-NOT:     vectorize
func.func @clamped(%x: tensor<512x1000xf32>, %o: tensor<512x1000xf32>) -> tensor<512x1000xf32> {
  %y = krnl.kernel "clamped" loops [r = 512, c = 1000]
      ins(%x : tensor<512x1000xf32>) outs(%o : tensor<512x1000xf32>) recipe [] {
  ^bb0(%a: tensor<512x1000xf32>, %b: tensor<512x1000xf32>):
    %s = krnl.compute [r, c] () -> (%q = %b[r, c]) : () -> tensor<512x1000xf32> {
      %last = arith.constant 499 : index
      %i = krnl.index r
      %j = krnl.index c
      %k = arith.minsi %last, %j : index
      %t = tensor.extract %a[%i, %k] : tensor<512x1000xf32>
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<512x1000xf32>
  } -> tensor<512x1000xf32>
  return %y : tensor<512x1000xf32>
}

// A few threads have a short row, so that a warp has several: each keeps its vectors in registers.
// CHECK-LABEL: kernel "short_rows"
// CHECK-NEXT:    block(c, 4) -> (c.vector, c.r),
// CHECK-NEXT:    order(r, c.vector, c.r),
// CHECK-NEXT:    block(c.vector, 4) -> (c.o, c.i),
// CHECK-NEXT:    block(r, 8) -> (r.o, r.b),
// CHECK-NEXT:    fuse_outer(r.o, r.b),
// CHECK-NEXT:    parallel(r.o),
// CHECK-NEXT:    map(r.b, thread),
// CHECK-NEXT:    map(c.i, thread),
// CHECK-NEXT:    unroll(c.o, 3),
// CHECK-NEXT:    vectorize(c.r, 4)
func.func @short_rows(%x: tensor<320x48xf32>, %o: tensor<320xf32>) -> tensor<320xf32> {
  %y = krnl.kernel "short_rows" loops [r = 320, c = 48]
      ins(%x : tensor<320x48xf32>) outs(%o : tensor<320xf32>) recipe [] {
  ^bb0(%a: tensor<320x48xf32>, %b: tensor<320xf32>):
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<320x48xf32>) -> tensor<320xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<320xf32>
  } -> tensor<320xf32>
  return %y : tensor<320xf32>
}

// Rows that would leave some threads of a warp without one have a warp each.
// CHECK-LABEL: kernel "odd_rows"
// CHECK-NEXT:    order(r, c),
// CHECK-NEXT:    block(c, 32) -> (c.o, c.i),
// CHECK-NEXT:    fuse_outer(r),
// CHECK-NEXT:    parallel(r),
// CHECK-NEXT:    map(c.i, thread)
func.func @odd_rows(%x: tensor<321x48xf32>, %o: tensor<321xf32>) -> tensor<321xf32> {
  %y = krnl.kernel "odd_rows" loops [r = 321, c = 48]
      ins(%x : tensor<321x48xf32>) outs(%o : tensor<321xf32>) recipe [] {
  ^bb0(%a: tensor<321x48xf32>, %b: tensor<321xf32>):
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %b[r]) : (tensor<321x48xf32>) -> tensor<321xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<321xf32>
  } -> tensor<321xf32>
  return %y : tensor<321xf32>
}

// Of few columns, whose elements do not lie one after the other, a block has those of a line of the caches,
// and each thread a part of their terms.
// CHECK-LABEL: kernel "columns"
// CHECK-NEXT:    block(r, 16) -> (r.vector, r.r),
// CHECK-NEXT:    order(r.vector, r.r, c),
// CHECK-NEXT:    block(c, 256) -> (c.o, c.i),
// CHECK-NEXT:    fuse_outer(r.vector),
// CHECK-NEXT:    parallel(r.vector),
// CHECK-NEXT:    map(c.i, thread),
// CHECK-NEXT:    vectorize(r.r, 4),
// CHECK-NEXT:    unroll(r.r, 4)
func.func @columns(%x: tensor<400x1024xf32>, %o: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = krnl.kernel "columns" loops [r = 1024, c = 400]
      ins(%x : tensor<400x1024xf32>) outs(%o : tensor<1024xf32>) recipe [] {
  ^bb0(%a: tensor<400x1024xf32>, %b: tensor<1024xf32>):
    %s = krnl.compute [r | c] (%p = %a[c, r]) -> (%q = %b[r]) : (tensor<400x1024xf32>) -> tensor<1024xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<1024xf32>
  } -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// Of many columns a thread has a vector.
// CHECK-LABEL: kernel "many_columns"
// CHECK:         map(r.t, thread),
// CHECK-NEXT:    vectorize(r.r, 4),
// CHECK-NOT:     map
func.func @many_columns(%x: tensor<400x262144xf32>, %o: tensor<262144xf32>) -> tensor<262144xf32> {
  %y = krnl.kernel "many_columns" loops [r = 262144, c = 400]
      ins(%x : tensor<400x262144xf32>) outs(%o : tensor<262144xf32>) recipe [] {
  ^bb0(%a: tensor<400x262144xf32>, %b: tensor<262144xf32>):
    %s = krnl.compute [r | c] (%p = %a[c, r]) -> (%q = %b[r]) : (tensor<400x262144xf32>) -> tensor<262144xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<262144xf32>
  } -> tensor<262144xf32>
  return %y : tensor<262144xf32>
}

// A byte holds two numbers, both of which a thread multiplies: half a warp has a row of the bytes, 16 for
// each thread.
// CHECK-LABEL: kernel "halves"
// CHECK-NEXT:    block(byte, 16) -> (byte.vector, byte.r),
// CHECK-NEXT:    order(n, block, byte.vector, part, byte.r),
// CHECK-NEXT:    fuse(block, byte.vector) -> row.0,
// CHECK-NEXT:    block(row.0, 16) -> (row.o, row.i),
// CHECK-NEXT:    block(n, 2) -> (n.o, n.b),
// CHECK:         map(row.i, thread),
// CHECK-NEXT:    unroll(part, 2),
// CHECK-NEXT:    vectorize(byte.r, 16),
// CHECK-NEXT:    strided(byte.r, 2)
func.func @halves(%x: tensor<32x16x2xf32>, %w: tensor<512x32x16xi8>, %o: tensor<512xf32>) -> tensor<512xf32> {
  %y = krnl.kernel "halves" loops [n = 512, block = 32, byte = 16, part = 2]
      ins(%x, %w : tensor<32x16x2xf32>, tensor<512x32x16xi8>) outs(%o : tensor<512xf32>) recipe [] {
  ^bb0(%a: tensor<32x16x2xf32>, %b: tensor<512x32x16xi8>, %c: tensor<512xf32>):
    %s = krnl.compute [n | block, byte, part] (%p = %a[block, byte, part], %q = %b[n, block, byte]) -> (%e = %c[n])
        : (tensor<32x16x2xf32>, tensor<512x32x16xi8>) -> tensor<512xf32> {
      %which = krnl.index part
      %four = arith.constant 4 : index
      %by = arith.muli %which, %four : index
      %bits = arith.index_cast %by : index to i8
      %half = arith.shrui %q, %bits : i8
      %mask = arith.constant 15 : i8
      %number = arith.andi %half, %mask : i8
      %real = arith.uitofp %number : i8 to f32
      %t = arith.mulf %p, %real : f32
      %u = arith.addf %e, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %s : tensor<512xf32>
  } -> tensor<512xf32>
  return %y : tensor<512xf32>
}

// Each element of a block has a scale in common, but is an element of its own: 16 blocks of 8 are a row.
// CHECK-LABEL: kernel "scaled"
// CHECK-NEXT:    block(i, 4) -> (i.vector, i.r),
// CHECK-NEXT:    order(m, block, i.vector, i.r),
// CHECK-NEXT:    fuse(block, i.vector) -> row.0,
// CHECK-NEXT:    block(row.0, 32) -> (row.o, row.i),
// CHECK:         map(row.i, thread),
// CHECK-NEXT:    vectorize(i.r, 4)
func.func @scaled(%x: tensor<4096x16x8xf32>, %s: tensor<4096x16xf32>, %o: tensor<4096xf32>) -> tensor<4096xf32> {
  %y = krnl.kernel "scaled" loops [m = 4096, block = 16, i = 8]
      ins(%x, %s : tensor<4096x16x8xf32>, tensor<4096x16xf32>) outs(%o : tensor<4096xf32>) recipe [] {
  ^bb0(%a: tensor<4096x16x8xf32>, %b: tensor<4096x16xf32>, %c: tensor<4096xf32>):
    %r = krnl.compute [m | block, i] (%p = %a[m, block, i], %q = %b[m, block]) -> (%e = %c[m])
        : (tensor<4096x16x8xf32>, tensor<4096x16xf32>) -> tensor<4096xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %e, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// Two results are stored for each byte: they are unrolled beside vectors of bytes, and stored in between
// each other.
// CHECK-LABEL: kernel "unpacked"
// CHECK-NEXT:    block(byte, 4) -> (byte.vector, byte.r),
// CHECK-NEXT:    order(n, byte.vector, part, byte.r),
// CHECK:         map(flat.t, thread),
// CHECK-NEXT:    vectorize(byte.r, 4),
// CHECK-NEXT:    unroll(part, 2),
// CHECK:         interleave(part)
func.func @unpacked(%w: tensor<4096x512xi8>, %o: tensor<4096x512x2xf32>) -> tensor<4096x512x2xf32> {
  %y = krnl.kernel "unpacked" loops [n = 4096, byte = 512, part = 2]
      ins(%w : tensor<4096x512xi8>) outs(%o : tensor<4096x512x2xf32>) recipe [] {
  ^bb0(%a: tensor<4096x512xi8>, %b: tensor<4096x512x2xf32>):
    %s = krnl.compute [n, byte, part] (%p = %a[n, byte]) -> (%q = %b[n, byte, part])
        : (tensor<4096x512xi8>) -> tensor<4096x512x2xf32> {
      %which = krnl.index part
      %four = arith.constant 4 : index
      %by = arith.muli %which, %four : index
      %bits = arith.index_cast %by : index to i8
      %half = arith.shrui %p, %bits : i8
      %mask = arith.constant 15 : i8
      %number = arith.andi %half, %mask : i8
      %real = arith.uitofp %number : i8 to f32
      linalg.yield %real : f32
    }
    krnl.yield %s : tensor<4096x512x2xf32>
  } -> tensor<4096x512x2xf32>
  return %y : tensor<4096x512x2xf32>
}

// No size divides 771 columns of 514 products, and the rows are dynamic: padded blocks. A thread has
// adjacent elements, which are a vector in the slice alone.
// CHECK-LABEL: kernel "ragged"
// CHECK:         block(m, {{[0-9]+}}, tail=pad) -> (m.o, m.b),
// CHECK:         block(n, {{[0-9]+}}, tail=pad) -> (n.o, n.b),
// CHECK:         block(n.l, 4) -> (n.t, n.r),
// CHECK:         block(k, {{[0-9]+}}, tail=pad) -> (k.o, k.i),
// CHECK:         unroll(n.r, 4),
// CHECK-NEXT:    cache(0, at=k.o, in=shared),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK-NEXT:    pipeline(k.o, 3),
// CHECK-NEXT:    unroll(k.i, 4)
func.func @ragged(%x: tensor<?x514xf32>, %w: tensor<514x771xf32>, %o: tensor<?x771xf32>, %m: index) -> tensor<?x771xf32> {
  %y = krnl.kernel "ragged" loops [m = %m, n = 771, k = 514] ins(%x, %w : tensor<?x514xf32>, tensor<514x771xf32>) outs(%o : tensor<?x771xf32>) recipe [] {
  ^bb0(%a: tensor<?x514xf32>, %b: tensor<514x771xf32>, %c: tensor<?x771xf32>, %rows: index):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<?x514xf32>, tensor<514x771xf32>) -> tensor<?x771xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x771xf32>
  } -> tensor<?x771xf32>
  return %y : tensor<?x771xf32>
}

// A thread waits for several terms at once where their number is dynamic, too.
// CHECK-LABEL: kernel "dynamic_terms"
// CHECK:         map(flat.t, thread),
// CHECK-NEXT:    unroll(p, 16, tail=[4])
func.func @dynamic_terms(%x: tensor<?x9x67xf32>, %o: tensor<9x67xf32>, %n: index) -> tensor<9x67xf32> {
  %y = krnl.kernel "dynamic_terms" loops [i = 9, j = 67, p = %n] ins(%x : tensor<?x9x67xf32>) outs(%o : tensor<9x67xf32>) {
  ^bb0(%a: tensor<?x9x67xf32>, %c: tensor<9x67xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [i, j] () -> (%q = %c[i, j]) : () -> tensor<9x67xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [i, j | p] (%e = %a[p, i, j]) -> (%s = %f[i, j]) : (tensor<?x9x67xf32>) -> tensor<9x67xf32> {
      %t = arith.addf %s, %e : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<9x67xf32>
  } -> tensor<9x67xf32>
  return %y : tensor<9x67xf32>
}

// Blocks have rows of two lengths: the same threads have the parts that all rows share, and the elements of one.
// CHECK-LABEL: kernel "two_rows"
// CHECK-NEXT:    block(k, 4) -> (k.vector, k.r),
// CHECK-NEXT:    order(q, p, k.vector, k.r),
// CHECK-NEXT:    block(k.vector, [[T:[0-9]+]]) -> (k.o, k.i),
// CHECK-NEXT:    block(p, [[T]]) -> (p.o, p.i),
// CHECK-NEXT:    fuse_outer(q),
// CHECK-NEXT:    parallel(q),
// CHECK-NEXT:    map(k.i, thread),
// CHECK-NEXT:    map(p.i, thread, as=k.i),
// CHECK:         vectorize(k.r, 4)
func.func @two_rows(%x: tensor<131072xf32>, %m: tensor<64xf32>, %o: tensor<131072xf32>) -> tensor<131072xf32> {
  %y = krnl.kernel "two_rows" loops [q = 64, p = 64, k = 2048] ins(%x, %m : tensor<131072xf32>, tensor<64xf32>) outs(%o : tensor<131072xf32>) {
  ^bb0(%a: tensor<131072xf32>, %b: tensor<64xf32>, %c: tensor<131072xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<64xf32>
    %f = krnl.compute [q] () -> (%s = %t[q]) : () -> tensor<64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [q | p] (%e = %b[p]) -> (%s = %f[q]) : (tensor<64xf32>) -> tensor<64xf32> {
      %v = arith.addf %s, %e : f32
      linalg.yield %v : f32
    }
    %w = krnl.compute [q, k] (%e = %a[q * 2048 + k], %u = %r[q]) -> (%s = %c[q * 2048 + k]) : (tensor<131072xf32>, tensor<64xf32>) -> tensor<131072xf32> {
      %v = arith.divf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %w : tensor<131072xf32>
  } -> tensor<131072xf32>
  return %y : tensor<131072xf32>
}

}
