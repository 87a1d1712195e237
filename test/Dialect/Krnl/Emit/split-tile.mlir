// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Four partial sums for each column of the tile: in the end they are added to
// the zero that all lanes start from.
// CHECK-LABEL: func private @kernel_split_0(
// CHECK:         scf.for {{.+}} iter_args({{.+}}) -> (vector<16xf32>)
// CHECK:         arith.addf {{.+}} : vector<16xf32>
// CHECK:         vector.store
#in = affine_map<(k, n, m) -> (k, m, n)>
#out = affine_map<(k, n, m) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @split(%x: tensor<54x2x16xf32>, %o: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %y = krnl.kernel "split" loops [k = 54, m = 2, n = 16] ins(%x : tensor<54x2x16xf32>) outs(%o : tensor<2x16xf32>)
      recipe [split_reduction(k, 4) -> (k.o, k.v), block(m, 1) -> (m.o, m.r), order(m.o, k.o, k.v, m.r, n), fuse_outer(m.o), register_tile(m.r, n)] {
  ^bb0(%a: tensor<54x2x16xf32>, %b: tensor<2x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill {krnl.axes = ["m", "n"]} ins(%zero : f32) outs(%b : tensor<2x16xf32>) -> tensor<2x16xf32>
    %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%a : tensor<54x2x16xf32>) outs(%f : tensor<2x16xf32>) attrs = {krnl.axes = ["k", "n", "m"]} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %q, %p : f32
      linalg.yield %m : f32
    } -> tensor<2x16xf32>
    krnl.yield %r : tensor<2x16xf32>
  } -> tensor<2x16xf32>
  return %y : tensor<2x16xf32>
}
