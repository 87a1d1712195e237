// RUN: onnx-opt %s --krnl-fuse | FileCheck %s

// Only the temporary that goes has a dimension for the rows: the op that is left
// gets an input of their shape, which is no operand of the kernel.
// CHECK-LABEL: func @sum_of_equal_rows
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         krnl.kernel "rows+sum" loops [i = %[[N]], j = 4] ins(%{{.+}} : tensor<4xf32>)
// CHECK:         ^bb0({{.+}}, %[[INSIDE:[^:]+]]: index)
// CHECK:           %[[SHAPE:.+]] = tensor.empty(%[[INSIDE]]) : tensor<?xi8>
// CHECK:           krnl.compute [j | i] (%{{.+}} = %{{.+}}[j], %{{.+}} = %[[SHAPE]][i])
// CHECK-NOT:       krnl.compute
func.func @sum_of_equal_rows(%x: tensor<4xf32>, %n: index, %o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = krnl.kernel "rows" loops [i = %n, j = 4] ins(%x : tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<?x4xf32>, %rows: index):
    %r = krnl.compute [i, j] (%s = %p[j]) -> (%t = %q[i, j]) : (tensor<4xf32>) -> tensor<?x4xf32> {
      %v = math.exp %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %1 = krnl.kernel "sum" loops [i = %n, j = 4] ins(%0 : tensor<?x4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%p: tensor<?x4xf32>, %q: tensor<4xf32>, %rows: index):
    %r = krnl.compute [j | i] (%s = %p[i, j]) -> (%t = %q[j]) : (tensor<?x4xf32>) -> tensor<4xf32> {
      %v = arith.addf %t, %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
