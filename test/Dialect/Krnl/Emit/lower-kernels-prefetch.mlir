// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Three tiles of rows go by each panel of 2 x 16 columns. Each prefetches a share
// of the next panel, which begins 64 * 32 elements further on: one of its two
// lines in each step of k.
// CHECK-LABEL: func private @kernel_panels_first_0
// CHECK-SAME:    %{{.+}}: memref<24x64xf32>, %[[W:[^:]+]]: memref<4x64x32xf32>
// CHECK:         %[[PASS:.+]] = arith.remui %{{.+}}, %c3
// CHECK:         scf.for %[[K:.+]] = %c0 to %c64
// CHECK:           %[[PART:.+]] = arith.minsi %[[PASS]], %c1
// CHECK:           %[[ROW:.+]] = arith.muli %[[PART]], %c64
// CHECK:           %[[STEP:.+]] = arith.addi %[[ROW]], %[[K]]
// CHECK:           %[[LINE:.+]] = arith.muli %[[STEP]], %c16
// CHECK:           %[[AT:.+]] = arith.addi %[[LINE]], %c2048
// CHECK:           memref.prefetch %[[W]][%{{.+}}, %c0, %[[AT]]], read, locality<2>, data
// CHECK-NOT:       memref.prefetch
// CHECK:           arith.mulf
// The panel after the next one, in lines of 32 bytes: of the four lines two fall
// to each tile.
// CHECK-LABEL: func private @kernel_distance_0
// CHECK-SAME:    %{{.+}}: memref<24x64xf32>, %[[W:[^:]+]]: memref<4x64x32xf32>
// CHECK:         scf.for %[[K:.+]] = %c0 to %c64
// CHECK:           arith.minsi %{{.+}}, %c3
// CHECK:           arith.muli %{{.+}}, %c8
// CHECK:           arith.addi %{{.+}}, %c4096
// CHECK-COUNT-2:   memref.prefetch %[[W]]
// CHECK-NOT:       memref.prefetch
// CHECK:           arith.mulf
func.func @product(%x: tensor<24x64xf32>) -> (tensor<24x128xf32>, tensor<24x128xf32>) {
  %w = krnl.constant dense<1.0> : tensor<64x128xf32>
  %e = tensor.empty() : tensor<24x128xf32>
  %0 = krnl.kernel "panels first" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o),
              parallel(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  %1 = krnl.kernel "distance" loops [m = 24, n = 128, k = 64] ins(%x, %w : tensor<24x64xf32>, tensor<64x128xf32>) outs(%e : tensor<24x128xf32>)
      recipe [block(n, 32) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o),
              parallel(n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r]), prefetch(1, distance=2, line=32)] {
  ^bb0(%p: tensor<24x64xf32>, %q: tensor<64x128xf32>, %o: tensor<24x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<24x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<24x64xf32>, tensor<64x128xf32>) -> tensor<24x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<24x128xf32>
  } -> tensor<24x128xf32>
  return %0, %1 : tensor<24x128xf32>, tensor<24x128xf32>
}

// Of a dynamic number of tiles the first two prefetch all, and the later ones the last line again.
// CHECK-LABEL: func private @kernel_open_rows_0
// CHECK:         scf.for %{{.+}} = %c0 to %c64
// CHECK:           arith.minsi %{{.+}}, %c3
// CHECK:           memref.prefetch
// CHECK:           arith.minsi %{{.+}}, %c3
// CHECK:           memref.prefetch
// CHECK-NOT:       memref.prefetch
// CHECK:           arith.mulf
func.func @open_rows(%x: tensor<?x64xf32>, %e: tensor<?x128xf32>, %rows: index) -> tensor<?x128xf32> {
  %w = krnl.constant dense<1.0> : tensor<64x128xf32>
  %0 = krnl.kernel "open rows" loops [m = %rows, n = 128, k = 64] ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>) outs(%e : tensor<?x128xf32>)
      recipe [block(n, 64) -> (n.o, n.r), block(m, 6) -> (m.o, m.r), order(n.o, m.o, k, m.r, n.r), fuse_outer(n.o, m.o),
              parallel(n.o, m.o), register_tile(m.r, n.r, lanes=16, tail=[4, 2]), pack(1, [n.o, k, n.r]), prefetch(1, distance=1, line=64)] {
  ^bb0(%p: tensor<?x64xf32>, %q: tensor<64x128xf32>, %o: tensor<?x128xf32>, %extent: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %o[m, n]) : () -> tensor<?x128xf32> { linalg.yield %zero : f32 }
    %c = krnl.compute [m, n | k] (%s = %p[m, k], %t = %q[k, n]) -> (%u = %f[m, n])
        : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32> {
      %g = arith.mulf %s, %t : f32
      %h = arith.addf %u, %g : f32
      linalg.yield %h : f32
    }
    krnl.yield %c : tensor<?x128xf32>
  } -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}
