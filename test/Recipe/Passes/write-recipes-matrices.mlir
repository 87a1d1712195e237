// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --krnl-write-recipes="keep-order emit-recipes=-" -o /dev/null | FileCheck %s --check-prefix=ORDER
//
// A target with instructions for products of matrices: warps have fragments of 16 rows by 8 columns. Sums in
// the order of the model have none but those of bytes, which are exact; neither have f32 without tf32.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", mma_i8_x32 = "llvm.nvvm.mma.m16n8k32.row.col"}>} {

// 128 blocks of two by two warps.
// CHECK-LABEL: kernel "half"
// CHECK-NEXT:    order(m, n, k),
// CHECK-NEXT:    block(m, 32) -> (m.o, m.b),
// CHECK-NEXT:    block(m.b, 32) -> (m.w, m.in_warp),
// CHECK-NEXT:    block(m.in_warp, 16) -> (m.f, m.in_fragment),
// CHECK-NEXT:    block(m.in_fragment, 8) -> (m.h, m.g),
// CHECK-NEXT:    block(n, 16) -> (n.o, n.b),
// CHECK-NEXT:    block(n.b, 16) -> (n.w, n.in_warp),
// CHECK-NEXT:    block(n.in_warp, 8) -> (n.f, n.in_fragment),
// CHECK-NEXT:    block(n.in_fragment, 2) -> (n.t, n.c),
// CHECK-NEXT:    block(k, 32) -> (k.o, k.i),
// CHECK-NEXT:    block(k.i, 16) -> (k.s, k.k),
// CHECK-NEXT:    order(m.o, n.o, m.w, n.w, m.g, n.t, m.f, m.h, n.f, n.c, k.o, k.s, k.k),
// CHECK-NEXT:    fuse_outer(m.o, n.o, m.w, n.w, m.g, n.t),
// CHECK-NEXT:    parallel(m.o, n.o),
// CHECK-NEXT:    map(m.w, thread),
// CHECK-NEXT:    map(n.w, thread),
// CHECK-NEXT:    map(m.g, thread),
// CHECK-NEXT:    map(n.t, thread),
// CHECK-NEXT:    unroll(m.f, 2),
// CHECK-NEXT:    unroll(m.h, 2),
// CHECK-NEXT:    unroll(n.f, 2),
// CHECK-NEXT:    cache(0, at=k.o, in=shared),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK-NEXT:    pipeline(k.o, 2),
// CHECK-NEXT:    vectorize(n.c, 2),
// CHECK-NEXT:    mma(m.h, m.g, n.t, n.c, k.k)
// ORDER-LABEL: kernel "half"
// ORDER-NOT:     mma
func.func @half(%x: tensor<1024x256xf16>, %w: tensor<256x1024xf16>, %o: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = krnl.kernel "half" loops [m = 1024, n = 1024, k = 256] ins(%x, %w : tensor<1024x256xf16>, tensor<256x1024xf16>) outs(%o : tensor<1024x1024xf32>) recipe [] {
  ^bb0(%a: tensor<1024x256xf16>, %b: tensor<256x1024xf16>, %c: tensor<1024x1024xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<1024x256xf16>, tensor<256x1024xf16>) -> tensor<1024x1024xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %e, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<1024x1024xf32>
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// CHECK-LABEL: kernel "bytes"
// CHECK:         mma(m.h, m.g, n.t, n.c, k.k)
// ORDER-LABEL: kernel "bytes"
// ORDER:         mma(m.h, m.g, n.t, n.c, k.k)
func.func @bytes(%x: tensor<64x96xi8>, %w: tensor<96x64xi8>, %o: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %y = krnl.kernel "bytes" loops [m = 64, n = 64, k = 96] ins(%x, %w : tensor<64x96xi8>, tensor<96x64xi8>) outs(%o : tensor<64x64xi32>) recipe [] {
  ^bb0(%a: tensor<64x96xi8>, %b: tensor<96x64xi8>, %c: tensor<64x64xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<64x96xi8>, tensor<96x64xi8>) -> tensor<64x64xi32> {
      %0 = arith.extui %p : i8 to i32
      %1 = arith.extsi %q : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %e, %2 : i32
      linalg.yield %3 : i32
    }
    krnl.yield %r : tensor<64x64xi32>
  } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// CHECK-LABEL: kernel "single"
// CHECK-NOT:     mma
func.func @single(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = krnl.kernel "single" loops [m = 64, n = 64, k = 64] ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) recipe [] {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n])
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %e, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

}
