// RUN: onnx-opt %s --krnl-fold-copies | FileCheck %s

// Both halves of a concatenation are written where they belong, one after the
// other into the same tensor.
// CHECK-LABEL: func @concat
// CHECK:         %[[WHOLE:.+]] = tensor.empty() : tensor<6x4xf32>
// CHECK:         %[[A:.+]] = krnl.kernel "a" {{.+}} outs(%[[WHOLE]] : tensor<6x4xf32>)
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[i ..., j])
// CHECK:         %[[B:.+]] = krnl.kernel "b" {{.+}} outs(%[[A]] : tensor<6x4xf32>)
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[i + 3, j])
// CHECK-NOT:     krnl.kernel
// CHECK:         return %[[B]]
func.func @concat(%x: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = krnl.kernel "a" loops [i = 3, j = 4] ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%p: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<3x4xf32>) -> tensor<3x4xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  %1 = krnl.kernel "b" loops [i = 3, j = 4] ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%p: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<3x4xf32>) -> tensor<3x4xf32> {
      %m = math.sqrt %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %2 = krnl.kernel "concat" loops [j = 4, p = 3, q = 3] ins(%0, %1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%f : tensor<6x4xf32>) {
  ^bb0(%p: tensor<3x4xf32>, %q: tensor<3x4xf32>, %o: tensor<6x4xf32>):
    %a = krnl.compute [p, j] (%s = %p[p, j]) -> (%t = %o[p ..., j])
        : (tensor<3x4xf32>) -> tensor<6x4xf32> {
      linalg.yield %s : f32
    }
    %b = krnl.compute [q, j] (%s = %q[q, j]) -> (%t = %a[q + 3, j])
        : (tensor<3x4xf32>) -> tensor<6x4xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %b : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// One kernel makes both halves. It can write one of them into the whole, but
// not the other as well: that one is still copied.
// CHECK-LABEL: func @both_halves_of_one_kernel
// CHECK:         %[[MADE:.+]]:2 = krnl.kernel "both"
// CHECK:         krnl.kernel "concat" {{.+}} ins(%[[MADE]]#1 : tensor<3x4xf32>) outs(%[[MADE]]#0 : tensor<6x4xf32>)
func.func @both_halves_of_one_kernel(%x: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %d = tensor.empty() : tensor<3x4xf32>
  %0:2 = krnl.kernel "both" loops [i = 3, j = 4] ins(%x : tensor<3x4xf32>) outs(%e, %d : tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%p: tensor<3x4xf32>, %o: tensor<3x4xf32>, %u: tensor<3x4xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<3x4xf32>) -> tensor<3x4xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    %t = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %u[i, j])
        : (tensor<3x4xf32>) -> tensor<3x4xf32> {
      %m = math.sqrt %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r, %t : tensor<3x4xf32>, tensor<3x4xf32>
  } -> tensor<3x4xf32>, tensor<3x4xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %2 = krnl.kernel "concat" loops [j = 4, p = 3, q = 3] ins(%0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%f : tensor<6x4xf32>) {
  ^bb0(%p: tensor<3x4xf32>, %q: tensor<3x4xf32>, %o: tensor<6x4xf32>):
    %a = krnl.compute [p, j] (%s = %p[p, j]) -> (%t = %o[p ..., j])
        : (tensor<3x4xf32>) -> tensor<6x4xf32> {
      linalg.yield %s : f32
    }
    %b = krnl.compute [q, j] (%s = %q[q, j]) -> (%t = %a[q + 3, j])
        : (tensor<3x4xf32>) -> tensor<6x4xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %b : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}
