// RUN: onnx-opt %s --krnl-fuse | FileCheck %s

// Bounds that are constants become part of the op. A constant of several
// numbers stays an operand.
// CHECK-LABEL: func @clip
// CHECK:         krnl.kernel "clip" loops [ij = 128] ins(%{{.+}} : tensor<128xf32>)
// CHECK:           krnl.compute [ij] (%{{.+}} = %{{.+}}[ij]) -> {{.+}} : (tensor<128xf32>) ->
// CHECK:             %[[SIX:.+]] = arith.constant 6.000000e+00 : f32
// CHECK:             arith.minimumf %{{.+}}, %[[SIX]]
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{.+}}, %{{.+}} : tensor<8x16xf32>, tensor<16xf32>)
func.func @clip(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %six = krnl.constant dense<6.0> : tensor<f32>
  %b = krnl.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "clip" loops [i = 8, j = 16] ins(%x, %six : tensor<8x16xf32>, tensor<f32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %q: tensor<f32>, %o: tensor<8x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j], %t = %q) -> (%u = %o[i, j])
        : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32> {
      %m = arith.minimumf %s, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %1 = krnl.kernel "add" loops [i = 8, j = 16] ins(%x, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %q: tensor<16xf32>, %o: tensor<8x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j], %t = %q[j]) -> (%u = %o[i, j])
        : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32> {
      %m = arith.addf %s, %t : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}
