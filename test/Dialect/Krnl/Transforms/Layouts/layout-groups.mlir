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
