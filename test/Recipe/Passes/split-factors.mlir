// RUN: onnx-opt %s --krnl-split-factors | FileCheck %s
//
// A device with instructions for products of matrices, and weights that are bytes with a scale for each block.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 132, fma_per_cycle = 4, loads_per_cycle = 1, l3_bytes_per_cycle = 3.8e+01, memory_bytes_per_cycle = 18.4, megahertz = 1980, issues_per_cycle = 4, matrix_products = 1893, warp_matrix_share = 6.2e-01, core_threads = 2048, core_shared_bytes = 233472, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"}>} {

// The kernel of the product has the op of the factor, whose loops it adds to its own; its tensor is what the payload
// extends. The loops of the sum are one where the tensors are matrices.
// CHECK-LABEL: func @half
// CHECK:         %[[X:.+]] = tensor.collapse_shape %{{.+}} into tensor<256x256xf16>
// CHECK:         krnl.kernel "half" loops [m = 256, n = 2048, blocki = 256, block = 8, i = 32] ins(%[[X]], %{{.+}}, %{{.+}} : tensor<256x256xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>)
// CHECK:           %[[TENSOR:.+]] = krnl.temporary : tensor<2048x256xf16>
// CHECK-NEXT:      %[[FACTOR:.+]] = krnl.compute [n, block, i] (%[[NUMBER:.+]] = %{{.+}}[n, block, i], %[[SCALE:.+]] = %{{.+}}[n, block]) -> (%{{.+}} = %[[TENSOR]][n, block * 32 + i])
// CHECK-NEXT:        %[[REAL:.+]] = arith.sitofp %[[NUMBER]] : i8 to f16
// CHECK-NEXT:        %[[WEIGHT:.+]] = arith.mulf %[[REAL]], %[[SCALE]] : f16
// CHECK-NEXT:        linalg.yield %[[WEIGHT]] : f16
// CHECK:           krnl.compute "mm" [m, n | blocki] (%[[P:.+]] = %{{.+}}[m, blocki], %[[Q:.+]] = %[[FACTOR]][n, blocki]) -> (%[[SUM:.+]] = %{{.+}}[m, n])
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

