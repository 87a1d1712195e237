// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes="keep-order emit-recipes=-" -o /dev/null | FileCheck %s --check-prefix=ORDER
// RUN: onnx-opt %s --krnl-write-recipes=choose=false | FileCheck %s --check-prefix=NONE
// NONE-NOT: recipe [{{.}}
// NONE:     krnl.kernel "small"
// NONE-NOT: recipe [{{.}}

// Four vectors at a time; too little traffic for other workers. The last block,
// of 40, is code of its own.
// CHECK-LABEL: kernel "small"
// CHECK-NEXT:    block(i, 64, tail=peel) -> (i.o, i.i),
// CHECK-NEXT:    order(i.o, i.i),
// CHECK-NEXT:    fuse_outer(i.o),
// CHECK-NEXT:    vectorize(i.i, 16),
// CHECK-NEXT:    unroll(i.i, 4)
// CHECK-NEXT:  ]
func.func @small(%x: tensor<1000xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = krnl.kernel "small" loops [i = 1000] ins(%x : tensor<1000xf32>) outs(%o : tensor<1000xf32>) {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// Large or of unknown size: blocks of enough work run parallel.
// CHECK-LABEL: kernel "dynamic"
// CHECK-NEXT:    block(i, {{[0-9]+}}) -> (i.tile, i.in_tile),
// CHECK-NEXT:    block(i.in_tile, 64) -> (i.o, i.i),
// CHECK-NEXT:    order(i.tile, i.o, i.i),
// CHECK-NEXT:    fuse_outer(i.tile, i.o),
// CHECK-NEXT:    parallel(i.tile),
func.func @dynamic(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?xf32>
  %y = krnl.kernel "dynamic" loops [i = %i_size] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Rows: four of them side by side, so that none waits for its sum, which keeps four
// vectors of partial sums, unless the order of adding has to stay as it is. What
// does not sum passes over them one after the other.
// CHECK-LABEL: kernel "rows"
// CHECK-NEXT:    block(r, 4) -> (r.o, r.i),
// CHECK-NEXT:    order(r.o, r.i, c),
// CHECK-NEXT:    fuse_outer(r.o),
// CHECK-NEXT:    parallel(r.o),
// CHECK-NEXT:    0: unroll(r.i, 4),
// CHECK-NEXT:    1: unroll(r.i, 4),
// CHECK-NEXT:    1: split_reduction(c, 64) -> (c.s, c.v),
// CHECK-NEXT:    1: vectorize(c.v, 16),
// CHECK-NEXT:    1: unroll(c.v, 4),
// CHECK-NEXT:    2: vectorize(c, 16),
// CHECK-NEXT:    2: unroll(c, 4)
// CHECK-NEXT:  ]
// ORDER-LABEL: kernel "rows"
// ORDER:         1: unroll(r.i, 4),
// ORDER-NOT:     split_reduction
// ORDER-NOT:     1: vectorize
// ORDER:         2: vectorize(c, 16),
// ORDER-NEXT:    2: unroll(c, 4)
func.func @rows(%x: tensor<?x768xf32>, %o: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %c0_1 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0_1 : tensor<?x768xf32>
  %y = krnl.kernel "rows" loops [r = %r_size, c = 768]
      ins(%x : tensor<?x768xf32>) outs(%o : tensor<?x768xf32>) {
  ^bb0(%a: tensor<?x768xf32>, %b: tensor<?x768xf32>, %r_extent: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x768xf32>
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<?x768xf32>) -> tensor<?xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?x768xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<?x768xf32>
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// Short rows are whole in registers, four of them side by side.
// CHECK-LABEL: kernel "short_rows"
// CHECK:         unroll(r.i, 4),
// CHECK-NEXT:    1: vectorize(c, 16),
// CHECK-NEXT:    1: unroll(c, 4),
// CHECK-NEXT:    2: vectorize(c, 16),
// CHECK-NEXT:    2: unroll(c, 4)
// CHECK-NEXT:  ]
// ORDER-LABEL: kernel "short_rows"
// ORDER-NOT:     1: vectorize
// ORDER:         2: vectorize(c, 16)
func.func @short_rows(%x: tensor<640x49xf32>, %o: tensor<640x49xf32>) -> tensor<640x49xf32> {
  %y = krnl.kernel "short_rows" loops [r = 640, c = 49]
      ins(%x : tensor<640x49xf32>) outs(%o : tensor<640x49xf32>) {
  ^bb0(%a: tensor<640x49xf32>, %b: tensor<640x49xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<640xf32>
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<640xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %f[r])
        : (tensor<640x49xf32>) -> tensor<640xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute [r, c] (%p = %a[r, c], %t = %s[r]) -> (%q = %b[r, c])
        : (tensor<640x49xf32>, tensor<640xf32>) -> tensor<640x49xf32> {
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<640x49xf32>
  } -> tensor<640x49xf32>
  return %y : tensor<640x49xf32>
}

// Columns: the vectors are the accumulators of the reduction, which runs inside.
// CHECK-LABEL: kernel "columns"
// CHECK-NEXT:    block(c, 64) -> (c.o, c.i),
// CHECK-NEXT:    order(c.o, r, c.i),
// CHECK-NEXT:    fuse_outer(c.o),
// CHECK-NEXT:    vectorize(c.i, 16),
// CHECK-NEXT:    unroll(c.i, 4),
// CHECK-NEXT:    order(c.i, r)
// CHECK-NEXT:  ]
// ORDER-LABEL: kernel "columns"
// ORDER:         vectorize(c.i, 16)
func.func @columns(%x: tensor<10x256xf32>, %o: tensor<256xf32>) -> tensor<256xf32> {
  %y = krnl.kernel "columns" loops [r = 10, c = 256]
      ins(%x : tensor<10x256xf32>) outs(%o : tensor<256xf32>) {
  ^bb0(%a: tensor<10x256xf32>, %b: tensor<256xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [c] () -> (%_ = %b[c]) : () -> tensor<256xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %f[c])
        : (tensor<10x256xf32>) -> tensor<256xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<256xf32>
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// What is read along another dimension than what is written: squares of vectors,
// which are transposed in registers. Of dynamic rows those after the last whole square
// are apart.
// CHECK-LABEL: kernel "turned"
// CHECK:         block(c.in_tile, 16) -> (c.o, c.i),
// CHECK-NEXT:    block(r, 16, tail=peel) -> (r.o, r.i),
// CHECK-NEXT:    order(c.tile, c.o, r.o, c.i, r.i),
// CHECK-NEXT:    fuse_outer(c.tile, c.o, r.o),
// CHECK-NEXT:    parallel(c.tile),
// CHECK-NEXT:    unroll(c.i, 16),
// CHECK-NEXT:    vectorize(r.i, 16),
// CHECK-NEXT:    transpose(c.i)
// CHECK-NEXT:  ]
func.func @turned(%x: tensor<?x256xf32>, %o: tensor<256x?xf32>) -> tensor<256x?xf32> {
  %c0 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0 : tensor<?x256xf32>
  %y = krnl.kernel "turned" loops [c = 256, r = %r_size]
      ins(%x : tensor<?x256xf32>) outs(%o : tensor<256x?xf32>) {
  ^bb0(%a: tensor<?x256xf32>, %b: tensor<256x?xf32>, %r_extent: index):
    %s = krnl.compute [c, r] (%p = %a[r, c]) -> (%q = %b[c, r])
        : (tensor<?x256xf32>) -> tensor<256x?xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<256x?xf32>
  } -> tensor<256x?xf32>
  return %y : tensor<256x?xf32>
}

// Long lines are written in tiles, of 64 elements here, each for all rows before the
// next. Tiles run parallel in blocks of rows unless that is a fourth loop to peel.
// CHECK-LABEL: kernel "tiles_of_lines"
// CHECK:         block(r, 64) -> (r.tile, r.in_tile),
// CHECK-NEXT:    block(c, 32, tail=peel) -> (c.tile, c.in_tile),
// CHECK-NEXT:    block(c.in_tile, 16) -> (c.o, c.i),
// CHECK-NEXT:    block(r.in_tile, 16) -> (r.o, r.i),
// CHECK-NEXT:    order(r.tile, c.tile, c.o, r.o, c.i, r.i),
// CHECK-LABEL: kernel "tiles_alone"
// CHECK:         block(r, 64, tail=peel) -> (r.tile, r.in_tile),
// CHECK-NEXT:    block(c, 16, tail=peel) -> (c.o, c.i),
// CHECK-NEXT:    block(r.in_tile, 16, tail=peel) -> (r.o, r.i),
// CHECK-NEXT:    order(r.tile, c.o, r.o, c.i, r.i),
// CHECK-NEXT:    fuse_outer(r.tile, c.o, r.o),
// CHECK-NEXT:    parallel(r.tile),
func.func @tiles_of_lines(%x: tensor<1024x1040xf32>, %o: tensor<1040x1024xf32>) -> tensor<1040x1024xf32> {
  %y = krnl.kernel "tiles_of_lines" loops [c = 1040, r = 1024] ins(%x : tensor<1024x1040xf32>) outs(%o : tensor<1040x1024xf32>) {
  ^bb0(%a: tensor<1024x1040xf32>, %b: tensor<1040x1024xf32>):
    %r = krnl.compute [c, r] (%p = %a[r, c]) -> (%s = %b[c, r]) : (tensor<1024x1040xf32>) -> tensor<1040x1024xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<1040x1024xf32>
  } -> tensor<1040x1024xf32>
  return %y : tensor<1040x1024xf32>
}
func.func @tiles_alone(%x: tensor<1000x1000xf32>, %o: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %y = krnl.kernel "tiles_alone" loops [c = 1000, r = 1000] ins(%x : tensor<1000x1000xf32>) outs(%o : tensor<1000x1000xf32>) {
  ^bb0(%a: tensor<1000x1000xf32>, %b: tensor<1000x1000xf32>):
    %r = krnl.compute [c, r] (%p = %a[r, c]) -> (%s = %b[c, r]) : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<1000x1000xf32>
  } -> tensor<1000x1000xf32>
  return %y : tensor<1000x1000xf32>
}

// Short sums for three columns: rows are the lanes, turned as they are read, so that
// what follows the sums has lanes as well.
// CHECK-LABEL: kernel "classes"
// CHECK:         block(m, 32) -> (m.o, m.i),
// CHECK-NEXT:    order(n.o, m.o, n.i, k, m.i),
// CHECK:         unroll(n.i, 3),
// CHECK-NEXT:    1: unroll(k, 16),
// CHECK-NEXT:    vectorize(m.i, 16),
// CHECK-NEXT:    unroll(m.i, 2),
// CHECK-NEXT:    order(n.i, m.i, k),
// CHECK-NEXT:    transpose(n.i, masked),
// CHECK-NEXT:    interleave(n.i),
// CHECK-NEXT:    strided(m.i, 3)
// CHECK-NEXT:  ]
func.func @classes(%x: tensor<64x16xf32>, %w: tensor<16x3xf32>, %o: tensor<64x3xf32>) -> tensor<64x3xf32> {
  %y = krnl.kernel "classes" loops [m = 64, n = 3, k = 16]
      ins(%x, %w : tensor<64x16xf32>, tensor<16x3xf32>) outs(%o : tensor<64x3xf32>) {
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x3xf32>, %c: tensor<64x3xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<64x3xf32>
    %f = krnl.compute [m, n] () -> (%_ = %e[m, n]) : () -> tensor<64x3xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%r = %f[m, n])
        : (tensor<64x16xf32>, tensor<16x3xf32>) -> tensor<64x3xf32> {
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %r, %m : f32
      linalg.yield %t : f32
    }
    %t = krnl.compute [m, n] (%p = %s[m, n]) -> (%q = %c[m, n])
        : (tensor<64x3xf32>) -> tensor<64x3xf32> {
      %m = math.exp %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %t : tensor<64x3xf32>
  } -> tensor<64x3xf32>
  return %y : tensor<64x3xf32>
}

// Lanes along memory, although the loop indexes nothing but the interior of the
// result.
// CHECK-LABEL: kernel "interior"
// CHECK:         vectorize(c, 16)
func.func @interior(%o: tensor<130x66xf32>) -> tensor<130x66xf32> {
  %y = krnl.kernel "interior" loops [r = 128, c = 64] outs(%o : tensor<130x66xf32>) {
  ^bb0(%b: tensor<130x66xf32>):
    %one = arith.constant 1.0 : f32
    %f = krnl.compute [r, c] () -> (%q = %b[r + 1, c + 1]) : () -> tensor<130x66xf32> {
      linalg.yield %one : f32
    }
    krnl.yield %f : tensor<130x66xf32>
  } -> tensor<130x66xf32>
  return %y : tensor<130x66xf32>
}

// Inputs that the payload does not use are no work and say nothing about lanes.
// CHECK-LABEL: kernel "unread"
// CHECK-NEXT:    block(c, 64) -> (c.o, c.i),
// CHECK-NEXT:    order(r, c.o, c.i),
// CHECK-NEXT:    fuse_outer(r, c.o),
// CHECK-NEXT:    vectorize(c.i, 16),
// CHECK-NEXT:    unroll(c.i, 4)
func.func @unread(%x: tensor<16x128xf32>, %t: tensor<128x16xf32>, %o: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %y = krnl.kernel "unread" loops [r = 16, c = 128]
      ins(%x, %t : tensor<16x128xf32>, tensor<128x16xf32>) outs(%o : tensor<16x128xf32>) {
  ^bb0(%a: tensor<16x128xf32>, %d: tensor<128x16xf32>, %b: tensor<16x128xf32>):
    %r = krnl.compute [r, c] (%p = %a[r, c], %u0 = %d[c, r], %u1 = %d[c, r], %u2 = %d[c, r]) -> (%q = %b[r, c])
        : (tensor<16x128xf32>, tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>) -> tensor<16x128xf32> {
      %m = arith.negf %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<16x128xf32>
  } -> tensor<16x128xf32>
  return %y : tensor<16x128xf32>
}

// Copies of rows of unknown length: the row is a loop without blocks, and a tile is one
// row, however short: loops over tiles cost no more than those inside.
// CHECK-LABEL: kernel "copies"
// CHECK-NEXT:    order(a, b, c),
// CHECK-NEXT:    fuse_outer(a, b),
// CHECK-NEXT:    parallel(a, b),
// CHECK-NEXT:    vectorize(c, 16),
// CHECK-NEXT:    unroll(c, 4)
// CHECK-NEXT:  ]
func.func @copies(%x: tensor<?x?xf32>, %o: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = krnl.kernel "copies" loops [a = %rows, b = %n, c = %columns] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %q: tensor<?x?x?xf32>, %l: index, %m: index, %k: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, c]) -> (%t = %q[a, b, c]) : (tensor<?x?xf32>) -> tensor<?x?x?xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Two ops pass values in registers: blocks of four vectors for both.
// CHECK-LABEL: kernel "pairs"
// CHECK-NEXT:    block(c, 64) -> (c.o, c.i),
// CHECK-NEXT:    order(a, b, c.o, c.i),
// CHECK-NEXT:    fuse_outer(a, b, c.o),
// CHECK-NEXT:    parallel(a, b),
func.func @pairs(%x: tensor<?x?xf32>, %o: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = krnl.kernel "pairs" loops [a = %rows, b = %n, c = %columns] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %q: tensor<?x?x?xf32>, %l: index, %m: index, %k: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, c]) -> (%t = %q[a, b, c]) : (tensor<?x?xf32>) -> tensor<?x?x?xf32> {
      linalg.yield %s : f32
    }
    %v = krnl.compute [a, b, c] (%s = %p[a, c]) -> (%t = %r[a, b, c]) : (tensor<?x?xf32>) -> tensor<?x?x?xf32> {
      %w = arith.addf %s, %t : f32
      linalg.yield %w : f32
    }
    krnl.yield %v : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// A matrix whose rows lie in memory times a vector: four sums side by side, with
// lanes along the rows. What follows has lanes along the sums, which are in a line.
// A dynamic extent makes no difference.
// CHECK-LABEL: kernel "rows_times_vector"
// CHECK-NEXT:    block(n, 64) -> (n.o, n.i),
// CHECK-NEXT:    order(b, n.o, n.i, k),
// CHECK-NEXT:    fuse_outer(b, n.o),
// CHECK-NEXT:    parallel(b, n.o),
// CHECK-NEXT:    0: vectorize(n.i, 16),
// CHECK-NEXT:    1: unroll(n.i, 4),
// CHECK-NEXT:    1: split_reduction(k, 64) -> (k.s, k.v),
// CHECK-NEXT:    1: vectorize(k.v, 16),
// CHECK-NEXT:    1: unroll(k.v, 4),
// CHECK-NEXT:    2: vectorize(n.i, 16)
// CHECK-NEXT:  ]
// CHECK-LABEL: kernel "rows_of_known_number"
// CHECK-NEXT:    block(n, 64) -> (n.o, n.i),
// CHECK-NEXT:    order(b, n.o, n.i, k),
func.func @rows_times_vector(%x: tensor<?x?x64xf32>, %v: tensor<?x64xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %rows = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %y = krnl.kernel "rows_times_vector" loops [b = %batch, n = %rows, k = 64] ins(%x, %v : tensor<?x?x64xf32>, tensor<?x64xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?x64xf32>, %q: tensor<?x64xf32>, %r: tensor<?x?xf32>, %l: index, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, n] () -> (%_ = %r[b, n]) : () -> tensor<?x?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [b, n | k] (%a = %p[b, n, k], %w = %q[b, k]) -> (%t = %f[b, n]) : (tensor<?x?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32> {
      %u = arith.mulf %a, %w : f32
      %z = arith.addf %t, %u : f32
      linalg.yield %z : f32
    }
    %h = krnl.compute [b, n] () -> (%t = %s[b, n]) : () -> tensor<?x?xf32> {
      %half = arith.constant 0.5 : f32
      %u = arith.mulf %t, %half : f32
      linalg.yield %u : f32
    }
    krnl.yield %h : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @rows_of_known_number(%x: tensor<8x1024x64xf32>, %v: tensor<8x64xf32>, %o: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = krnl.kernel "rows_of_known_number" loops [b = 8, n = 1024, k = 64] ins(%x, %v : tensor<8x1024x64xf32>, tensor<8x64xf32>) outs(%o : tensor<8x1024xf32>) {
  ^bb0(%p: tensor<8x1024x64xf32>, %q: tensor<8x64xf32>, %r: tensor<8x1024xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, n] () -> (%_ = %r[b, n]) : () -> tensor<8x1024xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [b, n | k] (%a = %p[b, n, k], %w = %q[b, k]) -> (%t = %f[b, n]) : (tensor<8x1024x64xf32>, tensor<8x64xf32>) -> tensor<8x1024xf32> {
      %u = arith.mulf %a, %w : f32
      %z = arith.addf %t, %u : f32
      linalg.yield %z : f32
    }
    %h = krnl.compute [b, n] () -> (%t = %s[b, n]) : () -> tensor<8x1024xf32> {
      %half = arith.constant 0.5 : f32
      %u = arith.mulf %t, %half : f32
      linalg.yield %u : f32
    }
    krnl.yield %h : tensor<8x1024xf32>
  } -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}

// A window that moves by two along its row reads what its columns share once.
// CHECK-LABEL: kernel "window_apart"
// CHECK:         1: unroll(k, 3)
// CHECK:         vectorize(i, 16)
// CHECK:         interleave(k),
// CHECK-NEXT:    strided(i, 2)
func.func @window_apart(%x: tensor<96x57xf32>, %f: tensor<96x3xf32>, %o: tensor<96x28xf32>) -> tensor<96x28xf32> {
  %y = krnl.kernel "window_apart" loops [c = 96, i = 28, k = 3] ins(%x, %f : tensor<96x57xf32>, tensor<96x3xf32>) outs(%o : tensor<96x28xf32>) recipe [] {
  ^bb0(%a: tensor<96x57xf32>, %w: tensor<96x3xf32>, %b: tensor<96x28xf32>):
    %zero = arith.constant 0.0 : f32
    %z = krnl.compute [c, i] () -> (%q = %b[c, i]) : () -> tensor<96x28xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [c, i | k] (%p = %a[c, i * 2 + k], %g = %w[c, k]) -> (%s = %z[c, i]) : (tensor<96x57xf32>, tensor<96x3xf32>) -> tensor<96x28xf32> {
      %m = arith.mulf %p, %g : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<96x28xf32>
  } -> tensor<96x28xf32>
  return %y : tensor<96x28xf32>
}

// Of rows that are transposed two and three are left as squares.
// CHECK-LABEL: kernel "rows_left"
// CHECK:         unroll({{.+}}, 16, tail=[8, 4, 3, 2])
// CHECK:         transpose(
func.func @rows_left(%x: tensor<50176x?xf32>, %o: tensor<?x50176xf32>, %n: index) -> tensor<?x50176xf32> {
  %y = krnl.kernel "rows_left" loops [c = %n, p = 50176] ins(%x : tensor<50176x?xf32>) outs(%o : tensor<?x50176xf32>) recipe [] {
  ^bb0(%a: tensor<50176x?xf32>, %b: tensor<?x50176xf32>, %m: index):
    %s = krnl.compute [c, p] (%e = %a[p, c]) -> (%q = %b[c, p]) : (tensor<50176x?xf32>) -> tensor<?x50176xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %s : tensor<?x50176xf32>
  } -> tensor<?x50176xf32>
  return %y : tensor<?x50176xf32>
}

// Where neither size is known, lanes lie along what is read, and vectors become lines of
// the result; along the result where the other side is known to have fewer columns.
// CHECK-LABEL: kernel "both"
// CHECK:         order(c.tile, c.o, p.o, p.i, c.i)
// CHECK:         unroll(p.i, 16, tail=[8, 4, 3, 2]),
// CHECK-NEXT:    vectorize(c.i, 16),
// CHECK-NEXT:    transpose(p.i, masked)
// CHECK-LABEL: kernel "fewer"
// CHECK:         unroll(c.i, 16, tail=[8, 4, 3, 2]),
// CHECK-NEXT:    vectorize(p.i, 16),
// CHECK-NEXT:    transpose(c.i)
func.func @both(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %u: tensor<?x?xf32>, %c: index, %p: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = krnl.kernel "both" loops [c = %c, p = %p] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index):
    %s = krnl.compute [c, p] (%e = %a[p, c]) -> (%q = %b[c, p]) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %s : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %z = krnl.kernel "fewer" loops [c = %c < 32, p = %p] ins(%x : tensor<?x?xf32>) outs(%u : tensor<?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index):
    %s = krnl.compute [c, p] (%e = %a[p, c]) -> (%q = %b[c, p]) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %s : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}

// Lanes that alternate are read from one line for both results, and the rows of an
// image for both streams of results, one after the other.
// CHECK-LABEL: kernel "space_to_depth"
// CHECK:         order(r.tile, r.in_tile, y, x, c.o, c.i),
func.func @space_to_depth(%i: tensor<960x2x320x2xf32>, %o: tensor<2x2x960x320xf32>) -> tensor<2x2x960x320xf32> {
  %0 = krnl.kernel "space_to_depth" loops [y = 2, x = 2, r = 960, c = 320]
      ins(%i : tensor<960x2x320x2xf32>) outs(%o : tensor<2x2x960x320xf32>) {
  ^bb0(%a: tensor<960x2x320x2xf32>, %b: tensor<2x2x960x320xf32>):
    %1 = krnl.compute [y, x, r, c] (%s = %a[r, y, c, x]) -> (%t = %b[y, x, r, c]) : (tensor<960x2x320x2xf32>) -> tensor<2x2x960x320xf32> { linalg.yield %s : f32 }
    krnl.yield %1 : tensor<2x2x960x320xf32>
  } -> tensor<2x2x960x320xf32>
  return %0 : tensor<2x2x960x320xf32>
}

// Twelve streams of results are too many.
// CHECK-LABEL: kernel "heads_first"
// CHECK:         order(n, h, s, d),
func.func @heads_first(%i: tensor<8x128x12x64xi8>, %o: tensor<8x12x128x64xi8>) -> tensor<8x12x128x64xi8> {
  %0 = krnl.kernel "heads_first" loops [n = 8, h = 12, s = 128, d = 64]
      ins(%i : tensor<8x128x12x64xi8>) outs(%o : tensor<8x12x128x64xi8>) {
  ^bb0(%a: tensor<8x128x12x64xi8>, %b: tensor<8x12x128x64xi8>):
    %1 = krnl.compute [n, h, s, d] (%x = %a[n, s, h, d]) -> (%y = %b[n, h, s, d]) : (tensor<8x128x12x64xi8>) -> tensor<8x12x128x64xi8> { linalg.yield %x : i8 }
    krnl.yield %1 : tensor<8x12x128x64xi8>
  } -> tensor<8x12x128x64xi8>
  return %0 : tensor<8x12x128x64xi8>
}
