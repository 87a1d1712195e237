// RUN: onnx-opt %s --krnl-fuse --canonicalize --cse | FileCheck %s

// A 1x1 convolution loses its window; pixels are then one dimension.
// CHECK-LABEL: func @pointwise
// CHECK:         krnl.kernel "conv" loops [oc = 32, hw = 196, ic = 16]
// CHECK-SAME:      ins(%{{.+}}, %{{.+}} : tensor<1x16x196xf32>, tensor<32x16x1x1xf32>)
func.func @pointwise(%x: tensor<1x16x14x14xf32>, %w: tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32> {
  %e = tensor.empty() : tensor<1x32x14x14xf32>
  %y = krnl.kernel "conv" loops [n = 1, oc = 32, h = 14, w = 14, ic = 16, kh = 1, kw = 1]
      ins(%x, %w : tensor<1x16x14x14xf32>, tensor<32x16x1x1xf32>) outs(%e : tensor<1x32x14x14xf32>) {
  ^bb0(%p: tensor<1x16x14x14xf32>, %q: tensor<32x16x1x1xf32>, %o: tensor<1x32x14x14xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, oc, h, w] () -> (%u = %o[n, oc, h, w]) : () -> tensor<1x32x14x14xf32> {
      linalg.yield %zero : f32
    }
    %r = krnl.compute [n, oc, h, w | ic, kh, kw] (%s = %p[n, ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %f[n, oc, h, w])
        : (tensor<1x16x14x14xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<1x32x14x14xf32>
  } -> tensor<1x32x14x14xf32>
  return %y : tensor<1x32x14x14xf32>
}

// One window over a part of its input: without o the window does not span the
// four elements, so it accesses a part.
// CHECK-LABEL: func @window_of_a_part
// CHECK:         krnl.kernel "pool" loops [k = 3]
// CHECK:           krnl.compute [| k] (%{{.+}} = %{{.+}}[k ...], %{{.+}} = %{{.+}}[k]) -> (%{{.+}} = %{{.+}}[0])
func.func @window_of_a_part(%x: tensor<4xf32>, %w: tensor<3xi8>, %e: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "pool" loops [o = 1, k = 3] ins(%x, %w : tensor<4xf32>, tensor<3xi8>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<4xf32>, %v: tensor<3xi8>, %q: tensor<1xf32>):
    %r = krnl.compute [o | k] (%s = %p[o + k], %u = %v[k]) -> (%t = %q[o])
        : (tensor<4xf32>, tensor<3xi8>) -> tensor<1xf32> {
      %m = arith.maximumf %s, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}
