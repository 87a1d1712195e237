// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver3" --krnl-annotate-costs | FileCheck %s

// Parts of a result are written across what is read. Of lines 4 KiB apart the second
// cache keeps 128, so that all 256 of a tile are brought from the third for each element;
// with a few elements between the rows they are spread over all sets.
// CHECK-LABEL: func @few_sets
// CHECK:         krnl.cycles = {{\[}}[1.4{{[0-9]+}}e+07]]
// CHECK-LABEL: func @all_sets
// CHECK:         krnl.cycles = {{\[}}[1.7{{[0-9]+}}e+06]]
func.func @few_sets(%x: tensor<512x2048xf32>, %z: tensor<512x2048xf32>, %o: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %y = krnl.kernel "few_sets" loops [p = 2048, a = 512, b = 512] ins(%x, %z : tensor<512x2048xf32>, tensor<512x2048xf32>) outs(%o : tensor<2048x1024xf32>)
      recipe [block(p, 256) -> (p.tile, p.i), order(p.tile, a, b, p.i), fuse_outer(p.tile), vectorize(p.i, 8), unroll(p.i, 4)] {
  ^bb0(%u: tensor<512x2048xf32>, %v: tensor<512x2048xf32>, %r: tensor<2048x1024xf32>):
    %0 = krnl.compute [p, a] (%s = %u[a, p]) -> (%t = %r[p, a ...]) : (tensor<512x2048xf32>) -> tensor<2048x1024xf32> { linalg.yield %s : f32 }
    %1 = krnl.compute [p, b] (%s = %v[b, p]) -> (%t = %0[p, b + 512]) : (tensor<512x2048xf32>) -> tensor<2048x1024xf32> { linalg.yield %s : f32 }
    krnl.yield %1 : tensor<2048x1024xf32>
  } -> tensor<2048x1024xf32>
  return %y : tensor<2048x1024xf32>
}
func.func @all_sets(%x: tensor<512x2048xf32>, %z: tensor<512x2048xf32>, %o: tensor<2048x1040xf32>) -> tensor<2048x1040xf32> {
  %y = krnl.kernel "all_sets" loops [p = 2048, a = 512, b = 512] ins(%x, %z : tensor<512x2048xf32>, tensor<512x2048xf32>) outs(%o : tensor<2048x1040xf32>)
      recipe [block(p, 256) -> (p.tile, p.i), order(p.tile, a, b, p.i), fuse_outer(p.tile), vectorize(p.i, 8), unroll(p.i, 4)] {
  ^bb0(%u: tensor<512x2048xf32>, %v: tensor<512x2048xf32>, %r: tensor<2048x1040xf32>):
    %0 = krnl.compute [p, a] (%s = %u[a, p]) -> (%t = %r[p, a ...]) : (tensor<512x2048xf32>) -> tensor<2048x1040xf32> { linalg.yield %s : f32 }
    %1 = krnl.compute [p, b] (%s = %v[b, p]) -> (%t = %0[p, b + 528]) : (tensor<512x2048xf32>) -> tensor<2048x1040xf32> { linalg.yield %s : f32 }
    krnl.yield %1 : tensor<2048x1040xf32>
  } -> tensor<2048x1040xf32>
  return %y : tensor<2048x1040xf32>
}
