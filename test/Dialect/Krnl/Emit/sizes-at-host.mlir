// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#rows = affine_map<(d0, d1) -> (d0, d1)>

// How long a loop is follows from where the memory was made, through launches
// and views: nobody but the second launch uses the result of the first, so that
// it may write over it.
// CHECK-LABEL: func @over
// CHECK-SAME:      %[[N:[^:]+]]: index
// CHECK-NOT:     tensor.dim %{{[0-9c]}}
// CHECK:         %[[FIRST:.+]] = krnl.launch @kernel_first_0
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[FIRST]]
// CHECK:         %[[COUNT:.+]] = arith.muli %[[N]], %c8{{.*}}
// CHECK:         krnl.launch @kernel_second_0 outs(%[[FLAT]] : tensor<?xf32>)
func.func @over(%n: index, %x: tensor<?x8xf32>) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = krnl.kernel "first" loops [i = ?, j = 8] ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: tensor<?x8xf32>, %o: tensor<?x8xf32>):
    %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) attrs = {krnl.axes = ["i", "j"]} {
    ^bb0(%s: f32, %q: f32):
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    } -> tensor<?x8xf32>
    krnl.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %f = tensor.collapse_shape %0 [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  %1 = krnl.kernel "second" loops [i = ?] outs(%f : tensor<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
        outs(%o : tensor<?xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%q: f32):
      %k = math.sqrt %q : f32
      linalg.yield %k : f32
    } -> tensor<?xf32>
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
