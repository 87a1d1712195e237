// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=haswell" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=AVX2
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4 features=-avx512f" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=AVX2

// The measured tiles: 8x48 with 32 registers of 16 lanes; with 16 of 8 lanes 4x24,
// since 4 divides 128 where 6 does not. Rows of columns lie 3 * 4096 bytes apart, so
// that the second cache does not keep the lines of 768 of them: they are packed.
// CHECK-LABEL: kernel "large"
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    order(n.o, m.o, k, m.r, n.r),
// CHECK-NEXT:    fuse_outer(n.o, m.o),
// CHECK-NEXT:    parallel(n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(1, [n.o, k, n.r], lanes=16),
// CHECK-NEXT:    prefetch(1, distance=1, line=64)
// CHECK-NEXT:  ]
// AVX2-LABEL:  kernel "large"
// AVX2-NEXT:     block(n, 24) -> (n.o, n.r),
// AVX2-NEXT:     block(m, 4) -> (m.o, m.r),
func.func @large(%x: tensor<128x768xf32>, %w: tensor<768x3072xf32>, %o: tensor<128x3072xf32>) -> tensor<128x3072xf32> {
  %y = krnl.kernel "large" loops [m = 128, n = 3072, k = 768]
      ins(%x, %w : tensor<128x768xf32>, tensor<768x3072xf32>) outs(%o : tensor<128x3072xf32>) {
  ^bb0(%a: tensor<128x768xf32>, %b: tensor<768x3072xf32>, %c: tensor<128x3072xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<128x3072xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<128x768xf32>, tensor<768x3072xf32>) -> tensor<128x3072xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<128x3072xf32>
  } -> tensor<128x3072xf32>
  return %y : tensor<128x3072xf32>
}

// A constant is packed, one panel of columns after the other. Ten columns are one
// vector, and nothing is gained by other workers.
// CHECK-LABEL: kernel "classes"
// CHECK-NEXT:    block(n, 16) -> (n.o, n.r),
// CHECK-NOT:     parallel
// CHECK:         pack(1, [n.o, k, n.r])
func.func @classes(%x: tensor<1x64xf32>, %o: tensor<1x10xf32>) -> tensor<1x10xf32> {
  %w = krnl.constant dense<1.0> : tensor<64x10xf32>
  %y = krnl.kernel "classes" loops [m = 1, n = 10, k = 64]
      ins(%x, %w : tensor<1x64xf32>, tensor<64x10xf32>) outs(%o : tensor<1x10xf32>) {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<64x10xf32>, %c: tensor<1x10xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<1x10xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<1x64xf32>, tensor<64x10xf32>) -> tensor<1x10xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1x10xf32>
  } -> tensor<1x10xf32>
  return %y : tensor<1x10xf32>
}

