// RUN: onnx-opt %s -split-input-file --krnl-order-constants | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-order-constants --remarks-filter=krnl-order-constants 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
//
// REMARK:      [Passed] Algorithm {{.+}} a constant in its own order: {{[0-9]+}} cycles", Remark="a constant with the sums last"
// REMARK-NEXT: kernel "row"
// REMARK:      [Missed] Algorithm {{.+}} a constant with the sums last: {{[0-9]+}} cycles", Remark="a constant in its own order"
// REMARK-NEXT: kernel "odd_sums"

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// The sums are windows of channels.
// CHECK-LABEL: func @last
// CHECK:         %[[W:.+]] = krnl.constant dense<2.000000e+00> : tensor<64x16x3x3xf32> layout <dims = [0, 2, 3, 1], sizes = [64, 3, 3, 16], strides = [1, 1, 1, 1]>
// CHECK:         krnl.kernel "last" {{.*}} ins(%{{.+}}, %[[W]] : tensor<1x10x10x16xf32>, tensor<64x3x3x16xf32>)
// CHECK:           krnl.compute "conv" [h, w, oc | i, j, ic] (%{{.+}} = %{{.+}}[0, h + i, w + j, ic], %{{.+}} = %{{.+}}[oc, i, j, ic])
func.func @last(%x: tensor<1x10x10x16xf32>, %o: tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x16x3x3xf32>
  %y = krnl.kernel "last" loops [h = 8, w = 8, oc = 64, i = 3, j = 3, ic = 16] ins(%x, %w : tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) outs(%o : tensor<1x8x8x64xf32>) {
  ^bb0(%a: tensor<1x10x10x16xf32>, %b: tensor<64x16x3x3xf32>, %c: tensor<1x8x8x64xf32>):
    %r = krnl.compute "conv" [h, w, oc | i, j, ic] (%p = %a[0, h + i, w + j, ic], %q = %b[oc, ic, i, j]) -> (%e = %c[0, h, w, oc]) : (tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) -> tensor<1x8x8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1x8x8x64xf32>
  } -> tensor<1x8x8x64xf32>
  return %y : tensor<1x8x8x64xf32>
}

// They are channels of windows, as in the constant.
// CHECK-LABEL: func @first
// CHECK-NOT:     layout
func.func @first(%x: tensor<1x10x10x16xf32>, %o: tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x16x3x3xf32>
  %y = krnl.kernel "first" loops [h = 8, w = 8, oc = 64, ic = 16, i = 3, j = 3] ins(%x, %w : tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) outs(%o : tensor<1x8x8x64xf32>) {
  ^bb0(%a: tensor<1x10x10x16xf32>, %b: tensor<64x16x3x3xf32>, %c: tensor<1x8x8x64xf32>):
    %r = krnl.compute "conv" [h, w, oc | ic, i, j] (%p = %a[0, h + i, w + j, ic], %q = %b[oc, ic, i, j]) -> (%e = %c[0, h, w, oc]) : (tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) -> tensor<1x8x8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1x8x8x64xf32>
  } -> tensor<1x8x8x64xf32>
  return %y : tensor<1x8x8x64xf32>
}

// Whoever wrote a recipe had the constant as it is in mind.
// CHECK-LABEL: func @recipe
// CHECK-NOT:     layout
func.func @recipe(%x: tensor<1x10x10x16xf32>, %o: tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x16x3x3xf32>
  %y = krnl.kernel "recipe" loops [h = 8, w = 8, oc = 64, i = 3, j = 3, ic = 16] ins(%x, %w : tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) outs(%o : tensor<1x8x8x64xf32>) recipe [order(h, w, oc, i, j, ic)] {
  ^bb0(%a: tensor<1x10x10x16xf32>, %b: tensor<64x16x3x3xf32>, %c: tensor<1x8x8x64xf32>):
    %r = krnl.compute "conv" [h, w, oc | i, j, ic] (%p = %a[0, h + i, w + j, ic], %q = %b[oc, ic, i, j]) -> (%e = %c[0, h, w, oc]) : (tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) -> tensor<1x8x8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1x8x8x64xf32>
  } -> tensor<1x8x8x64xf32>
  return %y : tensor<1x8x8x64xf32>
}

