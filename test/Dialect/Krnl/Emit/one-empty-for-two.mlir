// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s
//
// Common subexpressions have made one tensor.empty of two temporaries; they live
// at the same time, so each has its own memory.

// CHECK-LABEL: func private @kernel_two_sums
// CHECK-COUNT-2: memref.alloca() {{.*}}: memref<8xf32>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @two_sums(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = krnl.kernel "two_sums" loops [i = 8, j = 4] ins(%x, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill {krnl.axes = ["i"]} ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x4xf32>) outs(%f : tensor<8xf32>) attrs = {krnl.axes = ["i", "j"]} {
    ^bb0(%p: f32, %q: f32):
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<8xf32>
    %g = linalg.fill {krnl.axes = ["i"]} ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%b : tensor<8x4xf32>) outs(%g : tensor<8xf32>) attrs = {krnl.axes = ["i", "j"]} {
    ^bb0(%p: f32, %q: f32):
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<8xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%s, %t : tensor<8xf32>, tensor<8xf32>) outs(%c : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32, %u: f32):
      %v = arith.divf %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<8xf32>
    krnl.yield %d : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A temporary that nobody uses is no memory.
// CHECK-LABEL: func private @kernel_copy
// CHECK-NOT: memref.alloca
func.func @unused(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = krnl.kernel "copy" loops [i = 8] ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %unused = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<8xf32>
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
