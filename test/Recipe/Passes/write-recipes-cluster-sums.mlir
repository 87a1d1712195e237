// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --krnl-write-recipes="keep-order emit-recipes=-" -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: sed 's/load_cluster = /fma_x8 = /' %s | onnx-opt - --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=NONE
//
// Parts of sums of the blocks of a cluster, where there are fewer tiles than multiprocessors: not where sums keep their
// order, and not on a target without clusters.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, core_threads = 2048, core_shared_bytes = 233472, memory_latency = 4.5e+02, cluster_latency = 1.8e+02, cluster_bytes_per_cycle = 1.3e+01, core_groups = 8, instructions = {load_cluster = "nvvm.mapa.shared.cluster"}>} {

// A thread has eight rows in the sum, and after it one.
// CHECK-LABEL: kernel "deep"
// CHECK:         block(k, 256) -> (k.u, k.in_part),
// CHECK:         order({{.*}}, m.u, m.in_share, n.vector, n.r, k.u, k.o, k.i),
// CHECK:         1: unroll(m.u, 8),
// CHECK-NEXT:    map(k.u, cluster),
// CHECK-NEXT:    map(m.u, cluster, as=k.u),
// The last part is padded.
// CHECK-LABEL: kernel "ragged"
// CHECK:         block(k, 256, tail=pad) -> (k.u, k.in_part),
// CHECK:         map(k.u, cluster),
// Results with a border around them.
// CHECK-LABEL: kernel "part"
// CHECK:         fuse(h, w) -> rows.0,
// CHECK:         map(k.u, cluster),
// Enough tiles.
// CHECK-LABEL: kernel "wide"
// CHECK-NOT:     cluster
// NONE-LABEL:  kernel "deep"
// NONE-NOT:      cluster
func.func @deep(%x: tensor<64x2048xf32>, %w: tensor<2048x128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = krnl.kernel "deep" loops [m = 64, n = 128, k = 2048]
      ins(%x, %w : tensor<64x2048xf32>, tensor<2048x128xf32>) outs(%o : tensor<64x128xf32>) recipe [] {
  ^bb0(%a: tensor<64x2048xf32>, %b: tensor<2048x128xf32>, %c: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x128xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<64x2048xf32>, tensor<2048x128xf32>) -> tensor<64x128xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

func.func @ragged(%x: tensor<64x2001xf32>, %w: tensor<2001x128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %y = krnl.kernel "ragged" loops [m = 64, n = 128, k = 2001]
      ins(%x, %w : tensor<64x2001xf32>, tensor<2001x128xf32>) outs(%o : tensor<64x128xf32>) recipe [] {
  ^bb0(%a: tensor<64x2001xf32>, %b: tensor<2001x128xf32>, %c: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<64x128xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<64x2001xf32>, tensor<2001x128xf32>) -> tensor<64x128xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

func.func @part(%x: tensor<8x8x2048xf32>, %w: tensor<2048x128xf32>, %o: tensor<10x10x128xf32>) -> tensor<10x10x128xf32> {
  %y = krnl.kernel "part" loops [h = 8, w = 8, n = 128, k = 2048]
      ins(%x, %w : tensor<8x8x2048xf32>, tensor<2048x128xf32>) outs(%o : tensor<10x10x128xf32>) recipe [] {
  ^bb0(%a: tensor<8x8x2048xf32>, %b: tensor<2048x128xf32>, %c: tensor<10x10x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [h, w, n] () -> (%_ = %c[h + 1, w + 1, n]) : () -> tensor<10x10x128xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [h, w, n | k] (%lhs = %a[h, w, k], %rhs = %b[k, n]) -> (%sum = %f[h + 1, w + 1, n])
        : (tensor<8x8x2048xf32>, tensor<2048x128xf32>) -> tensor<10x10x128xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<10x10x128xf32>
  } -> tensor<10x10x128xf32>
  return %y : tensor<10x10x128xf32>
}

func.func @wide(%x: tensor<4096x256xf32>, %w: tensor<256x4096xf32>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "wide" loops [m = 4096, n = 4096, k = 256]
      ins(%x, %w : tensor<4096x256xf32>, tensor<256x4096xf32>) outs(%o : tensor<4096x4096xf32>) recipe [] {
  ^bb0(%a: tensor<4096x256xf32>, %b: tensor<256x4096xf32>, %c: tensor<4096x4096xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<4096x4096xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<4096x256xf32>, tensor<256x4096xf32>) -> tensor<4096x4096xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

}
