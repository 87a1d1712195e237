// RUN: onnx-opt %s -split-input-file --krnl-split-reductions | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-split-reductions=keep-order | FileCheck %s --check-prefix=ORDER
//
// A device of many multiprocessors, and sums for few results.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// The parts are sums of adjacent terms; one kernel adds them to where the sum begins, and does the rest.
// CHECK-LABEL: func @few
// CHECK:         %[[SCRATCH:.+]] = tensor.empty() : tensor<[[P:[0-9]+]]x16x64xf32>
// CHECK:         %[[PARTS:.+]] = krnl.kernel "few parts" loops [k.part = [[P]], m = 16, n = 64, k = [[SIZE:[0-9]+]]]
// CHECK-SAME:      outs(%[[SCRATCH]] : tensor<[[P]]x16x64xf32>)
// CHECK:           krnl.compute [k.part, m, n] ()
// CHECK:           krnl.compute "mm" [k.part, m, n | k] (%{{.+}} = %{{.+}}[m, k.part * [[SIZE]] + k], %{{.+}} = %{{.+}}[k.part * [[SIZE]] + k, n]) -> (%{{.+}} = %{{.+}}[k.part, m, n])
// CHECK:         krnl.kernel "few" loops [m = 16, n = 64, k.part = [[P]]] ins(%[[PARTS]] : tensor<[[P]]x16x64xf32>)
// CHECK:           krnl.compute [m, n] ()
// CHECK:           krnl.compute "mm" [m, n | k.part] (%[[PART:.+]] = %{{.+}}[k.part, m, n]) -> (%[[SUM:.+]] = %{{.+}}[m, n])
// CHECK-NEXT:        arith.addf %[[SUM]], %[[PART]] : f32
// CHECK:           arith.maximumf
// Its terms have an order.
// ORDER-LABEL: func @few
// ORDER-NOT:     parts
func.func @few(%x: tensor<16x8192xf32>, %w: tensor<8192x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = krnl.kernel "few" loops [m = 16, n = 64, k = 8192] ins(%x, %w : tensor<16x8192xf32>, tensor<8192x64xf32>) outs(%o : tensor<16x64xf32>) {
  ^bb0(%a: tensor<16x8192xf32>, %b: tensor<8192x64xf32>, %c: tensor<16x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<16x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %f[m, n]) : (tensor<16x8192xf32>, tensor<8192x64xf32>) -> tensor<16x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    %s = krnl.compute [m, n] (%p = %r[m, n]) -> (%q = %c[m, n]) : (tensor<16x64xf32>) -> tensor<16x64xf32> {
      %u = arith.maximumf %p, %zero : f32
      linalg.yield %u : f32
    }
    krnl.yield %s : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// The least of all elements of any number of images, for one result: parts begin with what changes nothing.
// CHECK-LABEL: func @images
// CHECK:         krnl.kernel "least parts" loops [k.part = [[P:[0-9]+]], n = %{{.+}}, k = [[SIZE:[0-9]+]]]
// CHECK:           %[[NONE:.+]] = arith.constant 0x7F800000 : f32
// CHECK:           krnl.compute [k.part] () -> (%{{.+}} = %{{.+}}[k.part, 0]) {{.+}} {
// CHECK-NEXT:        linalg.yield %[[NONE]] : f32
// CHECK:           krnl.compute [k.part | n, k] (%{{.+}} = %{{.+}}[n, k.part * [[SIZE]] + k]) -> (%{{.+}} = %{{.+}}[k.part, 0])
// CHECK:         krnl.kernel "least" loops [k.part = [[P]]]
// CHECK:           %[[BEGIN:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:           krnl.compute [| k.part] (%[[PART:.+]] = %{{.+}}[k.part, 0]) -> (%[[LEAST:.+]] = %{{.+}}[0])
// CHECK-NEXT:        arith.minimumf %[[LEAST]], %[[PART]] : f32
// ORDER-LABEL: func @images
// ORDER-NOT:     parts
func.func @images(%x: tensor<?x65536xf32>, %n: index, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "least" loops [n = %n, k = 65536] ins(%x : tensor<?x65536xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<?x65536xf32>, %c: tensor<1xf32>, %_: index):
    %most = arith.constant 1.0 : f32
    %f = krnl.compute [] () -> (%q = %c[0]) : () -> tensor<1xf32> { linalg.yield %most : f32 }
    %r = krnl.compute [| n, k] (%p = %a[n, k]) -> (%e = %f[0]) : (tensor<?x65536xf32>) -> tensor<1xf32> {
      %v = arith.minimumf %e, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// The mean needs the number of images, and rows are krnl-split-rows' own.
// CHECK-LABEL: func @mean
// CHECK-NOT:     parts
// CHECK-LABEL: func @row
// CHECK-NOT:     parts
func.func @mean(%x: tensor<?x65536xf32>, %n: index, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "mean" loops [n = %n, k = 65536] ins(%x : tensor<?x65536xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<?x65536xf32>, %c: tensor<1xf32>, %size: index):
    %zero = arith.constant 0.0 : f32
    %i = arith.index_cast %size : index to i32
    %number = arith.sitofp %i : i32 to f32
    %f = krnl.compute [] () -> (%q = %c[0]) : () -> tensor<1xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [| n, k] (%p = %a[n, k]) -> (%e = %f[0]) : (tensor<?x65536xf32>) -> tensor<1xf32> {
      %v = arith.addf %e, %p : f32
      linalg.yield %v : f32
    }
    %m = krnl.compute [] () -> (%q = %r[0]) : () -> tensor<1xf32> {
      %v = arith.divf %q, %number : f32
      linalg.yield %v : f32
    }
    krnl.yield %m : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @row(%x: tensor<4194304xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "row" loops [k = 4194304] ins(%x : tensor<4194304xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<4194304xf32>, %c: tensor<1xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [] () -> (%q = %c[0]) : () -> tensor<1xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [| k] (%p = %a[k]) -> (%e = %f[0]) : (tensor<4194304xf32>) -> tensor<1xf32> {
      %v = arith.addf %e, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// Another result has the terms themselves, one by one.
// CHECK-LABEL: func @terms
// CHECK-NOT:     parts
func.func @terms(%x: tensor<16x8192xf32>, %w: tensor<8192x64xf32>, %o: tensor<16x64xf32>, %t: tensor<16x8192xf32>) -> (tensor<16x64xf32>, tensor<16x8192xf32>) {
  %y:2 = krnl.kernel "terms" loops [m = 16, n = 64, k = 8192] ins(%x, %w : tensor<16x8192xf32>, tensor<8192x64xf32>) outs(%o, %t : tensor<16x64xf32>, tensor<16x8192xf32>) {
  ^bb0(%a: tensor<16x8192xf32>, %b: tensor<8192x64xf32>, %c: tensor<16x64xf32>, %d: tensor<16x8192xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<16x8192xf32>, tensor<8192x64xf32>) -> tensor<16x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    %s = krnl.compute [m, k] (%p = %a[m, k]) -> (%q = %d[m, k]) : (tensor<16x8192xf32>) -> tensor<16x8192xf32> {
      %u = arith.negf %p : f32
      linalg.yield %u : f32
    }
    krnl.yield %r, %s : tensor<16x64xf32>, tensor<16x8192xf32>
  } -> tensor<16x64xf32>, tensor<16x8192xf32>
  return %y#0, %y#1 : tensor<16x64xf32>, tensor<16x8192xf32>
}

// There are several blocks for each multiprocessor.
// CHECK-LABEL: func @many
// CHECK-NOT:     parts
func.func @many(%x: tensor<2048x256xf32>, %w: tensor<256x2048xf32>, %o: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %y = krnl.kernel "many" loops [m = 2048, n = 2048, k = 256] ins(%x, %w : tensor<2048x256xf32>, tensor<256x2048xf32>) outs(%o : tensor<2048x2048xf32>) {
  ^bb0(%a: tensor<2048x256xf32>, %b: tensor<256x2048xf32>, %c: tensor<2048x2048xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<2048x256xf32>, tensor<256x2048xf32>) -> tensor<2048x2048xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<2048x2048xf32>
  } -> tensor<2048x2048xf32>
  return %y : tensor<2048x2048xf32>
}

// No power of two but two divides 6750 terms: the parts are a divisor of them.
// CHECK-LABEL: func @divisor
// CHECK:         krnl.kernel "divisor parts" loops [k.part = 54, m = 16, n = 64, k = 125]
// CHECK:         krnl.kernel "divisor" loops [m = 16, n = 64, k.part = 54]
func.func @divisor(%x: tensor<16x6750xf32>, %w: tensor<6750x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = krnl.kernel "divisor" loops [m = 16, n = 64, k = 6750] ins(%x, %w : tensor<16x6750xf32>, tensor<6750x64xf32>) outs(%o : tensor<16x64xf32>) {
  ^bb0(%a: tensor<16x6750xf32>, %b: tensor<6750x64xf32>, %c: tensor<16x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<16x6750xf32>, tensor<6750x64xf32>) -> tensor<16x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// Nothing divides 8191.
// CHECK-LABEL: func @prime
// CHECK-NOT:     parts
func.func @prime(%x: tensor<16x8191xf32>, %w: tensor<8191x64xf32>, %o: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = krnl.kernel "prime" loops [m = 16, n = 64, k = 8191] ins(%x, %w : tensor<16x8191xf32>, tensor<8191x64xf32>) outs(%o : tensor<16x64xf32>) {
  ^bb0(%a: tensor<16x8191xf32>, %b: tensor<8191x64xf32>, %c: tensor<16x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<16x8191xf32>, tensor<8191x64xf32>) -> tensor<16x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<16x64xf32>
  } -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// A convolution: parts are of channels, and of these a window is whole.
// CHECK-LABEL: func @window
// CHECK:         krnl.kernel "window parts" loops [ic.part = [[P:[0-9]+]], oc = 64, h = 7, w = 7, ic = [[SIZE:[0-9]+]], i = 3, j = 3]
// CHECK:           krnl.compute "conv" [ic.part, oc, h, w | ic, i, j] (%{{.+}} = %{{.+}}[ic.part * [[SIZE]] + ic, h + i, w + j], %{{.+}} = %{{.+}}[oc, ic.part * [[SIZE]] + ic, i, j]) -> (%{{.+}} = %{{.+}}[ic.part, oc, h, w])
// CHECK:         krnl.kernel "window" loops [oc = 64, h = 7, w = 7, ic.part = [[P]]]
func.func @window(%x: tensor<512x9x9xf32>, %w: tensor<64x512x3x3xf32>, %o: tensor<64x7x7xf32>) -> tensor<64x7x7xf32> {
  %y = krnl.kernel "window" loops [oc = 64, h = 7, w = 7, ic = 512, i = 3, j = 3] ins(%x, %w : tensor<512x9x9xf32>, tensor<64x512x3x3xf32>) outs(%o : tensor<64x7x7xf32>) {
  ^bb0(%a: tensor<512x9x9xf32>, %b: tensor<64x512x3x3xf32>, %c: tensor<64x7x7xf32>):
    %r = krnl.compute "conv" [oc, h, w | ic, i, j] (%p = %a[ic, h + i, w + j], %q = %b[oc, ic, i, j]) -> (%e = %c[oc, h, w]) : (tensor<512x9x9xf32>, tensor<64x512x3x3xf32>) -> tensor<64x7x7xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<64x7x7xf32>
  } -> tensor<64x7x7xf32>
  return %y : tensor<64x7x7xf32>
}

// Few channels under a large window have enough terms.
// CHECK-LABEL: func @channels
// CHECK:         krnl.kernel "channels parts" loops [ic.part = {{[0-9]+}}, oc = 16, h = 4, w = 4, ic = {{[0-9]+}}, i = 16, j = 16]
func.func @channels(%x: tensor<32x19x19xf32>, %w: tensor<16x32x16x16xf32>, %o: tensor<16x4x4xf32>) -> tensor<16x4x4xf32> {
  %y = krnl.kernel "channels" loops [oc = 16, h = 4, w = 4, ic = 32, i = 16, j = 16] ins(%x, %w : tensor<32x19x19xf32>, tensor<16x32x16x16xf32>) outs(%o : tensor<16x4x4xf32>) {
  ^bb0(%a: tensor<32x19x19xf32>, %b: tensor<16x32x16x16xf32>, %c: tensor<16x4x4xf32>):
    %r = krnl.compute "conv" [oc, h, w | ic, i, j] (%p = %a[ic, h + i, w + j], %q = %b[oc, ic, i, j]) -> (%e = %c[oc, h, w]) : (tensor<32x19x19xf32>, tensor<16x32x16x16xf32>) -> tensor<16x4x4xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<16x4x4xf32>
  } -> tensor<16x4x4xf32>
  return %y : tensor<16x4x4xf32>
}

// Two sums of one kernel.
// CHECK-LABEL: func @sums
// CHECK-NOT:     parts
func.func @sums(%x: tensor<16x8192xf32>, %w: tensor<8192x64xf32>, %o: tensor<16x64xf32>, %t: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %y:2 = krnl.kernel "sums" loops [m = 16, n = 64, k = 8192] ins(%x, %w : tensor<16x8192xf32>, tensor<8192x64xf32>) outs(%o, %t : tensor<16x64xf32>, tensor<16x64xf32>) {
  ^bb0(%a: tensor<16x8192xf32>, %b: tensor<8192x64xf32>, %c: tensor<16x64xf32>, %d: tensor<16x64xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<16x8192xf32>, tensor<8192x64xf32>) -> tensor<16x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    %s = krnl.compute [m, n | k] (%q = %b[k, n]) -> (%e = %d[m, n]) : (tensor<8192x64xf32>) -> tensor<16x64xf32> {
      %v = arith.addf %e, %q : f32
      linalg.yield %v : f32
    }
    krnl.yield %r, %s : tensor<16x64xf32>, tensor<16x64xf32>
  } -> tensor<16x64xf32>, tensor<16x64xf32>
  return %y#0, %y#1 : tensor<16x64xf32>, tensor<16x64xf32>
}

// The number of blocks is dynamic.
// CHECK-LABEL: func @dynamic
// CHECK-NOT:     parts
func.func @dynamic(%x: tensor<?x8192xf32>, %w: tensor<8192x64xf32>, %o: tensor<?x64xf32>, %m: index) -> tensor<?x64xf32> {
  %y = krnl.kernel "dynamic" loops [m = %m, n = 64, k = 8192] ins(%x, %w : tensor<?x8192xf32>, tensor<8192x64xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%a: tensor<?x8192xf32>, %b: tensor<8192x64xf32>, %c: tensor<?x64xf32>, %rows: index):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<?x8192xf32>, tensor<8192x64xf32>) -> tensor<?x64xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x64xf32>
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

}

// -----

// The device has an instruction for products of these floats, so that it may take less time than its vectors need.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, fma_per_cycle = 2, loads_per_cycle = 1, l3 = 41943040, l3_bytes_per_cycle = 4.7e+01, memory_bytes_per_cycle = 13.4, line_bytes = 32, cores = 108, megahertz = 1410, issues_per_cycle = 4, matrix_products = 1024, core_threads = 2048, core_shared_bytes = 167936, core_tiles = 32, tile_shared_bytes = 1024, memory_latency = 4.5e+02, cache_latency = 3.3e+01, launch_nanoseconds = 1500, instructions = {mma_f32_x8 = "llvm.nvvm.mma.m16n8k8.row.col.tf32"}>} {

// CHECK-LABEL: func @matrices
// CHECK:         krnl.kernel "matrices parts"
func.func @matrices(%x: tensor<512x65536xf32>, %w: tensor<65536x384xf32>, %o: tensor<512x384xf32>) -> tensor<512x384xf32> {
  %y = krnl.kernel "matrices" loops [m = 512, n = 384, k = 65536] ins(%x, %w : tensor<512x65536xf32>, tensor<65536x384xf32>) outs(%o : tensor<512x384xf32>) {
  ^bb0(%a: tensor<512x65536xf32>, %b: tensor<65536x384xf32>, %c: tensor<512x384xf32>):
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %c[m, n]) : (tensor<512x65536xf32>, tensor<65536x384xf32>) -> tensor<512x384xf32> {
      %u = arith.mulf %p, %q : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<512x384xf32>
  } -> tensor<512x384xf32>
  return %y : tensor<512x384xf32>
}

}

// -----

// The whole sum has small tiles, so that it has as many as it can: parts have larger ones.
module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, fma_per_cycle = 2, loads_per_cycle = 1, l3 = 41943040, l3_bytes_per_cycle = 4.7e+01, memory_bytes_per_cycle = 13.4, line_bytes = 32, cores = 108, megahertz = 1410, issues_per_cycle = 4, matrix_products = 1024, core_threads = 2048, core_shared_bytes = 167936, core_tiles = 32, tile_shared_bytes = 1024, memory_latency = 4.5e+02, cache_latency = 3.3e+01, launch_nanoseconds = 1500, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// CHECK-LABEL: func @small_tiles
// CHECK:         krnl.kernel "small parts" loops [k.part = {{[0-9]+}}, m = 256, n = 256, k = {{[0-9]+}}]
// CHECK:         krnl.kernel "small" loops [m = 256, n = 256, k.part = {{[0-9]+}}]
func.func @small_tiles(%x: tensor<256x4096xf16>, %w: tensor<4096x256xf16>, %o: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %y = krnl.kernel "small" loops [m = 256, n = 256, k = 4096] ins(%x, %w : tensor<256x4096xf16>, tensor<4096x256xf16>) outs(%o : tensor<256x256xf32>) {
  ^bb0(%a: tensor<256x4096xf16>, %b: tensor<4096x256xf16>, %c: tensor<256x256xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %c[m, n]) : () -> tensor<256x256xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%e = %f[m, n]) : (tensor<256x4096xf16>, tensor<4096x256xf16>) -> tensor<256x256xf32> {
      %s = arith.extf %p : f16 to f32
      %t = arith.extf %q : f16 to f32
      %u = arith.mulf %s, %t : f32
      %v = arith.addf %e, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<256x256xf32>
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

}
