// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Where the extents of parallel loops are dynamic, only the numbers of the first and the
// last tile are divided. Each index has a loop: the inner one begins at the first tile's
// index in the first tile's row, ends after the last tile's in the last tile's row, and
// runs over its extent elsewhere. Without tiles the outer one has no iteration.
// CHECK-LABEL: func private @kernel_dynamic_0(
// CHECK-SAME:    %[[N:[^:]+]]: index, %[[M:[^:]+]]: index, %{{[^,]+}}, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index)
// CHECK:         %[[IS_EMPTY:.+]] = arith.cmpi uge, %[[BEGIN]], %[[END]]
// CHECK:         %[[SIZE:.+]] = arith.maxui %[[M]], %c1
// CHECK:         %[[FIRST_J:.+]] = arith.remui %[[BEGIN]], %[[SIZE]]
// CHECK:         %[[FIRST_I:.+]] = arith.divui %[[BEGIN]], %[[SIZE]]
// CHECK:         %[[TILE:.+]] = arith.subi %[[END]], %c1
// CHECK:         %[[LAST_J:.+]] = arith.remui %[[TILE]], %[[SIZE]]
// CHECK:         %[[LAST_I:.+]] = arith.divui %[[TILE]], %[[SIZE]]
// CHECK:         %[[AFTER:.+]] = arith.addi %[[LAST_I]], %c1
// CHECK:         %[[STOP:.+]] = arith.select %[[IS_EMPTY]], %[[FIRST_I]], %[[AFTER]]
// CHECK:         scf.for %[[I:.+]] = %[[FIRST_I]] to %[[STOP]] step %c1
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi eq, %[[I]], %[[FIRST_I]]
// CHECK:           %[[IS_LAST:.+]] = arith.cmpi eq, %[[I]], %[[LAST_I]]
// CHECK:           %[[FROM:.+]] = arith.select %[[IS_FIRST]], %[[FIRST_J]], %c0
// CHECK:           %[[AFTER_J:.+]] = arith.addi %[[LAST_J]], %c1
// CHECK:           %[[TO:.+]] = arith.select %[[IS_LAST]], %[[AFTER_J]], %[[M]]
// CHECK:           scf.for %[[J:.+]] = %[[FROM]] to %[[TO]] step %c1
// CHECK-NEXT:        vector.load
// CHECK-NOT:         arith.{{rem|div|select}}
// CHECK:             vector.store %{{.+}}, %{{.+}}[%[[I]], %[[J]],
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
