// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-annotate-costs --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// The elements of the slice of weights are computed where those of the other factor are copied; each tile is one
// thread's here. The byte of a weight follows from its place in a row.

// CHECK-LABEL: func.func private @kernel_weights_0
// CHECK-DAG:     %{{.+}} = memref.alloca() {{.*}} : memref<32xf16>
// CHECK:         scf.for %[[STEP:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK:           scf.for %[[K:.+]] =
// CHECK:             %[[FIRST:.+]] = arith.muli %[[STEP]], %c32
// CHECK:             %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[K]]
// CHECK:             %[[BYTE:.+]] = arith.divui %[[PLACE]], %c2
// CHECK:             %[[NUMBER:.+]] = memref.load %arg1[%{{.+}}, %[[BYTE]]] : memref<64x64xi8>
// CHECK:             %[[SCALE:.+]] = memref.load %arg2
// CHECK:             %[[REAL:.+]] = arith.sitofp %[[NUMBER]] : i8 to f16
// CHECK:             %[[WEIGHT:.+]] = arith.mulf %[[REAL]], %[[SCALE]] : f16
// CHECK:             memref.store %[[WEIGHT]], %[[A:.+]][%[[K]]] : memref<32xf16>
// CHECK:           scf.for
// CHECK:             memref.load %arg0
// CHECK:           scf.for
// CHECK:             memref.load %[[A]]
func.func @weights(%x: tensor<64x128xf16>, %w: tensor<64x64xi8>, %s: tensor<64xf16>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "weights" loops [m = 64, n = 64, k = 128, byte = 64, part = 2] ins(%x, %w, %s : tensor<64x128xf16>, tensor<64x64xi8>, tensor<64xf16>) outs(%o : tensor<64x64xf32>)
      recipe [block(m, 16) -> (m.o, m.t), block(n, 8) -> (n.o, n.t), block(k, 32) -> (k.o, k.i), cache(4, at=k.o, in=shared), order(m.o, n.o, m.t, n.t, k.o, k.i),
              fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o), map(m.t, thread), map(n.t, thread), cache(0, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<64x64xi8>, %c: tensor<64xf16>, %d: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x128xf16>
    %f = krnl.compute [n, byte, part] (%p = %b[n, byte], %q = %c[n]) -> (%e = %t[n, byte * 2 + part]) : (tensor<64x64xi8>, tensor<64xf16>) -> tensor<64x128xf16> {
      %0 = arith.sitofp %p : i8 to f16
      %1 = arith.mulf %0, %q : f16
      linalg.yield %1 : f16
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
