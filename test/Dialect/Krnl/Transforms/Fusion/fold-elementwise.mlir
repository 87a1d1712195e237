// RUN: onnx-opt %s --krnl-fuse --krnl-fold-copies --krnl-fuse | FileCheck %s

// Ops without loops have one place each: what the last one reads is not the part
// that was written last, so all three stay.
// CHECK-LABEL: func @another_part
// CHECK:         krnl.kernel "neg+concat+slice" loops []
// CHECK:           arith.negf
// CHECK:           %[[BOTH:.+]] = krnl.compute [] () -> (%{{.+}} = %{{.+}}[1])
// CHECK:           krnl.compute [] (%{{.+}} = %[[BOTH]][0]) -> (%{{.+}} = %{{.+}}[0]) : (tensor<2xf32>)
func.func @another_part(%x: tensor<1xf32>) -> tensor<1xf32> {
  %k = krnl.constant dense<-1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %t = tensor.empty() : tensor<2xf32>
  %0 = krnl.kernel "neg" loops [i = 1] ins(%x : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<1xf32>, %o: tensor<1xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<1xf32>) -> tensor<1xf32> {
      %n = arith.negf %s : f32
      linalg.yield %n : f32
    }
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  %1 = krnl.kernel "concat" loops [i = 1, j = 1] ins(%0, %k : tensor<1xf32>, tensor<1xf32>) outs(%t : tensor<2xf32>) {
  ^bb0(%p: tensor<1xf32>, %q: tensor<1xf32>, %o: tensor<2xf32>):
    %a = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i mod 4]) : (tensor<1xf32>) -> tensor<2xf32> {
      linalg.yield %s : f32
    }
    %b = krnl.compute [j] (%s = %q[j]) -> (%u = %a[j + 1]) : (tensor<1xf32>) -> tensor<2xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %b : tensor<2xf32>
  } -> tensor<2xf32>
  %2 = krnl.kernel "slice" loops [i = 1] ins(%1 : tensor<2xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<2xf32>, %o: tensor<1xf32>):
    %c = krnl.compute [i] (%s = %p[i mod 4]) -> (%u = %o[i]) : (tensor<2xf32>) -> tensor<1xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
