// RUN: onnx-opt %s --split-input-file --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
//
// What limits the blocks with a producer, and their threads.

// Of an odd number of cores, one has no block of a cluster of two.
// CHECK-LABEL: kernel "odd_cores"
// CHECK:         block(m.o, 2) -> (m.cluster, m.u),
// CHECK:         grid(130),
// CHECK-NEXT:    map(m.u, cluster),
// CHECK:         producer)
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448, cores = 131, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", load_cluster = "nvvm.mapa.shared.cluster", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {
func.func @odd_cores(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "odd_cores" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
      recipe [] {
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>, %c: tensor<4096x4096xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4096xf16>) -> tensor<4096x4096xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}
}

// -----

// The threads of a producer are threads of the block: with two warpgroups, more than a block may have.
// CHECK-LABEL: kernel "few_threads"
// CHECK-NOT:     grid
// CHECK:         pipeline(
// CHECK-NOT:     producer
module attributes {krnl.target = #krnl.target<tile_threads = 256, shared_bytes = 232448, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", load_cluster = "nvvm.mapa.shared.cluster", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {
func.func @few_threads(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "few_threads" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
      recipe [] {
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>, %c: tensor<4096x4096xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4096xf16>) -> tensor<4096x4096xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}
}
