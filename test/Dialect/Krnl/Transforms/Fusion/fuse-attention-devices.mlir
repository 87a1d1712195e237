// RUN: onnx-opt %s --krnl-fuse=attention=true | FileCheck %s
//
// A device has no recipe for the three parts together.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// CHECK-LABEL: func.func @attention(
// CHECK:         krnl.kernel "scores"
// CHECK:         krnl.kernel "rows"
// CHECK:         krnl.kernel "sums"
func.func @attention(%q: tensor<2x512x64xf32>, %k: tensor<2x384x64xf32>, %v: tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
  %s = tensor.empty() : tensor<2x512x384xf32>
  %o = tensor.empty() : tensor<2x512x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 512, n = 384, k = 64] ins(%q, %k : tensor<2x512x64xf32>, tensor<2x384x64xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x64xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x384xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x512x64xf32>, tensor<2x384x64xf32>) -> tensor<2x512x384xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 512, j = 384] ins(%0 : tensor<2x512x384xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %c: tensor<2x512x384xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x512xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x512xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x512x384xf32>) -> tensor<2x512xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x512x384xf32>, tensor<2x512xf32>) -> tensor<2x512x384xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 512, n = 64, k = 384] ins(%1, %v : tensor<2x512x384xf32>, tensor<2x384x64xf32>) outs(%o : tensor<2x512x64xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x512x384xf32>, tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x64xf32>
  } -> tensor<2x512x64xf32>
  return %2 : tensor<2x512x64xf32>
}

}
