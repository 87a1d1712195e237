// RUN: onnx-opt %s --krnl-fuse --krnl-fold-copies --krnl-fuse | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (d0 mod 4)>
#second = affine_map<(d0) -> (d0 + 1)>

// Ops without loops have one place each: what the last one reads is not the part
// that was written last, so all three stay.
// CHECK-DAG:     #[[FIRST:.+]] = affine_map<() -> (0)>
// CHECK-DAG:     #[[SECOND:.+]] = affine_map<() -> (1)>
// CHECK-LABEL: func @another_part
// CHECK:         krnl.kernel "neg+concat+slice" loops []
// CHECK:           arith.negf
// CHECK:           %[[BOTH:.+]] = linalg.generic {indexing_maps = [#[[SECOND]]]
// CHECK:           linalg.generic {indexing_maps = [#[[FIRST]], #[[FIRST]]]{{.+}} ins(%[[BOTH]] : tensor<2xf32>)
func.func @another_part(%x: tensor<1xf32>) -> tensor<1xf32> {
  %k = krnl.constant dense<-1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %t = tensor.empty() : tensor<2xf32>
  %0 = krnl.kernel "neg" loops [i = 1] ins(%x : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<1xf32>, %o: tensor<1xf32>):
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%p : tensor<1xf32>) outs(%o : tensor<1xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%s: f32, %u: f32):
      %n = arith.negf %s : f32
      linalg.yield %n : f32
    } -> tensor<1xf32>
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  %1 = krnl.kernel "concat" loops [i = 1, j = 1] ins(%0, %k : tensor<1xf32>, tensor<1xf32>) outs(%t : tensor<2xf32>) {
  ^bb0(%p: tensor<1xf32>, %q: tensor<1xf32>, %o: tensor<2xf32>):
    %a = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel"]}
        ins(%p : tensor<1xf32>) outs(%o : tensor<2xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%s: f32, %u: f32):
      linalg.yield %s : f32
    } -> tensor<2xf32>
    %b = linalg.generic {indexing_maps = [#id, #second], iterator_types = ["parallel"]}
        ins(%q : tensor<1xf32>) outs(%a : tensor<2xf32>) attrs = {krnl.axes = ["j"]} {
    ^bb0(%s: f32, %u: f32):
      linalg.yield %s : f32
    } -> tensor<2xf32>
    krnl.yield %b : tensor<2xf32>
  } -> tensor<2xf32>
  %2 = krnl.kernel "slice" loops [i = 1] ins(%1 : tensor<2xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<2xf32>, %o: tensor<1xf32>):
    %c = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel"]}
        ins(%p : tensor<2xf32>) outs(%o : tensor<1xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%s: f32, %u: f32):
      linalg.yield %s : f32
    } -> tensor<1xf32>
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
