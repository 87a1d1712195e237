// RUN: onnx-opt %s --krnl-choose-layouts | FileCheck %s

// A window whose result cannot follow asks for nothing: one side would have to be
// turned inside of it.
// CHECK-LABEL: func @result_is_fixed
// CHECK:         krnl.kernel "neg" {{.+}} outs(%{{.+}} : tensor<32x?x?xf32>)
func.func @result_is_fixed(%x: tensor<32x?x?xf32>, %h: index, %v: index, %g: index, %u: index) -> (tensor<32x?x?xf32>, index) {
  %w = krnl.constant dense<1.0> : tensor<32x3x3xf32>
  %c2 = arith.constant 2 : index
  %e0 = tensor.empty(%h, %v) : tensor<32x?x?xf32>
  %c1 = arith.constant 1 : index
  %b_size = tensor.dim %x, %c1 : tensor<32x?x?xf32>
  %c_size = tensor.dim %x, %c2 : tensor<32x?x?xf32>
  %0 = krnl.kernel "neg" loops [a = 32, b = %b_size, c = %c_size] ins(%x : tensor<32x?x?xf32>) outs(%e0 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %o: tensor<32x?x?xf32>, %b_extent: index, %c_extent: index):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x?x?xf32>) -> tensor<32x?x?xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  %n = tensor.dim %0, %c2 : tensor<32x?x?xf32>
  %e1 = tensor.empty(%g, %u) : tensor<32x?x?xf32>
  %1 = krnl.kernel "window" loops [h = %g, w = %u, c = 32, kh = 3, kw = 3]
      ins(%0, %w : tensor<32x?x?xf32>, tensor<32x3x3xf32>) outs(%e1 : tensor<32x?x?xf32>) {
  ^bb0(%p: tensor<32x?x?xf32>, %q: tensor<32x3x3xf32>, %o: tensor<32x?x?xf32>, %h_extent: index, %w_extent: index):
    %c = krnl.compute [h, w, c | kh, kw] (%s = %p[c, h + kh, w + kw], %t = %q[c, kh, kw]) -> (%z = %o[c, h, w])
        : (tensor<32x?x?xf32>, tensor<32x3x3xf32>) -> tensor<32x?x?xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %z, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x?x?xf32>
  } -> tensor<32x?x?xf32>
  return %1, %n : tensor<32x?x?xf32>, index
}

// Rows at computed indices: any dimension but these could lie along memory, so
// that the convolution has the word, on both sides of the reads.
// CHECK-LABEL: func @resized
// CHECK:         krnl.kernel "conv" {{.+}} outs(%{{.+}} : tensor<14x14x32xf32>)
// CHECK:         krnl.kernel "rows" {{.+}} ins(%{{.+}} : tensor<28xi64>, tensor<14x14x32xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<28x14x32xf32>)
// CHECK:           tensor.extract %{{.+}}[%{{.+}}, %[[COLUMN:.+]], %[[CHANNEL:.+]]] : tensor<14x14x32xf32>
// CHECK:         krnl.kernel "turn" {{.+}} ins(%{{.+}} : tensor<28x14x32xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<32x28x14xf32>)
func.func @resized(%x: tensor<3x16x16xf32>, %table: tensor<28xi64>) -> tensor<32x28x14xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x3x3x3xf32>
  %e0 = tensor.empty() : tensor<32x14x14xf32>
  %0 = krnl.kernel "conv" loops [oc = 32, h = 14, w = 14, ic = 3, kh = 3, kw = 3]
      ins(%x, %w : tensor<3x16x16xf32>, tensor<32x3x3x3xf32>) outs(%e0 : tensor<32x14x14xf32>) {
  ^bb0(%p: tensor<3x16x16xf32>, %q: tensor<32x3x3x3xf32>, %o: tensor<32x14x14xf32>):
    %c = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<3x16x16xf32>, tensor<32x3x3x3xf32>) -> tensor<32x14x14xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x14x14xf32>
  } -> tensor<32x14x14xf32>
  %e1 = tensor.empty() : tensor<32x28x14xf32>
  %1 = krnl.kernel "rows" loops [c = 32, h = 28, w = 14] ins(%table, %0 : tensor<28xi64>, tensor<32x14x14xf32>)
      outs(%e1 : tensor<32x28x14xf32>) {
  ^bb0(%t: tensor<28xi64>, %p: tensor<32x14x14xf32>, %o: tensor<32x28x14xf32>):
    %r = krnl.compute [c, h, w] (%s = %t[h]) -> (%q = %o[c, h, w])
        : (tensor<28xi64>) -> tensor<32x28x14xf32> {
      %c = krnl.index c
      %row = arith.index_cast %s : i64 to index
      %column = krnl.index w
      %v = tensor.extract %p[%c, %row, %column] : tensor<32x14x14xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<32x28x14xf32>
  } -> tensor<32x28x14xf32>
  %e2 = tensor.empty() : tensor<32x28x14xf32>
  %2 = krnl.kernel "turn" loops [a = 32, b = 28, c = 14] ins(%1 : tensor<32x28x14xf32>) outs(%e2 : tensor<32x28x14xf32>) {
  ^bb0(%p: tensor<32x28x14xf32>, %o: tensor<32x28x14xf32>):
    %r = krnl.compute [a, b, c] (%s = %p[a, b, c]) -> (%q = %o[a, b, c])
        : (tensor<32x28x14xf32>) -> tensor<32x28x14xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<32x28x14xf32>
  } -> tensor<32x28x14xf32>
  return %2 : tensor<32x28x14xf32>
}

