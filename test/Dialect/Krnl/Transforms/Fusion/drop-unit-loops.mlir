// RUN: onnx-opt %s --krnl-fuse --canonicalize --cse | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse=collapse=false | FileCheck %s --check-prefix=APART

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

// A kernel says that its loops of one iteration stay, and so does the one that it is fused with.
// APART-LABEL: func @kept
// APART:         krnl.kernel "scale+shift" loops [r = 1, i = 100] {{.*}} attributes {keepUnitLoops}
func.func @kept(%x: tensor<1x100xf32>) -> tensor<1x100xf32> {
  %e = tensor.empty() : tensor<1x100xf32>
  %s = krnl.kernel "scale" loops [r = 1, i = 100] ins(%x : tensor<1x100xf32>) outs(%e : tensor<1x100xf32>) attributes {keepUnitLoops} {
  ^bb0(%p: tensor<1x100xf32>, %o: tensor<1x100xf32>):
    %m = krnl.compute [r, i] (%a = %p[r, i]) -> (%b = %o[r, i]) : (tensor<1x100xf32>) -> tensor<1x100xf32> {
      %v = arith.mulf %a, %a : f32
      linalg.yield %v : f32
    }
    krnl.yield %m : tensor<1x100xf32>
  } -> tensor<1x100xf32>
  %y = krnl.kernel "shift" loops [r = 1, i = 100] ins(%s : tensor<1x100xf32>) outs(%e : tensor<1x100xf32>) {
  ^bb0(%p: tensor<1x100xf32>, %o: tensor<1x100xf32>):
    %m = krnl.compute [r, i] (%a = %p[r, i]) -> (%b = %o[r, i]) : (tensor<1x100xf32>) -> tensor<1x100xf32> {
      %v = arith.addf %a, %a : f32
      linalg.yield %v : f32
    }
    krnl.yield %m : tensor<1x100xf32>
  } -> tensor<1x100xf32>
  return %y : tensor<1x100xf32>
}

// Two products on a device say nothing by themselves.
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {
// CHECK-LABEL: func @two_products
// CHECK:         krnl.kernel "products" loops [c = 64, k = 32]
func.func @two_products(%x: tensor<1x32xf32>, %w: tensor<32x64xf32>, %v: tensor<32x64xf32>, %o: tensor<1x64xf32>, %q: tensor<1x64xf32>)
    -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %y:2 = krnl.kernel "products" loops [r = 1, c = 64, k = 32]
      ins(%x, %w, %v : tensor<1x32xf32>, tensor<32x64xf32>, tensor<32x64xf32>) outs(%o, %q : tensor<1x64xf32>, tensor<1x64xf32>) {
  ^bb0(%a: tensor<1x32xf32>, %b: tensor<32x64xf32>, %d: tensor<32x64xf32>, %e: tensor<1x64xf32>, %f: tensor<1x64xf32>):
    %s = krnl.compute [r, c | k] (%l = %a[r, k], %m = %b[k, c]) -> (%n = %e[r, c])
        : (tensor<1x32xf32>, tensor<32x64xf32>) -> tensor<1x64xf32> {
      %p = arith.mulf %l, %m : f32
      %t = arith.addf %n, %p : f32
      linalg.yield %t : f32
    }
    %u = krnl.compute [r, c | k] (%l = %a[r, k], %m = %d[k, c]) -> (%n = %f[r, c])
        : (tensor<1x32xf32>, tensor<32x64xf32>) -> tensor<1x64xf32> {
      %p = arith.mulf %l, %m : f32
      %t = arith.addf %n, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s, %u : tensor<1x64xf32>, tensor<1x64xf32>
  } -> tensor<1x64xf32>, tensor<1x64xf32>
  return %y#0, %y#1 : tensor<1x64xf32>, tensor<1x64xf32>
}
}