// Each of two kernels has the constant as it needs it.
// CHECK-LABEL: func @kernels
// CHECK:         %[[W:.+]] = krnl.constant dense<2.000000e+00> : tensor<64x16x3xf32>{{$}}
// CHECK:         %[[ORDERED:.+]] = krnl.constant dense<2.000000e+00> : tensor<64x16x3xf32> layout <dims = [0, 2, 1], sizes = [64, 3, 16], strides = [1, 1, 1]>
// CHECK:         krnl.kernel "last" {{.*}} ins(%{{.+}}, %[[ORDERED]] : tensor<10x16xf32>, tensor<64x3x16xf32>)
// CHECK:         krnl.kernel "first" {{.*}} ins(%{{.+}}, %[[W]] : tensor<10x16xf32>, tensor<64x16x3xf32>)
func.func @kernels(%x: tensor<10x16xf32>, %o: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %w = krnl.constant dense<2.0> : tensor<64x16x3xf32>
  %y = krnl.kernel "last" loops [h = 8, oc = 64, i = 3, ic = 16] ins(%x, %w : tensor<10x16xf32>, tensor<64x16x3xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: tensor<10x16xf32>, %b: tensor<64x16x3xf32>, %c: tensor<8x64xf32>):
    %r = krnl.compute [h, oc | i, ic] (%p = %a[h + i, ic], %q = %b[oc, ic, i]) -> (%e = %c[h, oc]) : (tensor<10x16xf32>, tensor<64x16x3xf32>) -> tensor<8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  %z = krnl.kernel "first" loops [h = 8, oc = 64, ic = 16, i = 3] ins(%x, %w : tensor<10x16xf32>, tensor<64x16x3xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: tensor<10x16xf32>, %b: tensor<64x16x3xf32>, %c: tensor<8x64xf32>):
    %r = krnl.compute [h, oc | ic, i] (%p = %a[h + i, ic], %q = %b[oc, ic, i]) -> (%e = %c[h, oc]) : (tensor<10x16xf32>, tensor<64x16x3xf32>) -> tensor<8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  return %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
}

// Two ops of one kernel read it.
// CHECK-LABEL: func @ops
// CHECK-NOT:     layout
func.func @ops(%x: tensor<10x16xf32>, %o: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x16x3xf32>
  %y = krnl.kernel "ops" loops [h = 8, oc = 64, i = 3, ic = 16] ins(%x, %w : tensor<10x16xf32>, tensor<64x16x3xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: tensor<10x16xf32>, %b: tensor<64x16x3xf32>, %c: tensor<8x64xf32>):
    %f = krnl.compute [h, oc] (%q = %b[oc, 0, 0]) -> (%e = %c[h, oc]) : (tensor<64x16x3xf32>) -> tensor<8x64xf32> {
      linalg.yield %q : f32
    }
    %r = krnl.compute [h, oc | i, ic] (%p = %a[h + i, ic], %q = %b[oc, ic, i]) -> (%e = %f[h, oc]) : (tensor<10x16xf32>, tensor<64x16x3xf32>) -> tensor<8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Elements of 4 bits.
// CHECK-LABEL: func @nibbles
// CHECK:         krnl.constant dense<2> : tensor<64x16x3xi4> layout <dims = [0, 2, 1], sizes = [64, 3, 16], strides = [1, 1, 1]>
func.func @nibbles(%x: tensor<10x16xi32>, %o: tensor<8x64xi32>) -> tensor<8x64xi32> {
  %w = krnl.constant dense<2> : tensor<64x16x3xi4>
  %y = krnl.kernel "nibbles" loops [h = 8, oc = 64, i = 3, ic = 16] ins(%x, %w : tensor<10x16xi32>, tensor<64x16x3xi4>) outs(%o : tensor<8x64xi32>) {
  ^bb0(%a: tensor<10x16xi32>, %b: tensor<64x16x3xi4>, %c: tensor<8x64xi32>):
    %r = krnl.compute [h, oc | i, ic] (%p = %a[h + i, ic], %q = %b[oc, ic, i]) -> (%e = %c[h, oc]) : (tensor<10x16xi32>, tensor<64x16x3xi4>) -> tensor<8x64xi32> {
      %wide = arith.extsi %q : i4 to i32
      %u = arith.muli %p, %wide : i32
      %v = arith.addi %e, %u : i32
      linalg.yield %v : i32
    }
    krnl.yield %r : tensor<8x64xi32>
  } -> tensor<8x64xi32>
  return %y : tensor<8x64xi32>
}

}

