// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Nothing but the carried value knows of the steps: they are taken two at a
// time until both copies stay where they are.
// CHECK-LABEL: func private @kernel_traversal_0(
// CHECK:         scf.while ({{.*}}) : (index, i1, i32, i32)
// CHECK:           arith.cmpi slt, %{{.+}}, %c8
// CHECK:           arith.andi
// CHECK:           scf.condition
// CHECK-COUNT-4:   memref.load %arg0
// CHECK-NOT:       memref.load %arg0
// CHECK:           arith.xori
// CHECK:           arith.xori
// CHECK:           %[[CHANGED:.+]] = arith.ori
// CHECK:           arith.cmpi ne, %[[CHANGED]], %c0_i32
// CHECK:           scf.yield

// One step is left over when they are taken two at a time.
// CHECK-LABEL: func private @kernel_odd_0(
// CHECK:         scf.while
// CHECK:           arith.cmpi slt, %{{.+}}, %c6
// CHECK-COUNT-2:   memref.load %arg0
// CHECK:           scf.yield
// CHECK:         memref.load %arg0

// Without early_exit all steps are taken.
// CHECK-LABEL: func private @kernel_counted_0(
// CHECK-NOT:     scf.while
func.func @walk(%next: tensor<100xi32>, %first: tensor<4xi32>, %none: tensor<8xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %y = krnl.kernel "traversal" loops [r = 4, s = 8] ins(%next, %first, %none : tensor<100xi32>, tensor<4xi32>, tensor<8xi8>) outs(%o : tensor<4xi32>)
      recipe [block(r, 2) -> (r.o, r.i), order(r.o, r.i, s), fuse_outer(r.o), unroll(r.i, 2), unroll(s, 2), early_exit(s)] {
  ^bb0(%N: tensor<100xi32>, %F: tensor<4xi32>, %C: tensor<8xi8>, %O: tensor<4xi32>):
    %f = krnl.compute [r] (%p = %F[r]) -> (%q = %O[r]) : (tensor<4xi32>) -> tensor<4xi32> {
      linalg.yield %p : i32
    }
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %f[r]) : (tensor<8xi8>) -> tensor<4xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<4xi32>
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

func.func @odd(%next: tensor<100xi32>, %none: tensor<7xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %y = krnl.kernel "odd" loops [r = 4, s = 7] ins(%next, %none : tensor<100xi32>, tensor<7xi8>) outs(%o : tensor<4xi32>)
      recipe [order(r, s), fuse_outer(r), unroll(s, 2), early_exit(s)] {
  ^bb0(%N: tensor<100xi32>, %C: tensor<7xi8>, %O: tensor<4xi32>):
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %O[r]) : (tensor<7xi8>) -> tensor<4xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<4xi32>
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

func.func @counted(%next: tensor<100xi32>, %none: tensor<7xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %y = krnl.kernel "counted" loops [r = 4, s = 7] ins(%next, %none : tensor<100xi32>, tensor<7xi8>) outs(%o : tensor<4xi32>)
      recipe [order(r, s), fuse_outer(r), unroll(s, 2)] {
  ^bb0(%N: tensor<100xi32>, %C: tensor<7xi8>, %O: tensor<4xi32>):
    %w = krnl.compute [r | s] (%c = %C[s]) -> (%q = %O[r]) : (tensor<7xi8>) -> tensor<4xi32> {
      %i = arith.index_cast %q : i32 to index
      %e = tensor.extract %N[%i] : tensor<100xi32>
      linalg.yield %e : i32
    }
    krnl.yield %w : tensor<4xi32>
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
