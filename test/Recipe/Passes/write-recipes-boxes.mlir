// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
//
// A target that copies boxes of tensors to the slices that warpgroups read.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// CHECK-LABEL: kernel "boxes"
// CHECK:         cache(0, at=k.o, in=shared, by=tma),
// CHECK-NEXT:    cache(1, at=k.o, in=shared, by=tma),
// CHECK:         wgmma(
func.func @boxes(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "boxes" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
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

// Rows of one operand do not begin at multiples of 16 bytes.
// CHECK-LABEL: kernel "rows"
// CHECK:         cache(0, at=k.o, in=shared, by=tma),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK:         wgmma(
func.func @rows(%x: tensor<4096x1024xf16>, %w: tensor<1024x4100xf16>, %o: tensor<4096x4100xf32>) -> tensor<4096x4100xf32> {
  %y = krnl.kernel "rows" loops [m = 4096, n = 4100, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4100xf16>) outs(%o : tensor<4096x4100xf32>)
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