// Views that see the channels in groups go along: all convolutions have them last.
// CHECK-LABEL: func @views
// CHECK:         %[[X:.+]] = krnl.kernel "first" {{.+}} outs(%{{.+}} : tensor<14x14x64xf32>)
// CHECK:         %[[SPLIT:.+]] = tensor.expand_shape %[[X]] {{\[}}[0], [1], [2, 3]] output_shape [14, 14, 4, 16] : tensor<14x14x64xf32> into tensor<14x14x4x16xf32>
// CHECK:         %[[Y:.+]] = krnl.kernel "groups" loops [h = 12, w = 12, g = 4, oc = 16, kh = 3, kw = 3, ic = 16]
// CHECK-SAME:      ins(%[[SPLIT]], {{.+}} outs(%{{.+}} : tensor<12x12x4x16xf32>)
// CHECK:           krnl.compute [h, w, g, oc | kh, kw, ic] (%{{.+}} = %{{.+}}[h + kh, w + kw, g, ic], %{{.+}} = %{{.+}}[g, oc, ic, kh, kw]) -> (%{{.+}} = %{{.+}}[h, w, g, oc])
// CHECK:         %[[JOINED:.+]] = tensor.collapse_shape %[[Y]] {{\[}}[0], [1], [2, 3]] : tensor<12x12x4x16xf32> into tensor<12x12x64xf32>
// CHECK:         krnl.kernel "last" {{.+}} ins(%[[JOINED]],
func.func @views(%x: tensor<3x16x16xf32>) -> tensor<8x10x10xf32> {
  %w0 = krnl.constant dense<1.0> : tensor<64x3x3x3xf32>
  %e0 = tensor.empty() : tensor<64x14x14xf32>
  %0 = krnl.kernel "first" loops [oc = 64, h = 14, w = 14, ic = 3, kh = 3, kw = 3]
      ins(%x, %w0 : tensor<3x16x16xf32>, tensor<64x3x3x3xf32>) outs(%e0 : tensor<64x14x14xf32>) {
  ^bb0(%p: tensor<3x16x16xf32>, %q: tensor<64x3x3x3xf32>, %o: tensor<64x14x14xf32>):
    %r = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<3x16x16xf32>, tensor<64x3x3x3xf32>) -> tensor<64x14x14xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<64x14x14xf32>
  } -> tensor<64x14x14xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [4, 16, 14, 14] : tensor<64x14x14xf32> into tensor<4x16x14x14xf32>
  %w1 = krnl.constant dense<1.0> : tensor<4x16x16x3x3xf32>
  %e1 = tensor.empty() : tensor<4x16x12x12xf32>
  %2 = krnl.kernel "groups" loops [g = 4, oc = 16, h = 12, w = 12, ic = 16, kh = 3, kw = 3]
      ins(%1, %w1 : tensor<4x16x14x14xf32>, tensor<4x16x16x3x3xf32>) outs(%e1 : tensor<4x16x12x12xf32>) {
  ^bb0(%p: tensor<4x16x14x14xf32>, %q: tensor<4x16x16x3x3xf32>, %o: tensor<4x16x12x12xf32>):
    %r = krnl.compute [g, oc, h, w | ic, kh, kw] (%s = %p[g, ic, h + kh, w + kw], %t = %q[g, oc, ic, kh, kw]) -> (%u = %o[g, oc, h, w])
        : (tensor<4x16x14x14xf32>, tensor<4x16x16x3x3xf32>) -> tensor<4x16x12x12xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x12x12xf32>
  } -> tensor<4x16x12x12xf32>
  %3 = tensor.collapse_shape %2 [[0, 1], [2], [3]] : tensor<4x16x12x12xf32> into tensor<64x12x12xf32>
  %w2 = krnl.constant dense<1.0> : tensor<8x64x3x3xf32>
  %e2 = tensor.empty() : tensor<8x10x10xf32>
  %4 = krnl.kernel "last" loops [oc = 8, h = 10, w = 10, ic = 64, kh = 3, kw = 3]
      ins(%3, %w2 : tensor<64x12x12xf32>, tensor<8x64x3x3xf32>) outs(%e2 : tensor<8x10x10xf32>) {
  ^bb0(%p: tensor<64x12x12xf32>, %q: tensor<8x64x3x3xf32>, %o: tensor<8x10x10xf32>):
    %r = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<64x12x12xf32>, tensor<8x64x3x3xf32>) -> tensor<8x10x10xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<8x10x10xf32>
  } -> tensor<8x10x10xf32>
  return %4 : tensor<8x10x10xf32>
}

