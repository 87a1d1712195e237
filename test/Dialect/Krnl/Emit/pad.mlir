// RUN: onnx-opt %s --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// Blocks that reach past the end. All threads come to each barrier: no loop has a bound that differs
// between them.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// 13 rows of 22 columns, 22 products: elements that are copied from past the end of k are zero; those of
// rows and columns are those of the last ones, and are not stored.
// CHECK-LABEL: func private @kernel_main_0(
// CHECK:         nvvm.barrier0
// CHECK:         arith.minsi %{{.+}}, %c12
// CHECK:         arith.minsi %{{.+}}, %c20
// CHECK:         %[[A:.+]] = vector.load %{{.+}} : memref<13x22xf32>, vector<2xf32>
// CHECK:         arith.select %{{.+}}, %[[A]], %{{.+}} : vector<2xf32>
// CHECK:         nvvm.barrier0
// CHECK-NOT:     vector.store %{{.+}}, %arg2
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      vector.store %{{.+}} : memref<13x24xf32>, vector<4xf32>
// CHECK:         }
func.func @main(%x: tensor<13x22xf32>, %w: tensor<22x24xf32>, %o: tensor<13x24xf32>) -> tensor<13x24xf32> {
  %y = krnl.kernel "main" loops [m = 13, n = 24, k = 22] ins(%x, %w : tensor<13x22xf32>, tensor<22x24xf32>) outs(%o : tensor<13x24xf32>)
      recipe [block(m, 16, tail=pad) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 32, tail=pad) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r),
              block(k, 16, tail=pad) -> (k.o, k.i), order(m.o, n.o, m.t, n.t, m.r, n.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), vectorize(n.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<13x22xf32>, %b: tensor<22x24xf32>, %c: tensor<13x24xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<13x22xf32>, tensor<22x24xf32>) -> tensor<13x24xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<13x24xf32>
  } -> tensor<13x24xf32>
  return %y : tensor<13x24xf32>
}

// Copies ahead bring zeros themselves.
// CHECK-LABEL: func private @kernel_pipeline_0(
// CHECK:         krnl.copy_async %{{.+}}, 1 if %{{.+}} : memref<13x22xf32>
// CHECK:         krnl.copy_async %{{.+}}, 4 if %{{.+}} : memref<22x24xf32>
func.func @pipeline(%x: tensor<13x22xf32>, %w: tensor<22x24xf32>, %o: tensor<13x24xf32>) -> tensor<13x24xf32> {
  %y = krnl.kernel "pipeline" loops [m = 13, n = 24, k = 22] ins(%x, %w : tensor<13x22xf32>, tensor<22x24xf32>) outs(%o : tensor<13x24xf32>)
      recipe [block(m, 16, tail=pad) -> (m.o, m.b), block(m.b, 4) -> (m.t, m.r), block(n, 32, tail=pad) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r),
              block(k, 16, tail=pad) -> (k.o, k.i), order(m.o, n.o, m.t, n.t, m.r, n.r, k.o, k.i), fuse_outer(m.o, n.o, m.t, n.t), parallel(m.o, n.o),
              map(m.t, thread), map(n.t, thread), unroll(m.r, 4), vectorize(n.r, 4), cache(0, at=k.o, in=shared), cache(1, at=k.o, in=shared), pipeline(k.o, 2)] {
  ^bb0(%a: tensor<13x22xf32>, %b: tensor<22x24xf32>, %c: tensor<13x24xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<13x22xf32>, tensor<22x24xf32>) -> tensor<13x24xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<13x24xf32>
  } -> tensor<13x24xf32>
  return %y : tensor<13x24xf32>
}

// The threads go along fused loops: four adjacent elements of a row may be in two of its blocks, of which the last one
// ends within them.
// CHECK-LABEL: func private @kernel_fused_0(
// CHECK:         nvvm.barrier0
// CHECK-NOT:     vector.load
// CHECK:         memref.load %{{.+}} : memref<32x36xf32>
// CHECK-NOT:     vector.load
// CHECK:         nvvm.barrier0
func.func @fused(%x: tensor<16x32xf32>, %w: tensor<32x36xf32>, %o: tensor<16x36xf32>) -> tensor<16x36xf32> {
  %y = krnl.kernel "fused" loops [m = 16, n = 36, k = 32] ins(%x, %w : tensor<16x32xf32>, tensor<32x36xf32>) outs(%o : tensor<16x36xf32>)
      recipe [block(n, 16, tail=pad) -> (n.o, n.b), block(n.b, 4) -> (n.t, n.r), fuse(n.t, n.r) -> f, block(k, 16) -> (k.o, k.i),
              order(m, n.o, f, k.o, k.i), fuse_outer(m, n.o, f), parallel(m, n.o), map(f, thread), cache(1, at=k.o, in=shared)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x36xf32>, %c: tensor<16x36xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<16x32xf32>, tensor<32x36xf32>) -> tensor<16x36xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<16x36xf32>
  } -> tensor<16x36xf32>
  return %y : tensor<16x36xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {

// The intermediate has 13 columns: of it, too, the last one is read past the end.
// CHECK-LABEL: func private @kernel_intermediate_0(
// CHECK:         %[[T:.+]] = memref.alloca() {{.*}}: memref<13x13xf32>
// CHECK:         memref.store %{{.+}}, %[[T]]
// CHECK:         %[[AT:.+]] = arith.minsi %{{.+}}, %c12
// CHECK-NEXT:    memref.load %[[T]][%{{.+}}, %[[AT]]]
func.func @intermediate(%x: tensor<13x13xf32>, %o: tensor<13x13x2xf32>) -> tensor<13x13x2xf32> {
  %y = krnl.kernel "intermediate" loops [m = 13, n = 13, p = 2] ins(%x : tensor<13x13xf32>) outs(%o : tensor<13x13x2xf32>)
      recipe [block(n, 4, tail=pad) -> (n.o, n.i)] {
  ^bb0(%a: tensor<13x13xf32>, %c: tensor<13x13x2xf32>):
    %t = krnl.temporary : tensor<13x13xf32>
    %r = krnl.compute [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<13x13xf32>) -> tensor<13x13xf32> {
      %u = arith.negf %p : f32
      linalg.yield %u : f32
    }
    %s = krnl.compute [m, n, p] (%e = %r[m, n]) -> (%q = %c[m, n, p]) : (tensor<13x13xf32>) -> tensor<13x13x2xf32> {
      %u = arith.negf %e : f32
      linalg.yield %u : f32
    }
    krnl.yield %s : tensor<13x13x2xf32>
  } -> tensor<13x13x2xf32>
  return %y : tensor<13x13x2xf32>
}

}
