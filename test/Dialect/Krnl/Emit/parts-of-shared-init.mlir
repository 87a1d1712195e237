// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// A tensor is put together of two parts. One op reads it, another continues it
// in memory of its own: both parts go there, not only the last.
// CHECK-LABEL: func private @kernel_parts_0(
// CHECK:         %[[A:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         %[[B:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[X:.+]], %[[A]][
// CHECK-DAG:       memref.store %[[X]], %[[B]][
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[Y:.+]], %[[A]][
// CHECK-DAG:       memref.store %[[Y]], %[[B]][
#one = affine_map<(d) -> (d)>
#behind = affine_map<(d) -> (d + 3)>
func.func @parts(%x: tensor<3xf32>, %y: tensor<5xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = krnl.kernel "parts" loops [i = 3, j = 5, k = 8, l = 8, m = 8] ins(%x, %y : tensor<3xf32>, tensor<5xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<3xf32>, %b: tensor<5xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.generic {indexing_maps = [#one, affine_map<(d) -> (d mod 4611686018427387904)>], iterator_types = ["parallel"]}
        ins(%a : tensor<3xf32>) outs(%e : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%v: f32, %w: f32):
      linalg.yield %v : f32
    } -> tensor<8xf32>
    %g = linalg.generic {indexing_maps = [#one, #behind], iterator_types = ["parallel"]}
        ins(%b : tensor<5xf32>) outs(%f : tensor<8xf32>) attrs = {krnl.axes = ["j"]} {
    ^bb0(%v: f32, %w: f32):
      linalg.yield %v : f32
    } -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%g : tensor<8xf32>) outs(%p : tensor<8xf32>) attrs = {krnl.axes = ["k"]} {
    ^bb0(%v: f32, %w: f32):
      %n = arith.addf %v, %v : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
        outs(%g : tensor<8xf32>) attrs = {krnl.axes = ["l"]} {
    ^bb0(%w: f32):
      %n = arith.mulf %w, %w : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    %u = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%t : tensor<8xf32>) outs(%q : tensor<8xf32>) attrs = {krnl.axes = ["m"]} {
    ^bb0(%v: f32, %w: f32):
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    krnl.yield %s, %u : tensor<8xf32>, tensor<8xf32>
  } -> tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
