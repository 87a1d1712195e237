// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-annotate-costs --krnl-lower-kernels --canonicalize | FileCheck %s

// 64 elements in four steps, one tile; each is read, negated and written.
// CHECK-LABEL: func @static
// CHECK:         krnl.launch @{{.+}} {krnl.cycles = {{\[}}[{{[0-9.]+}}e+01]], krnl.tile_cycles = {{[0-9][0-9]}} : i64, krnl.work = {bytes = 512 : i64, operations = {f32 = 64 : i64}}}
func.func @static(%x: tensor<64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %y = krnl.kernel "k" loops [i = 64] ins(%x : tensor<64xf32>) outs(%o : tensor<64xf32>) recipe [vectorize(i, 16)] {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%_ = %b[i]) : (tensor<64xf32>) -> tensor<64xf32> {
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// The cycles of one element, times both extents, inputs 1 and 2 of the launch, of
// which the second is the outer loop's.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.launch @{{.+}} ins(%arg0, %[[M:.+]], %[[N:.+]] : {{.+}} {krnl.cycles = {{\[}}[{{.+}}, 1, 2]], krnl.tile_cycles = {{[0-9]+}} : i64, krnl.work = {bytes = {{.+}}, operations = {f32 = {{\[}}[1, 0, 1]]}, sizes = {{\[}}[1], [2], {{.+}}]}}
func.func @dynamic(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %y = krnl.kernel "k" loops [m = %m, n = %n] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) recipe [vectorize(n, 16)] {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %rows: index, %columns: index):
    %r = krnl.compute [m, n] (%p = %a[m, n]) -> (%_ = %b[m, n]) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      %e = math.exp %p : f32
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// All 16 MiB of %b are read again for each m, from the third cache.
// CHECK-LABEL: func @reads_again
// CHECK:         krnl.launch @{{.+}} {krnl.cycles = {{\[}}[{{2\.[0-9]+}}e+07]],
func.func @reads_again(%x: tensor<16x1024xf32>, %w: tensor<1024x4096xf32>, %o: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %y = krnl.kernel "k" loops [m = 16, k = 1024, n = 4096] ins(%x, %w : tensor<16x1024xf32>, tensor<1024x4096xf32>) outs(%o : tensor<16x4096xf32>) recipe [order(m, k, n), vectorize(n, 16)] {
  ^bb0(%a: tensor<16x1024xf32>, %b: tensor<1024x4096xf32>, %c: tensor<16x4096xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n]) : (tensor<16x1024xf32>, tensor<1024x4096xf32>) -> tensor<16x4096xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<16x4096xf32>
  } -> tensor<16x4096xf32>
  return %y : tensor<16x4096xf32>
}

// With m inside, %b is read once, and the 256 KiB of the result stay in the second cache.
// CHECK-LABEL: func @reads_once
// CHECK:         krnl.launch @{{.+}} {krnl.cycles = {{\[}}[{{1\.2[0-9]+}}e+07]],
func.func @reads_once(%x: tensor<16x1024xf32>, %w: tensor<1024x4096xf32>, %o: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %y = krnl.kernel "k" loops [m = 16, k = 1024, n = 4096] ins(%x, %w : tensor<16x1024xf32>, tensor<1024x4096xf32>) outs(%o : tensor<16x4096xf32>) recipe [order(k, m, n), vectorize(n, 16)] {
  ^bb0(%a: tensor<16x1024xf32>, %b: tensor<1024x4096xf32>, %c: tensor<16x4096xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n]) : (tensor<16x1024xf32>, tensor<1024x4096xf32>) -> tensor<16x4096xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<16x4096xf32>
  } -> tensor<16x4096xf32>
  return %y : tensor<16x4096xf32>
}

