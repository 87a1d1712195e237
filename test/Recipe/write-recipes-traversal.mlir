// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Traversals wait for what they read: many run side by side, their indices in
// registers while the steps run.
// CHECK-LABEL: kernel "traversal"
// CHECK-NEXT:    block(r, 16) -> (r.o, r.i),
// CHECK-NEXT:    order(r.o, r.i, s),
// CHECK-NEXT:    fuse_outer(r.o),
// CHECK-NEXT:    unroll(r.i, 16)
// CHECK-NEXT:  ]
func.func @walk(%next: tensor<100xi32>, %first: tensor<64xi32>, %none: tensor<8xi8>, %o: tensor<64xi32>) -> tensor<64xi32> {
  %y = krnl.kernel "traversal" loops [r = 64, s = 8] ins(%next, %first, %none : tensor<100xi32>, tensor<64xi32>, tensor<8xi8>) outs(%o : tensor<64xi32>) {
  ^bb0(%N: tensor<100xi32>, %F: tensor<64xi32>, %C: tensor<8xi8>, %O: tensor<64xi32>):
    %f = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]} ins(%F : tensor<64xi32>) outs(%O : tensor<64xi32>) attrs = {krnl.axes = ["r"]} {
    ^bb0(%p: i32, %q: i32):
      linalg.yield %p : i32
    } -> tensor<64xi32>
    %w = linalg.generic {indexing_maps = [affine_map<(r, s) -> (s)>, affine_map<(r, s) -> (r)>], iterator_types = ["parallel", "reduction"]} ins(%C : tensor<8xi8>) outs(%f : tensor<64xi32>) attrs = {krnl.axes = ["r", "s"]} {
    ^bb0(%c: i8, %q: i32):
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    } -> tensor<64xi32>
    krnl.yield %w : tensor<64xi32>
  } -> tensor<64xi32>
  return %y : tensor<64xi32>
}
