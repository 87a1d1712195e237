// RUN: onnx-opt %s --krnl-share-constants | FileCheck %s
//
// The number becomes an input: the result of the first op, which the threads compute in
// slices, has the next number. Operand 0 keeps its own.

// CHECK-LABEL: func @twice
// CHECK:         krnl.kernel "weights" {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : {{.+}}, f16)
// CHECK-SAME:      cache(5, at=k.o, in=shared)
// CHECK-SAME:      cache(0, at=k.o, in=shared)
func.func @twice(%x: tensor<64x128xf16>, %w: tensor<64x64xi8>, %s: tensor<64xf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "weights" loops [m = 64, n = 64, k = 128, byte = 64, part = 2] ins(%x, %w, %s : tensor<64x128xf16>, tensor<64x64xi8>, tensor<64xf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 16) -> (m.o, m.t), block(n, 8) -> (n.o, n.t), block(k, 32) -> (k.o, k.i), cache(4, at=k.o, in=shared),
              order(m.o, n.o, m.t, n.t, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t),
              parallel(m.o, n.o), map(m.t, thread), map(n.t, thread), cache(0, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<64x64xi8>, %c: tensor<64xf16>, %d: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x128xf16>
    %f = krnl.compute [n, byte, part] (%p = %b[n, byte], %q = %c[n]) -> (%e = %t[n, byte * 2 + part]) : (tensor<64x64xi8>, tensor<64xf16>) -> tensor<64x128xf16> {
      %0 = arith.sitofp %p : i8 to f16
      %scale = arith.constant 2.0 : f16
      %1 = arith.mulf %0, %scale : f16
      %2 = arith.mulf %1, %q : f16
      linalg.yield %2 : f16
    }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %f[n, k]) -> (%e = %d[m, n]) : (tensor<64x128xf16>, tensor<64x128xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// CHECK-LABEL: func @thrice
// CHECK:         krnl.kernel "weights" {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : {{.+}}, f16)
// CHECK-SAME:      cache(5, at=k.o, in=shared)
// CHECK-SAME:      cache(0, at=k.o, in=shared)
func.func @thrice(%x: tensor<64x128xf16>, %w: tensor<64x64xi8>, %s: tensor<64xf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "weights" loops [m = 64, n = 64, k = 128, byte = 64, part = 2] ins(%x, %w, %s : tensor<64x128xf16>, tensor<64x64xi8>, tensor<64xf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 16) -> (m.o, m.t), block(n, 8) -> (n.o, n.t), block(k, 32) -> (k.o, k.i), cache(4, at=k.o, in=shared),
              order(m.o, n.o, m.t, n.t, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t),
              parallel(m.o, n.o), map(m.t, thread), map(n.t, thread), cache(0, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<64x64xi8>, %c: tensor<64xf16>, %d: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x128xf16>
    %f = krnl.compute [n, byte, part] (%p = %b[n, byte], %q = %c[n]) -> (%e = %t[n, byte * 2 + part]) : (tensor<64x64xi8>, tensor<64xf16>) -> tensor<64x128xf16> {
      %0 = arith.sitofp %p : i8 to f16
      %scale = arith.constant 3.0 : f16
      %1 = arith.mulf %0, %scale : f16
      %2 = arith.mulf %1, %q : f16
      linalg.yield %2 : f16
    }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %f[n, k]) -> (%e = %d[m, n]) : (tensor<64x128xf16>, tensor<64x128xf16>) -> tensor<64x64xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
