// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Two sums start from the same zeros. Neither may find what the other has left
// in memory: each has its own, and the zeros go to both.
// CHECK-LABEL: func private @kernel_sums_0(
// CHECK:         %[[A:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         %[[B:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK-DAG:       memref.store %[[ZERO:.+]], %[[A]][%{{.+}}]
// CHECK-DAG:       memref.store %[[ZERO]], %[[B]][%{{.+}}]
// CHECK:         scf.for
// CHECK:           memref.load %[[A]][%{{.+}}]
// CHECK:           memref.store %{{.+}}, %[[A]][%{{.+}}]
// CHECK:         scf.for
// CHECK:           memref.load %[[B]][%{{.+}}]
// CHECK:           memref.store %{{.+}}, %[[B]][%{{.+}}]
#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#one = affine_map<(r) -> (r)>
func.func @sums(%x: tensor<8x5xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "sums" loops [r = 8, c = 5] ins(%x : tensor<8x5xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x5xf32>, %b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill {krnl.axes = ["r"]} ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x5xf32>) outs(%f : tensor<8xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x5xf32>) outs(%f : tensor<8xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%p: f32, %q: f32):
      %n = arith.mulf %p, %p : f32
      %m = arith.addf %n, %q : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    %u = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
        ins(%s, %t : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) attrs = {krnl.axes = ["r"]} {
    ^bb0(%p: f32, %w: f32, %q: f32):
      %m = arith.subf %p, %w : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    krnl.yield %u : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
