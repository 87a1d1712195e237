// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --krnl-write-recipes="keep-order emit-recipes=-" -o /dev/null | FileCheck %s --check-prefix=ORDER
//
// A target with instructions of warpgroups, which reach the whole rate of its units for matrices, and
// a warp's 62 percent of it.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 232448, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// Three warpgroups have 64 by 256 columns each, from slices of 64 products, of which two are copied, one is read by
// products in flight and one by the next. The last block of rows is padded.
// CHECK-LABEL: kernel "half"
// CHECK:         block(m, 192, tail=pad) -> (m.o, m.b),
// CHECK-NEXT:    block(m.b, 64) -> (m.group, m.in_group),
// CHECK:         block(n, 256) -> (n.o, n.b),
// CHECK:         block(k, 64) -> (k.o, k.i),
// CHECK:         map(m.group, thread),
// CHECK-NEXT:    map(n.group, thread),
// CHECK-NEXT:    map(m.w, thread),
// CHECK-NEXT:    map(m.g, thread),
// CHECK-NEXT:    map(n.t, thread),
// CHECK-NEXT:    unroll(m.h, 2),
// CHECK-NEXT:    unroll(n.f, 32),
// CHECK-NEXT:    cache(0, at=k.o, in=shared),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK-NEXT:    vectorize(n.c, 2),
// CHECK-NEXT:    unroll(k.s, 4),
// CHECK-NEXT:    wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.k),
// CHECK-NEXT:    pipeline(k.o, 4, in_flight=1)
// ORDER-LABEL: kernel "half"
// ORDER-NOT:     mma
func.func @half(%x: tensor<4096x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "half" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
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

// A target without them for these elements.
// CHECK-LABEL: kernel "brain"
// CHECK-NOT:     wgmma
func.func @brain(%x: tensor<4096x1024xbf16>, %w: tensor<1024x4096xbf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "brain" loops [m = 4096, n = 4096, k = 1024] ins(%x, %w : tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) outs(%o : tensor<4096x4096xf32>)
      recipe [] {
  ^bb0(%a: tensor<4096x1024xbf16>, %b: tensor<1024x4096xbf16>, %c: tensor<4096x4096xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<4096x4096xf32> {
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// Too few rows for a warpgroup.
// CHECK-LABEL: kernel "few"
// CHECK-NOT:     wgmma
// CHECK:         {{ }}mma(
func.func @few(%x: tensor<32x1024xf16>, %w: tensor<1024x4096xf16>, %o: tensor<32x4096xf32>) -> tensor<32x4096xf32> {
  %y = krnl.kernel "few" loops [m = 32, n = 4096, k = 1024] ins(%x, %w : tensor<32x1024xf16>, tensor<1024x4096xf16>) outs(%o : tensor<32x4096xf32>)
      recipe [] {
  ^bb0(%a: tensor<32x1024xf16>, %b: tensor<1024x4096xf16>, %c: tensor<32x4096xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
        : (tensor<32x1024xf16>, tensor<1024x4096xf16>) -> tensor<32x4096xf32> {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    }
    krnl.yield %r : tensor<32x4096xf32>
  } -> tensor<32x4096xf32>
  return %y : tensor<32x4096xf32>
}

// An op with the sums of two products has as many of each as leave registers for others, from slices of the common
// factor and of both other ones.
// CHECK-LABEL: kernel "gate"
// CHECK:         block(n, 128) -> (n.o, n.b),
// CHECK:         unroll(n.f, 16),
// CHECK-NEXT:    cache(0, at=k.o, in=shared),
// CHECK-NEXT:    cache(1, at=k.o, in=shared),
// CHECK-NEXT:    cache(2, at=k.o, in=shared),
// CHECK:         wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.k),
func.func @gate(%x: tensor<4096x1024xf16>, %v: tensor<1024x4096xf16>, %w: tensor<1024x4096xf16>, %o: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = krnl.kernel "gate" loops [m = 4096, n = 4096, k = 1024] ins(%x, %v, %w : tensor<4096x1024xf16>, tensor<1024x4096xf16>, tensor<1024x4096xf16>) outs(%o : tensor<4096x4096xf32>)
      recipe [] {
  ^bb0(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>, %c: tensor<1024x4096xf16>, %d: tensor<4096x4096xf32>):
    %s = krnl.temporary : tensor<4096x4096xf32>
    %t = krnl.temporary : tensor<4096x4096xf32>
    %r:2 = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n], %u = %c[k, n]) -> (%g = %s[m, n], %h = %t[m, n])
        : (tensor<4096x1024xf16>, tensor<1024x4096xf16>, tensor<1024x4096xf16>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %g, %2 : f32
      %4 = arith.extf %u : f16 to f32
      %5 = arith.mulf %0, %4 : f32
      %6 = arith.addf %h, %5 : f32
      linalg.yield %3, %6 : f32, f32
    }
    %z = krnl.compute [m, n] (%p = %r#0[m, n], %q = %r#1[m, n]) -> (%_ = %d[m, n]) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
      %0 = arith.mulf %p, %q : f32
      linalg.yield %0 : f32
    }
    krnl.yield %z : tensor<4096x4096xf32>
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

}