// The number of rows is dynamic, and either factor may be the computed one.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.kernel "dynamic" loops [m = %{{.+}}, n = 2048, blocki = 256, block = 8, i = 32]
// CHECK:           %[[FACTOR:.+]] = krnl.compute [n, block, i]
// CHECK:           krnl.compute [m, n | blocki] (%{{.+}} = %{{.+}}[m, blocki], %{{.+}} = %[[FACTOR]][n, blocki])
func.func @dynamic(%x: tensor<?x8x32xf16>, %w: tensor<2048x8x32xi8>, %s: tensor<2048x8xf16>, %o: tensor<?x2048xf32>, %m: index) -> tensor<?x2048xf32> {
  %y = krnl.kernel "dynamic" loops [m = %m, n = 2048, block = 8, i = 32] ins(%x, %w, %s : tensor<?x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) outs(%o : tensor<?x2048xf32>) {
  ^bb0(%a: tensor<?x8x32xf16>, %b: tensor<2048x8x32xi8>, %c: tensor<2048x8xf16>, %d: tensor<?x2048xf32>, %rows: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<?x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<?x8x32xf16>, tensor<2048x8x32xi8>, tensor<2048x8xf16>) -> tensor<?x2048xf32> {
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
// CHECK:         krnl.kernel "full" loops [m = 1024, n = 2048, blocki = 256, block = 8, i = 32]
// CHECK:           krnl.temporary : tensor<2048x256xf32>
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

// Two rows of many weights do not make up for a tensor in memory, but for slices.
// CHECK-LABEL: func @two
// CHECK:         krnl.kernel "two" loops [m = 2, n = 16384, blocki = 256, block = 8, i = 32]
func.func @two(%x: tensor<2x8x32xf16>, %w: tensor<16384x8x32xi8>, %s: tensor<16384x8xf16>, %o: tensor<2x16384xf32>) -> tensor<2x16384xf32> {
  %y = krnl.kernel "two" loops [m = 2, n = 16384, block = 8, i = 32] ins(%x, %w, %s : tensor<2x8x32xf16>, tensor<16384x8x32xi8>, tensor<16384x8xf16>) outs(%o : tensor<2x16384xf32>) {
  ^bb0(%a: tensor<2x8x32xf16>, %b: tensor<16384x8x32xi8>, %c: tensor<16384x8xf16>, %d: tensor<2x16384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<2x16384xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [m, n | block, i] (%p = %a[m, block, i], %q = %b[n, block, i], %t = %c[n, block]) -> (%e = %f[m, n]) : (tensor<2x8x32xf16>, tensor<16384x8x32xi8>, tensor<16384x8xf16>) -> tensor<2x16384xf32> {
      %number = arith.sitofp %q : i8 to f16
      %weight = arith.mulf %number, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %left, %right : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<2x16384xf32>
  } -> tensor<2x16384xf32>
  return %y : tensor<2x16384xf32>
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

// Both factors read one operand, which stays an input of the product.
// CHECK-LABEL: func @shared
// CHECK:         %[[FACTOR:.+]] = krnl.kernel "shared factor" loops [n = 640, k = 256] ins(%[[X:[a-z0-9]+]] : tensor<640x256xf32>)
// CHECK:         krnl.kernel "shared" loops [m = 1000, n = 640, k = 256] ins(%[[FACTOR]], %[[X]] : tensor<640x256xf32>, tensor<640x256xf32>)
// CHECK:           krnl.compute [m, n | k] (%[[P:.+]] = %{{.+}}[n, k], %[[Q:.+]] = %{{.+}}[n, k]) -> (%[[SUM:.+]] = %{{.+}}[m, n])
// CHECK-NEXT:        %[[PRODUCT:.+]] = arith.mulf %[[P]], %[[Q]] : f32
// CHECK-NEXT:        arith.addf %[[SUM]], %[[PRODUCT]] : f32
func.func @shared(%x: tensor<640x256xf32>, %o: tensor<1000x640xf32>) -> tensor<1000x640xf32> {
  %y = krnl.kernel "shared" loops [m = 1000, n = 640, k = 256] ins(%x : tensor<640x256xf32>) outs(%o : tensor<1000x640xf32>) {
  ^bb0(%a: tensor<640x256xf32>, %d: tensor<1000x640xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[n, k]) -> (%e = %d[m, n]) : (tensor<640x256xf32>) -> tensor<1000x640xf32> {
      %tanh = math.tanh %p : f32
      %product = arith.mulf %p, %tanh : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<1000x640xf32>
  } -> tensor<1000x640xf32>
  return %y : tensor<1000x640xf32>
}

// Three loops of the product are one, pair by pair, and three of the factor; readers have the result in its shape.
// CHECK-LABEL: func @pairs
// CHECK:         %[[Y:.+]] = krnl.kernel "pairs" loops [p = 1024, qrs = 512, t = 256, q = 4, r = 8, s = 16]
// CHECK-SAME:    {
// CHECK:           krnl.compute [q, r, s, t] {{.+}} -> (%{{.+}} = %{{.+}}[(q * 8 + r) * 16 + s, t])
// CHECK:         %[[PAIR:.+]] = tensor.expand_shape %[[Y]] {{.+}} into tensor<1024x32x16xf32>
// CHECK:         %[[ALL:.+]] = tensor.expand_shape %[[PAIR]] {{.+}} into tensor<1024x4x8x16xf32>
// CHECK:         return %[[ALL]]
func.func @pairs(%x: tensor<1024x256xf32>, %w: tensor<4x8x16x256xf32>, %s: tensor<8x256xf32>, %o: tensor<1024x4x8x16xf32>) -> tensor<1024x4x8x16xf32> {
  %y = krnl.kernel "pairs" loops [p = 1024, q = 4, r = 8, s = 16, t = 256] ins(%x, %w, %s : tensor<1024x256xf32>, tensor<4x8x16x256xf32>, tensor<8x256xf32>) outs(%o : tensor<1024x4x8x16xf32>) {
  ^bb0(%a: tensor<1024x256xf32>, %b: tensor<4x8x16x256xf32>, %c: tensor<8x256xf32>, %d: tensor<1024x4x8x16xf32>):
    %f = krnl.compute [p, q, r, s | t] (%i = %a[p, t], %j = %b[q, r, s, t], %k = %c[r, t]) -> (%e = %d[p, q, r, s]) : (tensor<1024x256xf32>, tensor<4x8x16x256xf32>, tensor<8x256xf32>) -> tensor<1024x4x8x16xf32> {
      %weight = arith.mulf %j, %k : f32
      %product = arith.mulf %weight, %i : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %f : tensor<1024x4x8x16xf32>
  } -> tensor<1024x4x8x16xf32>
  return %y : tensor<1024x4x8x16xf32>
}

// The factor depends on loops by which half of a byte it is, and another op reads the scales, too.
// CHECK-LABEL: func @halves
// CHECK:         krnl.kernel "halves" loops [m = 256, n = 2048, bytepart = 256, byte = 128, part = 2] ins(%{{.+}}, %[[SCALES:[a-z0-9]+]], %{{.+}}, %[[SCALES]] : tensor<256x256xf16>, tensor<2048xf16>, tensor<2048x128xi8>, tensor<2048xf16>)
// CHECK:           %[[FACTOR:.+]] = krnl.compute [n, byte, part] {{.+}} -> (%{{.+}} = %{{.+}}[n, byte * 2 + part])
// CHECK:           krnl.index part
// CHECK:           krnl.compute [m, n | bytepart] (%{{.+}} = %{{.+}}[m, bytepart], %{{.+}} = %[[FACTOR]][n, bytepart])
// CHECK:           krnl.compute [m, n] (%{{.+}} = %{{.+}}[m, n], %{{.+}} = %{{.+}}[n])
func.func @halves(%x: tensor<256x128x2xf16>, %w: tensor<2048x128xi8>, %s: tensor<2048xf16>, %o: tensor<256x2048xf32>) -> tensor<256x2048xf32> {
  %y = krnl.kernel "halves" loops [m = 256, n = 2048, byte = 128, part = 2] ins(%x, %w, %s : tensor<256x128x2xf16>, tensor<2048x128xi8>, tensor<2048xf16>) outs(%o : tensor<256x2048xf32>) {
  ^bb0(%a: tensor<256x128x2xf16>, %b: tensor<2048x128xi8>, %c: tensor<2048xf16>, %d: tensor<256x2048xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%q = %d[m, n]) : () -> tensor<256x2048xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | byte, part] (%p = %a[m, byte, part], %q = %b[n, byte], %t = %c[n]) -> (%e = %f[m, n]) : (tensor<256x128x2xf16>, tensor<2048x128xi8>, tensor<2048xf16>) -> tensor<256x2048xf32> {
      %which = krnl.index part
      %four = arith.constant 4 : index
      %by = arith.muli %which, %four : index
      %bits = arith.index_cast %by : index to i8
      %half = arith.shrui %q, %bits : i8
      %mask = arith.constant 15 : i8
      %number = arith.andi %half, %mask : i8
      %real = arith.uitofp %number : i8 to f16
      %weight = arith.mulf %real, %t : f16
      %left = arith.extf %p : f16 to f32
      %right = arith.extf %weight : f16 to f32
      %product = arith.mulf %left, %right : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    %u = krnl.compute [m, n] (%p = %r[m, n], %t = %c[n]) -> (%q = %d[m, n]) : (tensor<256x2048xf32>, tensor<2048xf16>) -> tensor<256x2048xf32> {
      %scale = arith.extf %t : f16 to f32
      %v = arith.addf %p, %scale : f32
      linalg.yield %v : f32
    }
    krnl.yield %u : tensor<256x2048xf32>
  } -> tensor<256x2048xf32>
  return %y : tensor<256x2048xf32>
}

// A factor of each pair of rows has 537 MB, and all operands 35 MB.
// CHECK-LABEL: func @large
// CHECK-NOT:     "large factor"
func.func @large(%x: tensor<512x512xf32>, %z: tensor<512x512xf32>, %w: tensor<512x32xf32>, %o: tensor<512x512x32xf32>) -> tensor<512x512x32xf32> {
  %y = krnl.kernel "large" loops [m = 512, l = 512, n = 32, k = 512] ins(%x, %z, %w : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x32xf32>) outs(%o : tensor<512x512x32xf32>) {
  ^bb0(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x32xf32>, %d: tensor<512x512x32xf32>):
    %r = krnl.compute [m, l, n | k] (%p = %a[m, k], %q = %b[l, k], %t = %c[k, n]) -> (%e = %d[m, l, n]) : (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x32xf32>) -> tensor<512x512x32xf32> {
      %both = arith.addf %p, %q : f32
      %tanh = math.tanh %both : f32
      %product = arith.mulf %tanh, %t : f32
      %next = arith.addf %e, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<512x512x32xf32>
  } -> tensor<512x512x32xf32>
  return %y : tensor<512x512x32xf32>
}

}
