// RUN: onnx-opt %s --krnl-split-factors | FileCheck %s
//
// A device with instructions for products of matrices, and weights that are bytes with a scale for each block.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// The kernel of the factor has its loops and its inputs; memory has what the payload extends. The loops of the
// sum are one where the tensors are matrices.
// CHECK-LABEL: func @half
// CHECK:         %[[SCRATCH:.+]] = tensor.empty() : tensor<2048x8x32xf16>
// CHECK:         %[[FACTOR:.+]] = krnl.kernel "half factor" loops [n = 2048, block = 8, i = 32] ins(%{{.+}}, %{{.+}} : tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%[[SCRATCH]] : tensor<2048x8x32xf16>)
// CHECK:           krnl.compute [n, block, i] (%[[NUMBER:.+]] = %{{.+}}[n, block, i], %[[SCALE:.+]] = %{{.+}}[n, block]) -> (%{{.+}} = %{{.+}}[n, block, i])
// CHECK-NEXT:        %[[REAL:.+]] = arith.sitofp %[[NUMBER]] : i8 to f16
// CHECK-NEXT:        %[[WEIGHT:.+]] = arith.mulf %[[REAL]], %[[SCALE]] : f16
// CHECK-NEXT:        linalg.yield %[[WEIGHT]] : f16
// CHECK:         %[[W:.+]] = tensor.collapse_shape %[[FACTOR]] {{.*}} into tensor<2048x256xf16>
// CHECK:         %[[X:.+]] = tensor.collapse_shape %{{.+}} into tensor<256x256xf16>
// CHECK:         krnl.kernel "half" loops [m = 256, n = 2048, blocki = 256] ins(%[[W]], %[[X]] : tensor<2048x256xf16>, tensor<256x256xf16>)
// CHECK:           krnl.compute "mm" [m, n | blocki] (%[[P:.+]] = %{{.+}}[m, blocki], %[[Q:.+]] = %{{.+}}[n, blocki]) -> (%[[SUM:.+]] = %{{.+}}[m, n])
// CHECK-NEXT:        %[[L:.+]] = arith.extf %[[P]] : f16 to f32
// CHECK-NEXT:        %[[R:.+]] = arith.extf %[[Q]] : f16 to f32
// CHECK-NEXT:        %[[PRODUCT:.+]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK-NEXT:        arith.addf %[[SUM]], %[[PRODUCT]] : f32
func.func @half(%x: tensor<256x8x32xf16>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<256x2048xf32>) -> tensor<256x2048xf32> {
  %y = krnl.kernel "half" loops [m = 256, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<256x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<256x2048xf32>) {
  ^bb0(%a: tensor<256x8x32xf16>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<256x2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<256x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<256x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<256x2048xf32> {
      %number = arith.sitofp %q : i8 to f16
      %weight = arith.mulf %number, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %left, %right : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<256x2048xf32>
  } -> tensor<256x2048xf32>
  return %y : tensor<256x2048xf32>
}

// Only the run knows the rows, and either factor may be the computed one.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.kernel "dynamic factor" loops [n = 2048, block = 8, i = 32]
// CHECK:         krnl.kernel "dynamic" loops [m = %{{.+}}, n = 2048, blocki = 256]
func.func @dynamic(%x: tensor<?x8x32xf16>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<?x2048xf32>, %m: index) -> tensor<?x2048xf32> {
  %y = krnl.kernel "dynamic" loops [m = %m, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<?x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<?x2048xf32>) {
  ^bb0(%a: tensor<?x8x32xf16>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<?x2048xf32>, %rows: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<?x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<?x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<?x2048xf32> {
      %number = arith.sitofp %q : i8 to f16
      %weight = arith.mulf %number, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %right, %left : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<?x2048xf32>
  } -> tensor<?x2048xf32>
  return %y : tensor<?x2048xf32>
}

// Factors of f32 stay so.
// CHECK-LABEL: func @full
// CHECK:         krnl.kernel "full factor" {{.*}} outs(%{{.+}} : tensor<2048x8x32xf32>)
// CHECK:         krnl.kernel "full" loops [m = 1024, n = 2048, blocki = 256]
func.func @full(%x: tensor<1024x8x32xf32>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<1024x2048xf32>) -> tensor<1024x2048xf32> {
  %y = krnl.kernel "full" loops [m = 1024, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<1024x8x32xf32>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<1024x2048xf32>) {
  ^bb0(%a: tensor<1024x8x32xf32>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<1024x2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<1024x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<1024x8x32xf32>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<1024x2048xf32> {
      %number = arith.sitofp %q : i8 to f32
      %scale = arith.extf %t : f16 to f32
      %weight = arith.mulf %number, %scale : f32
      %product = arith.mulf %weight, %p : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1024x2048xf32>
  } -> tensor<1024x2048xf32>
  return %y : tensor<1024x2048xf32>
}

// Each weight is a factor of one product.
// CHECK-LABEL: func @one
// CHECK-NOT:     "one factor"
func.func @one(%x: tensor<8x32xf16>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<2048xf32>) -> tensor<2048xf32> {
  %y = krnl.kernel "one" loops [n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<2048xf32>) {
  ^bb0(%a: tensor<8x32xf16>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n] () -> (%q = %d[n]) : () -> tensor<2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [n | block, i] (%p = %a[block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[n]) : (tensor<8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<2048xf32> {
      %number = arith.sitofp %q : i8 to f16
      %weight = arith.mulf %number, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %left, %right : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<2048xf32>
  } -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// Two rows do not pay.
// CHECK-LABEL: func @two
// CHECK-NOT:     "two factor"
func.func @two(%x: tensor<2x8x32xf16>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<2x2048xf32>) -> tensor<2x2048xf32> {
  %y = krnl.kernel "two" loops [m = 2, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<2x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<2x2048xf32>) {
  ^bb0(%a: tensor<2x8x32xf16>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<2x2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<2x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<2x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<2x2048xf32> {
      %number = arith.sitofp %q : i8 to f16
      %weight = arith.mulf %number, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %left, %right : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<2x2048xf32>
  } -> tensor<2x2048xf32>
  return %y : tensor<2x2048xf32>
}

// The other factor is computed, too.
// CHECK-LABEL: func @both
// CHECK-NOT:     "both factor"
func.func @both(%x: tensor<1024x8x32xf32>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<1024x2048xf32>) -> tensor<1024x2048xf32> {
  %y = krnl.kernel "both" loops [m = 1024, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<1024x8x32xf32>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<1024x2048xf32>) {
  ^bb0(%a: tensor<1024x8x32xf32>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<1024x2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<1024x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<1024x8x32xf32>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<1024x2048xf32> {
      %number = arith.sitofp %q : i8 to f32
      %scale = arith.extf %t : f16 to f32
      %weight = arith.mulf %number, %scale : f32
      %square = arith.mulf %p, %p : f32
      %product = arith.mulf %weight, %square : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1024x2048xf32>
  } -> tensor<1024x2048xf32>
  return %y : tensor<1024x2048xf32>
}

}
