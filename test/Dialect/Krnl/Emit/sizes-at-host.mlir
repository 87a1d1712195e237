// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>
#rows = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>
#other = affine_map<(d0, d1) -> (d1)>

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
    %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) attrs = {krnl.axes = ["i", "j"]} {
    ^bb0(%s: f32, %q: f32):
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    } -> tensor<?x8xf32>
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %f = tensor.collapse_shape %0 [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  %1 = krnl.kernel "second" loops [i = %count, j = %count] outs(%f : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %size = tensor.dim %o, %c0 : tensor<?xf32>
    %t = tensor.empty(%size) : tensor<?xf32>
    %s = linalg.generic {indexing_maps = [#id, #next], iterator_types = ["parallel"]}
        ins(%o : tensor<?xf32>) outs(%t : tensor<?xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      %k = math.sqrt %p : f32
      linalg.yield %k : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#other, #one], iterator_types = ["parallel", "reduction"]}
        ins(%s : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {krnl.axes = ["j", "i"]} {
    ^bb0(%p: f32, %q: f32):
      %k = arith.maximumf %p, %q : f32
      linalg.yield %k : f32
    } -> tensor<?xf32>
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
