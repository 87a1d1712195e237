// RUN: onnx-opt %s --krnl-lower-kernels --verify-diagnostics

// Packing in each run is a launch of the host's, which devices have no form of.
module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

func.func @packed(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  // expected-error @+1 {{packs operand 1 in each run, which no device does: take the step out of the recipe}}
  %y = krnl.kernel "packed" loops [m = 16, n = 64, k = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%o : tensor<16x64xf32>)
      recipe [block(n, 16) -> (n.p, n.r), order(m, n.p, k, n.r), fuse_outer(m), parallel(m), pack(1, [n.p, k, n.r])] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %c: tensor<16x64xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

}