// More cycles than an integer holds are as many as it does.
// CHECK-LABEL: func @endless
// CHECK:         krnl.tile_cycles = 9223372036854775807 : i64
func.func @endless(%x: tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>, %o: tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>, %e0: index, %e1: index, %e2: index, %e3: index, %e4: index, %e5: index, %e6: index, %e7: index, %e8: index, %e9: index, %e10: index, %e11: index) -> tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32> {
  %y = krnl.kernel "k" loops [d0 = %e0, d1 = %e1, d2 = %e2, d3 = %e3, d4 = %e4, d5 = %e5, d6 = %e6, d7 = %e7, d8 = %e8, d9 = %e9, d10 = %e10, d11 = %e11] ins(%x : tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>) outs(%o : tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>, %b: tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>, %f0: index, %f1: index, %f2: index, %f3: index, %f4: index, %f5: index, %f6: index, %f7: index, %f8: index, %f9: index, %f10: index, %f11: index):
    %r = krnl.compute [d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11] (%p = %a[d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11]) -> (%_ = %b[d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11]) : (tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32> {
      %n = math.exp %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %r : tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>
  } -> tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?x?x?x?x?x?x?x?xf32>
}

// Rows at computed indices are read as vectors, single elements one by one.
// CHECK-LABEL: func @rows
// CHECK:         krnl.launch @{{.+}} {krnl.cycles = {{\[}}[{{[1-9]\.[0-9]+}}e+02]],
func.func @rows(%x: tensor<8x512xf32>, %i: tensor<4xindex>, %o: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %y = krnl.kernel "k" loops [m = 4, n = 512] ins(%x, %i : tensor<8x512xf32>, tensor<4xindex>) outs(%o : tensor<4x512xf32>) recipe [vectorize(n, 16)] {
  ^bb0(%a: tensor<8x512xf32>, %b: tensor<4xindex>, %c: tensor<4x512xf32>):
    %size = arith.constant 8 : index
    %r = krnl.compute [m, n] (%row = %b[m]) -> (%_ = %c[m, n]) : (tensor<4xindex>) -> tensor<4x512xf32> {
      %at = krnl.wrap_index %row, %size, "bad row"
      %n = krnl.index n
      %e = tensor.extract %a[%at, %n] : tensor<8x512xf32>
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<4x512xf32>
  } -> tensor<4x512xf32>
  return %y : tensor<4x512xf32>
}

// CHECK-LABEL: func @elements
// CHECK:         krnl.launch @{{.+}} {krnl.cycles = {{\[}}[{{[1-9]\.[0-9]+}}e+03]],
func.func @elements(%x: tensor<512x8xf32>, %i: tensor<4xindex>, %o: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %y = krnl.kernel "k" loops [m = 4, n = 512] ins(%x, %i : tensor<512x8xf32>, tensor<4xindex>) outs(%o : tensor<4x512xf32>) recipe [vectorize(n, 16)] {
  ^bb0(%a: tensor<512x8xf32>, %b: tensor<4xindex>, %c: tensor<4x512xf32>):
    %size = arith.constant 8 : index
    %r = krnl.compute [m, n] (%column = %b[m]) -> (%_ = %c[m, n]) : (tensor<4xindex>) -> tensor<4x512xf32> {
      %at = krnl.wrap_index %column, %size, "bad column"
      %n = krnl.index n
      %e = tensor.extract %a[%n, %at] : tensor<512x8xf32>
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<4x512xf32>
  } -> tensor<4x512xf32>
  return %y : tensor<4x512xf32>
}

// Sums of products of 16-bit floats have their own rate, which devices have.
// CHECK-LABEL: func @narrow_factors
// CHECK:         krnl.launch @{{.+}} krnl.work = {bytes = {{[0-9]+}} : i64, operations = {f16 = 2048 : i64}}}
func.func @narrow_factors(%x: tensor<4x16xf16>, %w: tensor<16x16xf16>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = krnl.kernel "k" loops [m = 4, k = 16, n = 16] ins(%x, %w : tensor<4x16xf16>, tensor<16x16xf16>) outs(%o : tensor<4x16xf32>) recipe [order(m, k, n), vectorize(n, 16)] {
  ^bb0(%a: tensor<4x16xf16>, %b: tensor<16x16xf16>, %c: tensor<4x16xf32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n]) : (tensor<4x16xf16>, tensor<16x16xf16>) -> tensor<4x16xf32> {
      %pw = arith.extf %p : f16 to f32
      %qw = arith.extf %q : f16 to f32
      %t = arith.mulf %pw, %qw : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<4x16xf32>
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
