// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Where the extents of parallel loops are dynamic, only the first tile's number is
// divided. Behind each tile the last index grows by one; at its extent it starts
// again, and the index before it grows.
// CHECK-LABEL: func private @kernel_dynamic_0(
// CHECK-SAME:    %[[N:[^:]+]]: index, %[[M:[^:]+]]: index, %{{[^,]+}}, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index)
// CHECK:         %[[SIZE:.+]] = arith.maxui %[[M]], %c1
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[BEGIN]], %[[SIZE]]
// CHECK:         %[[ROW:.+]] = arith.divui %[[BEGIN]], %[[SIZE]]
// CHECK:         scf.for {{.+}} = %[[BEGIN]] to %[[END]] step %{{.+}} iter_args(%[[I:.+]] = %[[ROW]], %[[J:.+]] = %[[COLUMN]])
// CHECK-NOT:       arith.{{rem|div}}
// CHECK:           vector.store %{{.+}}, %{{.+}}[%[[I]], %[[J]],
// CHECK-NOT:       arith.{{rem|div}}
// CHECK:           %[[NEXT:.+]] = arith.addi %[[J]], %c1
// CHECK:           %[[IS_LAST:.+]] = arith.cmpi eq, %[[NEXT]], %[[M]]
// CHECK:           %[[NEXT_J:.+]] = arith.select %[[IS_LAST]], %c0, %[[NEXT]]
// CHECK:           %[[BELOW:.+]] = arith.addi %[[I]], %c1
// CHECK:           %[[NEXT_I:.+]] = arith.select %[[IS_LAST]], %[[BELOW]], %[[I]]
// CHECK:           scf.yield %[[NEXT_I]], %[[NEXT_J]]
func.func @dynamic(%x: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %y = krnl.kernel "dynamic" loops [n = %rows, m = %columns, c = 16] ins(%x : tensor<?x?x16xf32>) outs(%o : tensor<?x?x16xf32>)
      recipe [order(n, m, c), fuse_outer(n, m), parallel(n, m), vectorize(c, 16)] {
  ^bb0(%a: tensor<?x?x16xf32>, %b: tensor<?x?x16xf32>, %n: index, %m: index):
    %r = krnl.compute [n, m, c] (%p = %a[n, m, c]) -> (%q = %b[n, m, c])
        : (tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
      %v = arith.negf %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x?x16xf32>
  } -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// Divisions by numbers are cheap, and tiles of one index have none.
// CHECK-LABEL: func private @kernel_static_0(
// CHECK:         scf.for %[[TILE:.+]] = %{{.+}} to %{{.+}} step %{{[^ ]+}} {
// CHECK:           arith.remui %[[TILE]], %{{.+}}
func.func @static(%x: tensor<?x5x16xf32>, %o: tensor<?x5x16xf32>) -> tensor<?x5x16xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x5x16xf32>
  %y = krnl.kernel "static" loops [n = %rows, m = 5, c = 16] ins(%x : tensor<?x5x16xf32>) outs(%o : tensor<?x5x16xf32>)
      recipe [order(n, m, c), fuse_outer(n, m), parallel(n, m), vectorize(c, 16)] {
  ^bb0(%a: tensor<?x5x16xf32>, %b: tensor<?x5x16xf32>, %n: index):
    %r = krnl.compute [n, m, c] (%p = %a[n, m, c]) -> (%q = %b[n, m, c])
        : (tensor<?x5x16xf32>) -> tensor<?x5x16xf32> {
      %v = arith.negf %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x5x16xf32>
  } -> tensor<?x5x16xf32>
  return %y : tensor<?x5x16xf32>
}