// -----

// A processor packs constants by steps of recipes.
module attributes {krnl.target = #krnl.target<vector_bytes = 64>} {

// CHECK-LABEL: func @processor
// CHECK-NOT:     layout
func.func @processor(%x: tensor<1x10x10x16xf32>, %o: tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x16x3x3xf32>
  %y = krnl.kernel "processor" loops [h = 8, w = 8, oc = 64, i = 3, j = 3, ic = 16] ins(%x, %w : tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) outs(%o : tensor<1x8x8x64xf32>) {
  ^bb0(%a: tensor<1x10x10x16xf32>, %b: tensor<64x16x3x3xf32>, %c: tensor<1x8x8x64xf32>):
    %r = krnl.compute "conv" [h, w, oc | i, j, ic] (%p = %a[0, h + i, w + j, ic], %q = %b[oc, ic, i, j]) -> (%e = %c[0, h, w, oc]) : (tensor<1x10x10x16xf32>, tensor<64x16x3x3xf32>) -> tensor<1x8x8x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1x8x8x64xf32>
  } -> tensor<1x8x8x64xf32>
  return %y : tensor<1x8x8x64xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", mma_i8_x32 = "llvm.nvvm.mma.m16n8k32.row.col"}>} {

// Instructions for matrices read bytes along the sums only.
// CHECK-LABEL: func @bytes
// CHECK:         %[[W:.+]] = krnl.constant dense<2> : tensor<64x32xi8> layout <dims = [1, 0], sizes = [32, 64], strides = [1, 1]>
// CHECK:         krnl.compute "mm" [m, n | k] (%{{.+}} = %{{.+}}[m, k], %{{.+}} = %{{.+}}[n, k])
func.func @bytes(%x: tensor<64x64xi8>, %o: tensor<64x32xi32>) -> tensor<64x32xi32> {
  %w = krnl.constant dense<2> : tensor<64x32xi8>
  %y = krnl.kernel "bytes" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xi8>, tensor<64x32xi8>) outs(%o : tensor<64x32xi32>) {
  ^bb0(%a: tensor<64x64xi8>, %b: tensor<64x32xi8>, %c: tensor<64x32xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<64x64xi8>, tensor<64x32xi8>) -> tensor<64x32xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %s = arith.muli %u, %v : i32
      %t = arith.addi %e, %s : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<64x32xi32>
  } -> tensor<64x32xi32>
  return %y : tensor<64x32xi32>
}

// Too few rows for them: threads of a warp have the sum of a column, of which they read adjacent elements.
// CHECK-LABEL: func @row
// CHECK:         krnl.constant dense<2> : tensor<64x32xi8> layout <dims = [1, 0], sizes = [32, 64], strides = [1, 1]>
// CHECK:         krnl.compute "mm" [m, n | k] (%{{.+}} = %{{.+}}[m, k], %{{.+}} = %{{.+}}[n, k])
func.func @row(%x: tensor<1x64xi8>, %o: tensor<1x32xi32>) -> tensor<1x32xi32> {
  %w = krnl.constant dense<2> : tensor<64x32xi8>
  %y = krnl.kernel "row" loops [m = 1, n = 32, k = 64] ins(%x, %w : tensor<1x64xi8>, tensor<64x32xi8>) outs(%o : tensor<1x32xi32>) {
  ^bb0(%a: tensor<1x64xi8>, %b: tensor<64x32xi8>, %c: tensor<1x32xi32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<1x64xi8>, tensor<64x32xi8>) -> tensor<1x32xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %s = arith.muli %u, %v : i32
      %t = arith.addi %e, %s : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<1x32xi32>
  } -> tensor<1x32xi32>
  return %y : tensor<1x32xi32>
}

// 16 bits are transposed where they are read.
// CHECK-LABEL: func @halves
// CHECK-NOT:     layout
func.func @halves(%x: tensor<64x64xf16>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %w = krnl.constant dense<2.0> : tensor<64x32xf16>
  %y = krnl.kernel "halves" loops [m = 64, n = 32, k = 64] ins(%x, %w : tensor<64x64xf16>, tensor<64x32xf16>) outs(%o : tensor<64x32xf32>) {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
      %u = arith.extf %p : f16 to f32
      %v = arith.extf %q : f16 to f32
      %s = arith.mulf %u, %v : f32
      %t = arith.addf %e, %s : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, fma_per_cycle = 2, loads_per_cycle = 1, l3 = 41943040, l3_bytes_per_cycle = 4.7e+01, memory_bytes_per_cycle = 13.4, line_bytes = 32, cores = 108, megahertz = 1410, issues_per_cycle = 4, matrix_products = 1024, core_threads = 2048, core_shared_bytes = 167936, core_tiles = 32, tile_shared_bytes = 1024, memory_latency = 4.5e+02, cache_latency = 3.3e+01, launch_nanoseconds = 1500, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// Rows of 771 elements do not begin at multiples of a word, those of 514 sums do: they are copied ahead.
// CHECK-LABEL: func @odd
// CHECK:         krnl.constant dense<2.000000e+00> : tensor<514x771xf16> layout <dims = [1, 0], sizes = [771, 514], strides = [1, 1]>
// CHECK:         krnl.compute "mm" [m, n | k] (%{{.+}} = %{{.+}}[m, k], %{{.+}} = %{{.+}}[n, k])
func.func @odd(%x: tensor<197x514xf16>, %o: tensor<197x771xf32>) -> tensor<197x771xf32> {
  %w = krnl.constant dense<2.0> : tensor<514x771xf16>
  %y = krnl.kernel "odd" loops [m = 197, n = 771, k = 514] ins(%x, %w : tensor<197x514xf16>, tensor<514x771xf16>) outs(%o : tensor<197x771xf32>) {
  ^bb0(%a: tensor<197x514xf16>, %b: tensor<514x771xf16>, %c: tensor<197x771xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<197x514xf16>, tensor<514x771xf16>) -> tensor<197x771xf32> {
      %u = arith.extf %p : f16 to f32
      %v = arith.extf %q : f16 to f32
      %s = arith.mulf %u, %v : f32
      %t = arith.addf %e, %s : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<197x771xf32>
  } -> tensor<197x771xf32>
  return %y : tensor<197x771xf32>
}

// Neither do those of 515 sums: the constant stays as it is.
// CHECK-LABEL: func @odd_sums
// CHECK-NOT:     layout
func.func @odd_sums(%x: tensor<197x515xf16>, %o: tensor<197x771xf32>) -> tensor<197x771xf32> {
  %w = krnl.constant dense<2.0> : tensor<515x771xf16>
  %y = krnl.kernel "odd_sums" loops [m = 197, n = 771, k = 515] ins(%x, %w : tensor<197x515xf16>, tensor<515x771xf16>) outs(%o : tensor<197x771xf32>) {
  ^bb0(%a: tensor<197x515xf16>, %b: tensor<515x771xf16>, %c: tensor<197x771xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<197x515xf16>, tensor<515x771xf16>) -> tensor<197x771xf32> {
      %u = arith.extf %p : f16 to f32
      %v = arith.extf %q : f16 to f32
      %s = arith.mulf %u, %v : f32
      %t = arith.addf %e, %s : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<197x771xf32>
  } -> tensor<197x771xf32>
  return %y : tensor<197x771xf32>
}

}
