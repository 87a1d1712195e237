// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Parts of rows are written row by row, and each row at once.
// CHECK-LABEL: kernel "rows"
// CHECK-NEXT:    block(c, 48, tail=peel) -> (c.o, c.i),
// CHECK-NEXT:    order(a, b, c.o, c.i),
// CHECK-NEXT:    vectorize(c.i, 16),
func.func @rows(%x: tensor<6400x85xf32>, %z: tensor<1600x85xf32>, %o: tensor<8000x85xf32>) -> tensor<8000x85xf32> {
  %y = krnl.kernel "rows" loops [c = 85, a = 6400, b = 1600]
      ins(%x, %z : tensor<6400x85xf32>, tensor<1600x85xf32>) outs(%o : tensor<8000x85xf32>) {
  ^bb0(%p: tensor<6400x85xf32>, %q: tensor<1600x85xf32>, %r: tensor<8000x85xf32>):
    %0 = krnl.compute [c, a] (%s = %p[a, c]) -> (%t = %r[a ..., c]) : (tensor<6400x85xf32>) -> tensor<8000x85xf32> { linalg.yield %s : f32 }
    %1 = krnl.compute [c, b] (%s = %q[b, c]) -> (%t = %0[b + 6400, c]) : (tensor<1600x85xf32>) -> tensor<8000x85xf32> { linalg.yield %s : f32 }
    krnl.yield %1 : tensor<8000x85xf32>
  } -> tensor<8000x85xf32>
  return %y : tensor<8000x85xf32>
}

// Long rows are divided for other threads, in tiles of several lines of the caches.
// CHECK-LABEL: kernel "long_rows"
// CHECK-NEXT:    block(c, 256, tail=peel) -> (c.tile, c.in_tile),
// CHECK-NEXT:    block(c.in_tile, 64) -> (c.o, c.i),
// CHECK-NEXT:    order(c.tile, a, b, c.o, c.i),
// CHECK-NEXT:    fuse_outer(c.tile),
// CHECK-NEXT:    parallel(c.tile),
func.func @long_rows(%x: tensor<64x3136xf32>, %z: tensor<32x3136xf32>, %o: tensor<96x3136xf32>) -> tensor<96x3136xf32> {
  %y = krnl.kernel "long_rows" loops [c = 3136, a = 64, b = 32]
      ins(%x, %z : tensor<64x3136xf32>, tensor<32x3136xf32>) outs(%o : tensor<96x3136xf32>) {
  ^bb0(%p: tensor<64x3136xf32>, %q: tensor<32x3136xf32>, %r: tensor<96x3136xf32>):
    %0 = krnl.compute [c, a] (%s = %p[a, c]) -> (%t = %r[a ..., c]) : (tensor<64x3136xf32>) -> tensor<96x3136xf32> { linalg.yield %s : f32 }
    %1 = krnl.compute [c, b] (%s = %q[b, c]) -> (%t = %0[b + 64, c]) : (tensor<32x3136xf32>) -> tensor<96x3136xf32> { linalg.yield %s : f32 }
    krnl.yield %1 : tensor<96x3136xf32>
  } -> tensor<96x3136xf32>
  return %y : tensor<96x3136xf32>
}

// The loops around the few stores of a border are unrolled.
// CHECK-LABEL: kernel "border"
// CHECK-NEXT:    order(c, i, top, q, left, j),
// CHECK-NEXT:    fuse_outer(c),
// CHECK-NEXT:    parallel(c),
// CHECK-NEXT:    0: vectorize(q, 16),
// CHECK-NEXT:    0: unroll(top, 2),
// CHECK-NEXT:    1: unroll(left, 2),
// CHECK-NEXT:    2: vectorize(j, 16)
func.func @border(%x: tensor<64x?x?xf32>, %z: f32, %h: index, %w: index, %all: index, %o: tensor<64x?x?xf32>) -> tensor<64x?x?xf32> {
  %y = krnl.kernel "border" loops [c = 64, i = %h, top = 2, q = %all, left = 2, j = %w]
      ins(%x, %z : tensor<64x?x?xf32>, f32) outs(%o : tensor<64x?x?xf32>) {
  ^bb0(%p: tensor<64x?x?xf32>, %v: f32, %r: tensor<64x?x?xf32>, %h_extent: index, %all_extent: index, %w_extent: index):
    %0 = krnl.compute [c, top, q] () -> (%t = %r[c, top ..., q]) : () -> tensor<64x?x?xf32> { linalg.yield %v : f32 }
    %1 = krnl.compute [c, i, left] () -> (%t = %0[c, i + 2, left ...]) : () -> tensor<64x?x?xf32> { linalg.yield %v : f32 }
    %2 = krnl.compute [c, i, j] (%s = %p[c, i, j]) -> (%t = %1[c, i + 2, j + 2]) : (tensor<64x?x?xf32>) -> tensor<64x?x?xf32> { linalg.yield %s : f32 }
    krnl.yield %2 : tensor<64x?x?xf32>
  } -> tensor<64x?x?xf32>
  return %y : tensor<64x?x?xf32>
}

