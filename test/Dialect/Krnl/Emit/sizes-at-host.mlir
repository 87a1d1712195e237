// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

// The size that indices are checked against follows from where the memory was
// made, through launches and views: nothing but the second launch uses the result
// of the first, so that it may write over it.
// CHECK-LABEL: func @over
// CHECK-SAME:      %[[N:[^:]+]]: index, %[[COUNT:[^:]+]]: index
// CHECK-NOT:     tensor.dim
// CHECK:         %[[FIRST:.+]] = krnl.launch @kernel_first_0
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[FIRST]]
// CHECK-NOT:     tensor.dim
// CHECK:         %[[SIZE:.+]] = arith.muli %[[N]], %c8{{.*}}
// CHECK-NOT:     tensor.dim
// CHECK:         arith.cmpi sgt, %[[SIZE]], %c0
// CHECK-NOT:     tensor.dim
// CHECK:         krnl.launch @kernel_second_0 {{.*}} outs(%[[FLAT]]
func.func @over(%n: index, %count: index, %x: tensor<?x8xf32>, %at: tensor<?xi64>) -> tensor<?xf32> {
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
  %1 = krnl.kernel "second" loops [i = %count] ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: tensor<?xi64>, %o: tensor<?xf32>, %i: index):
    %c0 = arith.constant 0 : index
    %size = tensor.dim %o, %c0 : tensor<?xf32>
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %o[i]) : (tensor<?xi64>) -> tensor<?xf32> {
      %given = arith.index_cast %p : i64 to index
      %inside = krnl.wrap_index %given, %size, "index is out of range"
      %whole = arith.index_cast %inside : index to i64
      %k = arith.sitofp %whole : i64 to f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
