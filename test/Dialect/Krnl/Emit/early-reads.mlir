// RUN: onnx-opt %s --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// What an op after a sum reads is prefetched before the sum, by all threads that read it together.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f16"}>} {
// A thread reads four lines of 32 bytes. Thread g of warp w is number 8 * w + g of those that read the same columns.
// CHECK-LABEL: func private @kernel_scale_0(
// CHECK-SAME:    %{{[^:]+}}: memref<256x128xf16>, %{{[^:]+}}: memref<128x64xf16>, %[[V:[^:]+]]: memref<64xf32>
// CHECK:         %[[WARP:.+]] = arith.muli %{{.+}}, %c8
// CHECK-NEXT:    %[[NUMBER:.+]] = arith.addi %[[WARP]], %{{.+}}
// CHECK:         %[[OWN:.+]] = arith.addi
// CHECK-NEXT:    %[[LINE:.+]] = arith.minsi %[[NUMBER]], %c3
// CHECK-NEXT:    %[[DISTANCE:.+]] = arith.muli %[[LINE]], %c8
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[OWN]], %[[DISTANCE]]
// CHECK-NEXT:    memref.prefetch %[[V]][%[[AT]]], read, locality<3>, data : memref<64xf32>
// CHECK-NEXT:    scf.for %{{.+}} = %c0 to %c128
// CHECK-NOT:     memref.prefetch
// CHECK:         vector.load %[[V]][%[[OWN]]]
func.func @scale(%x: tensor<256x128xf16>, %w: tensor<128x64xf16>, %v: tensor<64xf32>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %y = krnl.kernel "scale" loops [m = 256, n = 64, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x64xf16>, tensor<64xf32>) outs(%o : tensor<256x64xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 32) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 4), vectorize(n.c, 2), prefetch(2, distance=0, line=32)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x64xf16>, %p: tensor<64xf32>, %c: tensor<256x64xf32>):
    %t = krnl.temporary : tensor<256x64xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<256x64xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x64xf32>, tensor<64xf32>) -> tensor<256x64xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x64xf32>
  } -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

// 32 threads prefetch two of 63 lines each.
// CHECK-LABEL: func private @kernel_lines_0(
// CHECK:         arith.minsi %{{.+}}, %c62
// CHECK:         memref.prefetch
// CHECK:         arith.minsi %{{.+}}, %c62
// CHECK:         memref.prefetch
// CHECK-NOT:     memref.prefetch
// CHECK:         scf.for
func.func @lines(%x: tensor<256x128xf16>, %w: tensor<128x512xf16>, %v: tensor<512xf32>, %o: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %y = krnl.kernel "lines" loops [m = 256, n = 512, k = 128] ins(%x, %w, %v : tensor<256x128xf16>, tensor<128x512xf16>, tensor<512xf32>) outs(%o : tensor<256x512xf32>)
      recipe [block(m, 64) -> (m.o, m.b), block(m.b, 16) -> (m.w, m.r), block(m.r, 8) -> (m.h, m.g), block(n, 256) -> (n.o, n.b), block(n.b, 8) -> (n.f, n.s), block(n.s, 2) -> (n.t, n.c),
              order(m.o, n.o, m.w, m.g, n.t, m.h, n.f, n.c, k), fuse_outer(m.o, n.o, m.w, m.g, n.t), parallel(m.o, n.o),
              map(m.w, thread), map(m.g, thread), map(n.t, thread), unroll(m.h, 2), unroll(n.f, 32), vectorize(n.c, 2), prefetch(2, distance=0, line=16)] {
  ^bb0(%a: tensor<256x128xf16>, %b: tensor<128x512xf16>, %p: tensor<512xf32>, %c: tensor<256x512xf32>):
    %t = krnl.temporary : tensor<256x512xf32>
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<256x512xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%q = %a[m, k], %u = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<256x128xf16>, tensor<128x512xf16>) -> tensor<256x512xf32> {
      %0 = arith.extf %q : f16 to f32
      %1 = arith.extf %u : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    %e = krnl.compute [m, n] (%q = %r[m, n], %u = %p[n]) -> (%s = %c[m, n]) : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32> {
      %0 = arith.mulf %q, %u : f32
      linalg.yield %0 : f32
    }
    krnl.yield %e : tensor<256x512xf32>
  } -> tensor<256x512xf32>
  return %y : tensor<256x512xf32>
}
}
