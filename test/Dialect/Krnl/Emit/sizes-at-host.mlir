// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

// The size of a temporary follows from where the memory was made that it is the
// size of, through launches and views: nobody but the second launch uses the
// result of the first, so that it may write over it.
// CHECK-LABEL: func @over
// CHECK-SAME:      %[[N:[^:]+]]: index, %[[COUNT:[^:]+]]: index
// CHECK-NOT:     tensor.dim
// CHECK:         %[[FIRST:.+]] = krnl.launch @kernel_first_0
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[FIRST]]
// CHECK-NOT:     tensor.dim
// CHECK:         %[[SIZE:.+]] = arith.muli %[[N]], %c8{{.*}}
// CHECK-NOT:     tensor.dim
// CHECK:         %[[ROOM:.+]] = tensor.empty(%[[SIZE]]) : tensor<?xf32>
// CHECK:         krnl.launch @kernel_second_0 ins(%[[COUNT]], %[[COUNT]] : index, index) outs(%[[FLAT]], %[[ROOM]]
func.func @over(%n: index, %count: index, %x: tensor<?x8xf32>) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = krnl.kernel "first" loops [i = %n, j = 8] ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: tensor<?x8xf32>, %o: tensor<?x8xf32>, %i: index):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %f = tensor.collapse_shape %0 [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  %1 = krnl.kernel "second" loops [i = %count, j = %count] outs(%f : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %size = tensor.dim %o, %c0 : tensor<?xf32>
    %t = tensor.empty(%size) : tensor<?xf32>
    %s = krnl.compute [i] (%p = %o[i]) -> (%q = %t[i + 1]) : (tensor<?xf32>) -> tensor<?xf32> {
      %k = math.sqrt %p : f32
      linalg.yield %k : f32
    }
    %r = krnl.compute [j | i] (%p = %s[i]) -> (%q = %o[j]) : (tensor<?xf32>) -> tensor<?xf32> {
      %k = arith.maximumf %p, %q : f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
