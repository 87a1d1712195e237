// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Four partial sums for each column of the tile: in the end they are added to
// the zero that all lanes start from.
// CHECK-LABEL: func private @kernel_split_0(
// CHECK:         scf.for {{.+}} iter_args({{.+}}) -> (vector<16xf32>)
// CHECK:         arith.addf {{.+}} : vector<16xf32>
// CHECK:         vector.store
func.func @split(%x: tensor<54x2x16xf32>, %o: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %y = krnl.kernel "split" loops [k = 54, m = 2, n = 16] ins(%x : tensor<54x2x16xf32>) outs(%o : tensor<2x16xf32>)
      recipe [split_reduction(k, 4) -> (k.o, k.v), block(m, 1) -> (m.o, m.r), order(m.o, k.o, k.v, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=16)] {
  ^bb0(%a: tensor<54x2x16xf32>, %b: tensor<2x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %b[m, n]) : () -> tensor<2x16xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, m | k] (%p = %a[k, m, n]) -> (%q = %f[m, n])
        : (tensor<54x2x16xf32>) -> tensor<2x16xf32> {
      %m = arith.addf %q, %p : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<2x16xf32>
  } -> tensor<2x16xf32>
  return %y : tensor<2x16xf32>
}