// Four channels of a group do not fill a vector: the convolution of groups keeps its
// pixels along memory, and the kernels beside it read and write them so.
// CHECK-LABEL: func @short_groups
// CHECK:         krnl.kernel "first" {{.+}} outs(%{{.+}} : tensor<64x14x14xf32>)
// CHECK:         krnl.kernel "groups" {{.+}} outs(%{{.+}} : tensor<16x4x12x12xf32>)
// CHECK:         tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2], [3]]
func.func @short_groups(%x: tensor<3x16x16xf32>) -> tensor<8x10x10xf32> {
  %w0 = krnl.constant dense<1.0> : tensor<64x3x3x3xf32>
  %e0 = tensor.empty() : tensor<64x14x14xf32>
  %0 = krnl.kernel "first" loops [oc = 64, h = 14, w = 14, ic = 3, kh = 3, kw = 3]
      ins(%x, %w0 : tensor<3x16x16xf32>, tensor<64x3x3x3xf32>) outs(%e0 : tensor<64x14x14xf32>) {
  ^bb0(%p: tensor<3x16x16xf32>, %q: tensor<64x3x3x3xf32>, %o: tensor<64x14x14xf32>):
    %r = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<3x16x16xf32>, tensor<64x3x3x3xf32>) -> tensor<64x14x14xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<64x14x14xf32>
  } -> tensor<64x14x14xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [16, 4, 14, 14] : tensor<64x14x14xf32> into tensor<16x4x14x14xf32>
  %w1 = krnl.constant dense<1.0> : tensor<16x4x4x3x3xf32>
  %e1 = tensor.empty() : tensor<16x4x12x12xf32>
  %2 = krnl.kernel "groups" loops [g = 16, oc = 4, h = 12, w = 12, ic = 4, kh = 3, kw = 3]
      ins(%1, %w1 : tensor<16x4x14x14xf32>, tensor<16x4x4x3x3xf32>) outs(%e1 : tensor<16x4x12x12xf32>) {
  ^bb0(%p: tensor<16x4x14x14xf32>, %q: tensor<16x4x4x3x3xf32>, %o: tensor<16x4x12x12xf32>):
    %r = krnl.compute [g, oc, h, w | ic, kh, kw] (%s = %p[g, ic, h + kh, w + kw], %t = %q[g, oc, ic, kh, kw]) -> (%u = %o[g, oc, h, w])
        : (tensor<16x4x14x14xf32>, tensor<16x4x4x3x3xf32>) -> tensor<16x4x12x12xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<16x4x12x12xf32>
  } -> tensor<16x4x12x12xf32>
  %3 = tensor.collapse_shape %2 [[0, 1], [2], [3]] : tensor<16x4x12x12xf32> into tensor<64x12x12xf32>
  %w2 = krnl.constant dense<1.0> : tensor<8x64x3x3xf32>
  %e2 = tensor.empty() : tensor<8x10x10xf32>
  %4 = krnl.kernel "last" loops [oc = 8, h = 10, w = 10, ic = 64, kh = 3, kw = 3]
      ins(%3, %w2 : tensor<64x12x12xf32>, tensor<8x64x3x3xf32>) outs(%e2 : tensor<8x10x10xf32>) {
  ^bb0(%p: tensor<64x12x12xf32>, %q: tensor<8x64x3x3xf32>, %o: tensor<8x10x10xf32>):
    %r = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<64x12x12xf32>, tensor<8x64x3x3xf32>) -> tensor<8x10x10xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<8x10x10xf32>
  } -> tensor<8x10x10xf32>
  return %4 : tensor<8x10x10xf32>
}
