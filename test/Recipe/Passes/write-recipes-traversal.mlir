// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Traversals wait for what they read: many run side by side, their indices in
// registers while the steps run.
// CHECK-LABEL: kernel "traversal"
// CHECK-NEXT:    block(r, 16) -> (r.o, r.i),
// CHECK-NEXT:    order(r.o, r.i, s),
// CHECK-NEXT:    fuse_outer(r.o),
// CHECK-NEXT:    unroll(r.i, 16),
// CHECK-NEXT:    early_exit(s)
// CHECK-NEXT:  ]
func.func @walk(%next: tensor<100xi32>, %first: tensor<64xi32>, %none: tensor<8xi8>, %o: tensor<64xi32>) -> tensor<64xi32> {
  %y = krnl.kernel "traversal" loops [r = 64, s = 8] ins(%next, %first, %none : tensor<100xi32>, tensor<64xi32>, tensor<8xi8>) outs(%o : tensor<64xi32>) {
  ^bb0(%N: tensor<100xi32>, %F: tensor<64xi32>, %C: tensor<8xi8>, %O: tensor<64xi32>):
    %f = krnl.compute [r] (%p = %F[r]) -> (%q = %O[r]) : (tensor<64xi32>) -> tensor<64xi32> {
      linalg.yield %p : i32
    }
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %f[r]) : (tensor<8xi8>) -> tensor<64xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<64xi32>
  } -> tensor<64xi32>
  return %y : tensor<64xi32>
}