// A convolution: rows are pixels of a line, columns output channels, so that the
// weights are the packed operand. 14 pixels are one tile of 14x32. The image
// stays in the second cache: all of it goes by one panel of weights.
// CHECK-LABEL: kernel "conv"
// CHECK-NEXT:    block(oc, 32) -> (oc.o, oc.r),
// CHECK-NEXT:    block(ow, 14) -> (ow.o, ow.r),
// CHECK-NEXT:    order(oc.o, n, oh, ow.o, ic, kh, kw, ow.r, oc.r),
// CHECK-NEXT:    fuse_outer(oc.o, n, oh, ow.o),
// CHECK-NEXT:    parallel(oc.o, n, oh, ow.o),
// CHECK-NEXT:    register_tile(ow.r, oc.r, lanes=16),
// CHECK-NEXT:    pack(1, [oc.o, ic, kh, kw, oc.r])
func.func @conv(%x: tensor<1x32x16x16xf32>, %o: tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32> {
  %w = krnl.constant dense<1.0> : tensor<64x32x3x3xf32>
  %y = krnl.kernel "conv" loops [n = 1, oc = 64, oh = 14, ow = 14, ic = 32, kh = 3, kw = 3]
      ins(%x, %w : tensor<1x32x16x16xf32>, tensor<64x32x3x3xf32>) outs(%o : tensor<1x64x14x14xf32>) {
  ^bb0(%a: tensor<1x32x16x16xf32>, %b: tensor<64x32x3x3xf32>, %c: tensor<1x64x14x14xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, oc, oh, ow] () -> (%_ = %c[n, oc, oh, ow]) : () -> tensor<1x64x14x14xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, oc, oh, ow | ic, kh, kw] (%lhs = %a[n, ic, oh + kh, ow + kw], %rhs = %b[oc, ic, kh, kw]) -> (%sum = %f[n, oc, oh, ow])
        : (tensor<1x32x16x16xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x14x14xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1x64x14x14xf32>
  } -> tensor<1x64x14x14xf32>
  return %y : tensor<1x64x14x14xf32>
}

// Positions are contiguous in the results: panel by panel, tiles write whole lines
// one after the other, for 5 new elements of a position, which are read again for
// each of the panels of 48 channels.
// CHECK-LABEL: kernel "few_terms"
// CHECK:         order(oc.o, p.o, ic, k, p.r, oc.r),
// CHECK-NEXT:    fuse_outer(oc.o, p.o),
func.func @few_terms(%x: tensor<1x1x?xf32>, %o: tensor<1x512x?xf32>) -> tensor<1x512x?xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %o, %c2 : tensor<1x512x?xf32>
  %w = krnl.constant dense<1.0> : tensor<512x1x10xf32>
  %y = krnl.kernel "few_terms" loops [oc = 512, p = %n, ic = 1, k = 10]
      ins(%x, %w : tensor<1x1x?xf32>, tensor<512x1x10xf32>) outs(%o : tensor<1x512x?xf32>) {
  ^bb0(%a: tensor<1x1x?xf32>, %b: tensor<512x1x10xf32>, %c: tensor<1x512x?xf32>, %extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [oc, p] () -> (%_ = %c[0, oc, p]) : () -> tensor<1x512x?xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [oc, p | ic, k] (%lhs = %a[0, ic, p * 5 + k], %rhs = %b[oc, ic, k]) -> (%sum = %f[0, oc, p])
        : (tensor<1x1x?xf32>, tensor<512x1x10xf32>) -> tensor<1x512x?xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1x512x?xf32>
  } -> tensor<1x512x?xf32>
  return %y : tensor<1x512x?xf32>
}

// 320 new elements are more than the results of a panel. The columns do not stay in the second cache: as many of the
// rows as do so go by each panel, which is prefetched, since there may be few of them.
// CHECK-LABEL: kernel "many_terms"
// CHECK:         block(p, 306) -> (p.o, p.cached),
// CHECK-NEXT:    block(p.cached, 6) -> (p.p, p.r),
// CHECK-NEXT:    order(p.o, oc.o, p.p, ic, k, p.r, oc.r),
// CHECK-NEXT:    fuse_outer(p.o, oc.o, p.p),
// CHECK-NEXT:    parallel(p.o, oc.o),
// CHECK:         prefetch(1, distance=1, line=64),
func.func @many_terms(%x: tensor<1x64x?xf32>, %o: tensor<1x512x?xf32>) -> tensor<1x512x?xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %o, %c2 : tensor<1x512x?xf32>
  %w = krnl.constant dense<1.0> : tensor<512x64x10xf32>
  %y = krnl.kernel "many_terms" loops [oc = 512, p = %n, ic = 64, k = 10]
      ins(%x, %w : tensor<1x64x?xf32>, tensor<512x64x10xf32>) outs(%o : tensor<1x512x?xf32>) {
  ^bb0(%a: tensor<1x64x?xf32>, %b: tensor<512x64x10xf32>, %c: tensor<1x512x?xf32>, %extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [oc, p] () -> (%_ = %c[0, oc, p]) : () -> tensor<1x512x?xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [oc, p | ic, k] (%lhs = %a[0, ic, p * 5 + k], %rhs = %b[oc, ic, k]) -> (%sum = %f[0, oc, p])
        : (tensor<1x64x?xf32>, tensor<512x64x10xf32>) -> tensor<1x512x?xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1x512x?xf32>
  } -> tensor<1x512x?xf32>
  return %y : tensor<1x512x?xf32>
}

// Heads of an attention: batch loops outside, the right operand used as it lies.
// CHECK-LABEL: kernel "heads"
// CHECK:         order(b, h, m.o, n.o, k, m.r, n.r),
// CHECK-NEXT:    fuse_outer(b, h, m.o, n.o),
// CHECK-NEXT:    parallel(b, h, m.o, n.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16)
// CHECK-NEXT:  ]
func.func @heads(%x: tensor<?x12x128x128xf32>, %w: tensor<?x12x128x64xf32>, %o: tensor<?x12x128x64xf32>) -> tensor<?x12x128x64xf32> {
  %c0 = arith.constant 0 : index
  %b_size = tensor.dim %o, %c0 : tensor<?x12x128x64xf32>
  %y = krnl.kernel "heads" loops [b = %b_size, h = 12, m = 128, n = 64, k = 128]
      ins(%x, %w : tensor<?x12x128x128xf32>, tensor<?x12x128x64xf32>) outs(%o : tensor<?x12x128x64xf32>) {
  ^bb0(%a: tensor<?x12x128x128xf32>, %b: tensor<?x12x128x64xf32>, %c: tensor<?x12x128x64xf32>, %b_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, h, m, n] () -> (%_ = %c[b, h, m, n]) : () -> tensor<?x12x128x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [b, h, m, n | k] (%p = %a[b, h, m, k], %q = %b[b, h, k, n]) -> (%s = %f[b, h, m, n])
        : (tensor<?x12x128x128xf32>, tensor<?x12x128x64xf32>) -> tensor<?x12x128x64xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<?x12x128x64xf32>
  } -> tensor<?x12x128x64xf32>
  return %y : tensor<?x12x128x64xf32>
}

// Eight channels would fill half a vector: the pixels of a line are the columns,
// read under the window as they lie, and the weights stay while they go by.
// CHECK-LABEL: kernel "few_channels"
// CHECK-NEXT:    block(ow, 48) -> (ow.o, ow.r),
// CHECK-NEXT:    block(oc, 8) -> (oc.o, oc.r),
// CHECK-NEXT:    order(oc.o, n, oh, ow.o, ic, kh, kw, oc.r, ow.r),
// CHECK-NEXT:    fuse_outer(oc.o, n, oh, ow.o),
// CHECK-NEXT:    parallel(oc.o, n, oh, ow.o),
// CHECK-NEXT:    register_tile(oc.r, ow.r, lanes=16)
// CHECK-NEXT:  ]
func.func @few_channels(%x: tensor<1x4x98x98xf32>, %o: tensor<1x8x96x96xf32>) -> tensor<1x8x96x96xf32> {
  %w = krnl.constant dense<1.0> : tensor<8x4x3x3xf32>
  %y = krnl.kernel "few_channels" loops [n = 1, oc = 8, oh = 96, ow = 96, ic = 4, kh = 3, kw = 3]
      ins(%x, %w : tensor<1x4x98x98xf32>, tensor<8x4x3x3xf32>) outs(%o : tensor<1x8x96x96xf32>) {
  ^bb0(%a: tensor<1x4x98x98xf32>, %b: tensor<8x4x3x3xf32>, %c: tensor<1x8x96x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, oc, oh, ow] () -> (%_ = %c[n, oc, oh, ow]) : () -> tensor<1x8x96x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, oc, oh, ow | ic, kh, kw] (%lhs = %a[n, ic, oh + kh, ow + kw], %rhs = %b[oc, ic, kh, kw]) -> (%sum = %f[n, oc, oh, ow])
        : (tensor<1x4x98x98xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x96x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1x8x96x96xf32>
  } -> tensor<1x8x96x96xf32>
  return %y : tensor<1x8x96x96xf32>
}

// Channels that do not mix are the columns all the same, two vectors of them by
// as many pixels as registers allow; the window is unrolled.
// CHECK-LABEL: kernel "channelwise"
// CHECK-NEXT:    block(c, 32) -> (c.o, c.r),
// CHECK-NEXT:    block(w, 8) -> (w.o, w.r),
// CHECK-NEXT:    order(h, w.o, c.o, kh, kw, w.r, c.r),
// CHECK-NEXT:    fuse_outer(h, w.o, c.o),
// CHECK-NEXT:    parallel(h, w.o, c.o),
// CHECK-NEXT:    register_tile(w.r, c.r, lanes=16),
// CHECK-NEXT:    pack(1, [c.o, kh, kw, c.r]),
// CHECK-NEXT:    0: unroll(kw, 3),
// CHECK-NEXT:    0: unroll(kh, 3)
// CHECK-NEXT:  ]
func.func @channelwise(%x: tensor<16x16x64xf32>, %o: tensor<14x14x64xf32>) -> tensor<14x14x64xf32> {
  %f = krnl.constant dense<1.0> : tensor<64x3x3xf32>
  %y = krnl.kernel "channelwise" loops [h = 14, w = 14, c = 64, kh = 3, kw = 3]
      ins(%x, %f : tensor<16x16x64xf32>, tensor<64x3x3xf32>) outs(%o : tensor<14x14x64xf32>) {
  ^bb0(%a: tensor<16x16x64xf32>, %b: tensor<64x3x3xf32>, %d: tensor<14x14x64xf32>):
    %r = krnl.compute [h, w, c | kh, kw] (%p = %a[h + kh, w + kw, c], %q = %b[c, kh, kw]) -> (%s = %d[h, w, c])
        : (tensor<16x16x64xf32>, tensor<64x3x3xf32>) -> tensor<14x14x64xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<14x14x64xf32>
  } -> tensor<14x14x64xf32>
  return %y : tensor<14x14x64xf32>
}

// Rows 4096 bytes apart share the places of one set of the first cache: eight of
// them, not the fourteen that would save loads.
// CHECK-LABEL: kernel "apart"
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
func.func @apart(%x: tensor<14x1024xf32>, %o: tensor<14x96xf32>) -> tensor<14x96xf32> {
  %w = krnl.constant dense<1.0> : tensor<1024x96xf32>
  %y = krnl.kernel "apart" loops [m = 14, n = 96, k = 1024]
      ins(%x, %w : tensor<14x1024xf32>, tensor<1024x96xf32>) outs(%o : tensor<14x96xf32>) {
  ^bb0(%a: tensor<14x1024xf32>, %b: tensor<1024x96xf32>, %c: tensor<14x96xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<14x96xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<14x1024xf32>, tensor<1024x96xf32>) -> tensor<14x96xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<14x96xf32>
  } -> tensor<14x96xf32>
  return %y : tensor<14x96xf32>
}

// Products of bytes: four iterations of the reduction at a time, the last of 30
// being two. The row lies in memory along k, the weights are packed in groups.
// CHECK-LABEL: kernel "bytes"
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    block(k, 4, tail=peel) -> (k.o, k.q),
// CHECK-NEXT:    order(n.o, m.o, k.o, k.q, m.r, n.r),
// CHECK:         register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(1, [n.o, k.o, n.r, k.q]),
// CHECK-NEXT:    1: dot(k.q),
// CHECK-NEXT:    prefetch(1, distance=1, line=64)
// CHECK-NEXT:  ]
// Without an instruction for bytes, of which all sums fit, these are pairs, the bytes of the rows extended
// once for all columns. A tile of 4x3 has no register for the products.
// AVX2-LABEL:  kernel "bytes"
// AVX2-NEXT:     block(n, 16) -> (n.o, n.r),
// AVX2-NEXT:     block(m, 6) -> (m.o, m.r),
// AVX2-NEXT:     block(k, 2) -> (k.o, k.q),
// AVX2-NEXT:     order(m.o, n.o, k.o, k.q, m.r, n.r),
// AVX2:          pack(1, [n.o, k.o, n.r, k.q]),
// AVX2-NEXT:     1: dot(k.q),
// AVX2-NEXT:     1: cache(0, at=m.o, as=i16)
// AVX2-NEXT:   ]
func.func @bytes(%x: tensor<128x30xi8>, %o: tensor<128x96xi32>) -> tensor<128x96xi32> {
  %w = krnl.constant dense<100> : tensor<30x96xi8>
  %y = krnl.kernel "bytes" loops [m = 128, n = 96, k = 30]
      ins(%x, %w : tensor<128x30xi8>, tensor<30x96xi8>) outs(%o : tensor<128x96xi32>) {
  ^bb0(%a: tensor<128x30xi8>, %b: tensor<30x96xi8>, %c: tensor<128x96xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<128x96xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<128x30xi8>, tensor<30x96xi8>) -> tensor<128x96xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<128x96xi32>
  } -> tensor<128x96xi32>
  return %y : tensor<128x96xi32>
}

// The sums of pairs of small bytes fit 16 bits, here those of four groups: 4 * 2 * 16 is
// 128. Beside the bytes of four groups there are registers for seven rows.
// AVX2-LABEL:  kernel "small_bytes"
// AVX2-NEXT:     block(n, 8) -> (n.o, n.r),
// AVX2-NEXT:     block(m, 7) -> (m.o, m.r),
// AVX2-NEXT:     block(k, 4) -> (k.o, k.q),
// AVX2:          pack(1, [n.o, k.o, n.r, k.q]),
// AVX2-NEXT:     1: dot(k.q, sums=i16),
// AVX2-NEXT:     1: unroll(k.o, 4)
// AVX2-NEXT:   ]
func.func @small_bytes(%x: tensor<128x64xi8>, %o: tensor<128x96xi32>) -> tensor<128x96xi32> {
  %w = krnl.constant dense<16> : tensor<64x96xi8>
  %y = krnl.kernel "small_bytes" loops [m = 128, n = 96, k = 64]
      ins(%x, %w : tensor<128x64xi8>, tensor<64x96xi8>) outs(%o : tensor<128x96xi32>) {
  ^bb0(%a: tensor<128x64xi8>, %b: tensor<64x96xi8>, %c: tensor<128x96xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<128x96xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<128x64xi8>, tensor<64x96xi8>) -> tensor<128x96xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<128x96xi32>
  } -> tensor<128x96xi32>
  return %y : tensor<128x96xi32>
}

// Those of a filter of one position are found, too, which no loop goes along.
// AVX2-LABEL:  kernel "small_filter"
// AVX2:          pack(1, [n.o, k.o, n.r, k.q]),
// AVX2-NEXT:     1: dot(k.q, sums=i16),
// AVX2-NEXT:     1: unroll(k.o, 4)
func.func @small_filter(%x: tensor<128x64xi8>, %o: tensor<128x96xi32>) -> tensor<128x96xi32> {
  %w = krnl.constant dense<16> : tensor<96x64x1x1xi8>
  %y = krnl.kernel "small_filter" loops [m = 128, n = 96, k = 64]
      ins(%x, %w : tensor<128x64xi8>, tensor<96x64x1x1xi8>) outs(%o : tensor<128x96xi32>) {
  ^bb0(%a: tensor<128x64xi8>, %b: tensor<96x64x1x1xi8>, %c: tensor<128x96xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<128x96xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[n, k, 0, 0]) -> (%s = %f[m, n])
        : (tensor<128x64xi8>, tensor<96x64x1x1xi8>) -> tensor<128x96xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<128x96xi32>
  } -> tensor<128x96xi32>
  return %y : tensor<128x96xi32>
}

// A few rows of known number and a dynamic number of columns:
// lanes lie along the columns, which count no more than a dynamic number of rows
// would. The few as columns would leave vectors empty, and results to be turned.
// CHECK-LABEL: kernel "transform"
// CHECK-NEXT:    block(w, 64) -> (w.o, w.r),
// CHECK-NEXT:    block(p, 6) -> (p.o, p.r),
// CHECK:         register_tile(p.r, w.r, lanes=16)
func.func @open_columns(%x: tensor<6x?xf32>, %n: index) -> tensor<6x?xf32> {
  %c = krnl.constant dense<2.0> : tensor<6x6xf32>
  %e = tensor.empty(%n) : tensor<6x?xf32>
  %0 = krnl.kernel "transform" loops [p = 6, w = %n, k = 6] ins(%c, %x : tensor<6x6xf32>, tensor<6x?xf32>) outs(%e : tensor<6x?xf32>) {
  ^bb0(%a: tensor<6x6xf32>, %b: tensor<6x?xf32>, %o: tensor<6x?xf32>, %w_extent: index):
    %z = arith.constant 0.0 : f32
    %f = krnl.compute [p, w] () -> (%s = %o[p, w]) : () -> tensor<6x?xf32> {
      linalg.yield %z : f32
    }
    %r = krnl.compute [p, w | k] (%s = %a[p, k], %t = %b[k, w]) -> (%u = %f[p, w])
        : (tensor<6x6xf32>, tensor<6x?xf32>) -> tensor<6x?xf32> {
      %m = arith.mulf %s, %t : f32
      %v = arith.addf %u, %m : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<6x?xf32>
  } -> tensor<6x?xf32>
  return %0 : tensor<6x?xf32>
}

// Queries and keys of an attention: the keys are packed, panel after panel of each
// head. How long the batch is does not matter; nor does it matter whether that is
// known.
// CHECK-LABEL: kernel "known_batch"
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    order(b, n.o, m.o, k, m.r, n.r),
// CHECK-NEXT:    fuse_outer(b, n.o, m.o),
// CHECK-NEXT:    parallel(b, n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(1, [n.o, k, n.r], transpose=16),
// CHECK-NEXT:    prefetch(1, distance=1, line=64)
// CHECK-NEXT:  ]
func.func @known_batch(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>, %o: tensor<8x512x512xf32>) -> tensor<8x512x512xf32> {
  %y = krnl.kernel "known_batch" loops [b = 8, m = 512, n = 512, k = 64] ins(%q, %k : tensor<8x512x64xf32>, tensor<8x512x64xf32>) outs(%o : tensor<8x512x512xf32>) {
  ^bb0(%x: tensor<8x512x64xf32>, %w: tensor<8x512x64xf32>, %c: tensor<8x512x512xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<8x512x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [b, m, n | k] (%s = %x[b, m, k], %t = %w[b, n, k]) -> (%u = %f[b, m, n])
        : (tensor<8x512x64xf32>, tensor<8x512x64xf32>) -> tensor<8x512x512xf32> {
      %v = arith.mulf %s, %t : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<8x512x512xf32>
  } -> tensor<8x512x512xf32>
  return %y : tensor<8x512x512xf32>
}

// CHECK-LABEL: kernel "open_batch"
// CHECK-NEXT:    block(n, 48) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    order(b, n.o, m.o, k, m.r, n.r),
// CHECK-NEXT:    fuse_outer(b, n.o, m.o),
// CHECK-NEXT:    parallel(b, n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(1, [n.o, k, n.r], transpose=16),
// CHECK-NEXT:    prefetch(1, distance=1, line=64)
// CHECK-NEXT:  ]
func.func @open_batch(%q: tensor<?x512x64xf32>, %k: tensor<?x512x64xf32>, %o: tensor<?x512x512xf32>) -> tensor<?x512x512xf32> {
  %c0 = arith.constant 0 : index
  %b_size = tensor.dim %o, %c0 : tensor<?x512x512xf32>
  %y = krnl.kernel "open_batch" loops [b = %b_size, m = 512, n = 512, k = 64] ins(%q, %k : tensor<?x512x64xf32>, tensor<?x512x64xf32>) outs(%o : tensor<?x512x512xf32>) {
  ^bb0(%x: tensor<?x512x64xf32>, %w: tensor<?x512x64xf32>, %c: tensor<?x512x512xf32>, %b_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<?x512x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [b, m, n | k] (%s = %x[b, m, k], %t = %w[b, n, k]) -> (%u = %f[b, m, n])
        : (tensor<?x512x64xf32>, tensor<?x512x64xf32>) -> tensor<?x512x512xf32> {
      %v = arith.mulf %s, %t : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<?x512x512xf32>
  } -> tensor<?x512x512xf32>
  return %y : tensor<?x512x512xf32>
}

// Sentences of dynamic length count as guessedExtent long; what is packed is as large
// as the run asks for. As that may be more than a cache, all rows go by one panel.
// CHECK-LABEL: kernel "open_length"
// CHECK:         order(b, n.o, m.o, k, m.r, n.r),
// CHECK-NEXT:    fuse_outer(b, n.o, m.o),
// CHECK-NEXT:    parallel(b, n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16, tail=[4, 2] masked),
// CHECK-NEXT:    pack(1, [n.o, k, n.r], transpose=16),
// CHECK-NEXT:    prefetch(1, distance=1, line=64)
// CHECK-NEXT:  ]
func.func @open_length(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %b_size = tensor.dim %o, %c0 : tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %m_size = tensor.dim %o, %c1 : tensor<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %n_size = tensor.dim %o, %c2 : tensor<?x?x?xf32>
  %y = krnl.kernel "open_length" loops [b = %b_size, m = %m_size, n = %n_size, k = 64] ins(%q, %k : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%o : tensor<?x?x?xf32>) {
  ^bb0(%x: tensor<?x?x64xf32>, %w: tensor<?x?x64xf32>, %c: tensor<?x?x?xf32>, %b_extent: index, %m_extent: index, %n_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<?x?x?xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [b, m, n | k] (%s = %x[b, m, k], %t = %w[b, n, k]) -> (%u = %f[b, m, n])
        : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<?x?x?xf32> {
      %v = arith.mulf %s, %t : f32
      %z = arith.addf %u, %v : f32
      linalg.yield %z : f32
    }
    krnl.yield %r : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// The number of products, 2^63, is no 64-bit integer: it saturates.
// CHECK-LABEL: kernel "huge"
// CHECK:         parallel(
func.func @huge(%x: tensor<134217728x512xf32>, %w: tensor<512x134217728xf32>, %o: tensor<134217728x134217728xf32>)
    -> tensor<134217728x134217728xf32> {
  %y = krnl.kernel "huge" loops [m = 134217728, n = 134217728, k = 512]
      ins(%x, %w : tensor<134217728x512xf32>, tensor<512x134217728xf32>)
      outs(%o : tensor<134217728x134217728xf32>) {
  ^bb0(%a: tensor<134217728x512xf32>, %b: tensor<512x134217728xf32>, %c: tensor<134217728x134217728xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<134217728x134217728xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<134217728x512xf32>, tensor<512x134217728xf32>) -> tensor<134217728x134217728xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<134217728x134217728xf32>
  } -> tensor<134217728x134217728xf32>
  return %y : tensor<134217728x134217728xf32>
}

// Lanes are along the known number of columns: a run may have one row, of which most
// lanes would be empty.
// CHECK-LABEL: kernel "few_or_many_rows"
// AVX2-LABEL:  kernel "few_or_many_rows"
// AVX2-NEXT:     block(n, 24) -> (n.o, n.r),
// AVX2:          register_tile(m.r, n.r, lanes=8
func.func @few_or_many_rows(%x: tensor<?x768xf32>, %o: tensor<?x5000xf32>) -> tensor<?x5000xf32> {
  %c0 = arith.constant 0 : index
  %m_size = tensor.dim %o, %c0 : tensor<?x5000xf32>
  %w = krnl.constant dense<1.0> : tensor<768x5000xf32>
  %y = krnl.kernel "few_or_many_rows" loops [m = %m_size, n = 5000, k = 768]
      ins(%x, %w : tensor<?x768xf32>, tensor<768x5000xf32>) outs(%o : tensor<?x5000xf32>) {
  ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x5000xf32>, %c: tensor<?x5000xf32>, %m_extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x5000xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<?x768xf32>, tensor<768x5000xf32>) -> tensor<?x5000xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<?x5000xf32>
  } -> tensor<?x5000xf32>
  return %y : tensor<?x5000xf32>
}