// Parts that are written across what is read are transposed in squares, for two lines
// of each row that is read before the next. Rows that are left are a square, too.
// CHECK-LABEL: kernel "across"
// CHECK-NEXT:    block(p, 32) -> (p.o, p.i),
// CHECK-NEXT:    order(n, p.o, a, b, p.i),
// CHECK-NEXT:    fuse_outer(n, p.o),
// CHECK-NEXT:    parallel(n, p.o),
// CHECK-NEXT:    0: unroll(a, 16),
// CHECK-NEXT:    1: unroll(b, 16, tail=[3]),
// CHECK-NEXT:    vectorize(p.i, 16),
// CHECK-NEXT:    transpose(a),
// CHECK-NEXT:    transpose(b, masked)
// CHECK-NEXT:  ]
func.func @across(%x: tensor<?x256x?xf32>, %z: tensor<?x83x?xf32>, %o: tensor<?x?x339xf32>, %n: index, %p: index) -> tensor<?x?x339xf32> {
  %y = krnl.kernel "across" loops [n = %n, p = %p, a = 256, b = 83]
      ins(%x, %z : tensor<?x256x?xf32>, tensor<?x83x?xf32>) outs(%o : tensor<?x?x339xf32>) {
  ^bb0(%u: tensor<?x256x?xf32>, %v: tensor<?x83x?xf32>, %r: tensor<?x?x339xf32>, %n_extent: index, %p_extent: index):
    %0 = krnl.compute [n, p, a] (%s = %u[n, a, p]) -> (%t = %r[n, p, a ...]) : (tensor<?x256x?xf32>) -> tensor<?x?x339xf32> { linalg.yield %s : f32 }
    %1 = krnl.compute [n, p, b] (%s = %v[n, b, p]) -> (%t = %0[n, p, b + 256]) : (tensor<?x83x?xf32>) -> tensor<?x?x339xf32> {
      %e = arith.negf %s : f32
      linalg.yield %e : f32
    }
    krnl.yield %1 : tensor<?x?x339xf32>
  } -> tensor<?x?x339xf32>
  return %y : tensor<?x?x339xf32>
}

// A result across two inputs is transposed, rather than both of them. Rows of the result
// that are 16 KiB apart are so few in a cache that one vector of each input is read.
// CHECK-LABEL: kernel "sum_across"
// CHECK-NEXT:    block(p, 32) -> (p.o, p.i),
// CHECK:         order(p.o, {{.*}}c.i, p.i),
// CHECK:         unroll(c.i, 16),
// CHECK-NEXT:    vectorize(p.i, 16),
// CHECK-NEXT:    transpose(c.i)
// CHECK-LABEL: kernel "sum_across_far"
// CHECK-NEXT:    block(p, 16) -> (p.o, p.i),
func.func @sum_across(%x: tensor<160x3136xf32>, %o: tensor<3136x160xf32>) -> tensor<3136x160xf32> {
  %y = krnl.kernel "sum_across" loops [p = 3136, c = 160] ins(%x, %x : tensor<160x3136xf32>, tensor<160x3136xf32>) outs(%o : tensor<3136x160xf32>) {
  ^bb0(%u: tensor<160x3136xf32>, %v: tensor<160x3136xf32>, %r: tensor<3136x160xf32>):
    %0 = krnl.compute [p, c] (%s = %u[c, p], %t = %v[c, p]) -> (%q = %r[p, c]) : (tensor<160x3136xf32>, tensor<160x3136xf32>) -> tensor<3136x160xf32> {
      %e = arith.addf %s, %t : f32
      linalg.yield %e : f32
    }
    krnl.yield %0 : tensor<3136x160xf32>
  } -> tensor<3136x160xf32>
  return %y : tensor<3136x160xf32>
}
func.func @sum_across_far(%x: tensor<4096x64xf32>, %o: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = krnl.kernel "sum_across_far" loops [p = 64, c = 4096] ins(%x, %x : tensor<4096x64xf32>, tensor<4096x64xf32>) outs(%o : tensor<64x4096xf32>) {
  ^bb0(%u: tensor<4096x64xf32>, %v: tensor<4096x64xf32>, %r: tensor<64x4096xf32>):
    %0 = krnl.compute [p, c] (%s = %u[c, p], %t = %v[c, p]) -> (%q = %r[p, c]) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x4096xf32> {
      %e = arith.addf %s, %t : f32
      linalg.yield %e : f32
    }
    krnl.yield %0 : tensor<64x4096xf32>
  } -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}
