// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
//
// A warp that copies boxes for the others goes on to the next tile of its block, where there are more tiles than blocks
// run at the same time.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// CHECK-LABEL: kernel "several"
// CHECK:         parallel(
// CHECK:         grid({{[0-9]+}}),
// CHECK:         cache(0, at=k.o, in=shared, by=tma),
// CHECK-NEXT:    cache(1, at=k.o, in=shared, by=tma),
// CHECK:         pipeline(k.o, {{[0-9]}}, in_flight=1, producer)
func.func @several(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "several" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
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

// Each block has one tile.
// CHECK-LABEL: kernel "one"
// CHECK-NOT:     grid
// CHECK:         by=tma
// CHECK:         pipeline(
// CHECK-NOT:     producer
func.func @one(%x: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>, %o: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = krnl.kernel "one" loops [m = 1024, n = 1024, k = 1024] ins(%x, %w : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%o : tensor<1024x1024xf32>)
      recipe [] {
  ^bb0(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>, %c: tensor<1024x1024xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<1024x1024xf32>
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// The copies of a factor whose rows begin anywhere are those of all threads.
// CHECK-LABEL: kernel "odd"
// CHECK-NOT:     grid
// CHECK-NOT:     producer
func.func @odd(%x: tensor<4096x1024xf16>, %w: tensor<1024x4100xf16>, %o: tensor<4096x4100xf32>) -> tensor<4096x4100xf32> {
  %y = krnl.kernel "odd" loops [m = 4096, n = 4100, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4100xf16>) outs(%o : tensor<4096x4100xf32>)
      recipe [] {
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4100xf16>, %c: tensor<4096x4100xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4100xf16>) -> tensor<4096x4100xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<4096x4100xf32>
  } -> tensor<4096x4100xf32>
  return %y : tensor<4096x4100xf32>
}
}
