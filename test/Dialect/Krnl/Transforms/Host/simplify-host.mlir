// RUN: onnx-opt %s --krnl-simplify-host | FileCheck %s

// The size folds into the type of the tensor outside; the copy inside the
// kernel stays, which the general canonicalizer would erase.
// CHECK-LABEL: func @sizes_fold_copies_stay
// CHECK-NOT:     arith.addi
// CHECK:         tensor.empty() : tensor<4xf32>
// CHECK:         krnl.kernel "copy"
// CHECK:           linalg.generic
// CHECK:             linalg.yield
#id = affine_map<(i) -> (i)>
func.func @sizes_fold_copies_stay(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant 2 : index
  %four = arith.addi %two, %two : index
  %o = tensor.empty(%four) : tensor<?xf32>
  %y = krnl.kernel "copy" loops [i = ?] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<?xf32>
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
