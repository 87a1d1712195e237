// RUN: onnx-opt %s --split-input-file --krnl-lower-kernels --canonicalize --cse | FileCheck %s
//
// An index outside of the range becomes its first one, and the element zero, or the one that the access names;
// results are not stored there.

module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {

// Channels are vectors: all of one is outside, or nothing.
// CHECK-LABEL: func private @kernel_vectors_0(
// CHECK:         %[[AT:.+]] = arith.addi %{{.+}}, %c-1
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %c6
// CHECK:         %[[NEAR:.+]] = arith.select %[[INSIDE]], %[[AT]], %c0
// CHECK:         %[[X:.+]] = vector.load %{{.+}}[%[[NEAR]], %{{.+}}] : memref<6x8xf32>, vector<4xf32>
// CHECK:         arith.select %[[INSIDE]], %[[X]], %{{.+}} : vector<4xf32>
func.func @vectors(%x: tensor<6x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = krnl.kernel "vectors" loops [h = 8, c = 8] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x8xf32>) recipe [vectorize(c, 4)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x8xf32>):
    %r = krnl.compute [h, c] (%p = %a[h - 1 in 0 to 6, c]) -> (%q = %b[h, c]) : (tensor<6x8xf32>) -> tensor<8x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// Copies to shared memory fill with zeros outside; a range that begins in the tensor ends there, too.
// CHECK-LABEL: func private @kernel_copies_0(
// CHECK:         %[[I:.+]] = arith.cmpi ult, %{{.+}}, %c30
// CHECK:         arith.select %[[I]], %{{.+}}, %c1
// CHECK:         krnl.copy_async %{{.+}}, 1 if %[[I]] : memref<32x16xf32> to
func.func @copies(%x: tensor<32x16xf32>, %w: tensor<48x32xf32>, %o: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %y = krnl.kernel "copies" loops [h = 32, n = 32, r = 3, c = 16] ins(%x, %w : tensor<32x16xf32>, tensor<48x32xf32>) outs(%o : tensor<32x32xf32>)
      recipe [block(h, 4) -> (h.t, h.r), block(n, 4) -> (n.t, n.r), order(h.t, n.t, h.r, r, c, n.r), fuse_outer(h.t, n.t), map(h.t, thread), map(n.t, thread),
              unroll(h.r, 4), vectorize(n.r, 4), cache(0, at=r, in=shared), cache(1, at=r, in=shared), pipeline(r, 2)] {
  ^bb0(%a: tensor<32x16xf32>, %b: tensor<48x32xf32>, %d: tensor<32x32xf32>):
    %r = krnl.compute "mm" [h, n | r, c] (%p = %a[h + r - 1 in 1 to 31, c], %q = %b[r * 16 + c, n]) -> (%s = %d[h, n])
        : (tensor<32x16xf32>, tensor<48x32xf32>) -> tensor<32x32xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<32x32xf32>
  } -> tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// The end of a dimension is its size in the run. Vectors read what copies to shared memory have written, which are of one
// element along the range.
// CHECK-LABEL: func private @kernel_parts_0(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<?x32xf32>
// CHECK:         %[[SIZE:.+]] = memref.dim %[[W]], %c0
// CHECK:         %[[I:.+]] = arith.cmpi ult, %[[AT:.+]], %[[SIZE]]
// CHECK:         %[[NEAR:.+]] = arith.select %[[I]], %[[AT]], %c0
// CHECK:         krnl.copy_async %[[W]][%[[NEAR]], %{{.+}}] to %{{.+}}, 1 if %[[I]] :
// CHECK:         vector.load %{{.+}} : memref<{{[0-9]+}}xf32>, vector<4xf32>
func.func @parts(%x: tensor<32x32xf32>, %w: tensor<?x32xf32>, %o: tensor<32x?x32xf32>, %p: index) -> tensor<32x?x32xf32> {
  %y = krnl.kernel "parts" loops [h = 32, p = %p, n = 32, k = 32] ins(%x, %w : tensor<32x32xf32>, tensor<?x32xf32>) outs(%o : tensor<32x?x32xf32>)
      recipe [block(h, 4) -> (h.t, h.r), block(n, 4) -> (n.t, n.r), block(k, 8) -> (k.o, k.i), order(p, h.t, n.t, h.r, k.o, k.i, n.r), fuse_outer(p, h.t, n.t), parallel(p),
              map(h.t, thread), map(n.t, thread), unroll(h.r, 4), cache(1, at=k.o, in=shared), pipeline(k.o, 2), vectorize(n.r, 4)] {
  ^bb0(%a: tensor<32x32xf32>, %b: tensor<?x32xf32>, %d: tensor<32x?x32xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [h, p, n] () -> (%_ = %d[h, p, n]) : () -> tensor<32x?x32xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute "mm" [h, p, n | k] (%q = %a[h, k], %g = %b[p * 32 + n in 0 to ?, k]) -> (%s = %f[h, p, n])
        : (tensor<32x32xf32>, tensor<?x32xf32>) -> tensor<32x?x32xf32> {
      %0 = arith.mulf %q, %g : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<32x?x32xf32>
  } -> tensor<32x?x32xf32>
  return %y : tensor<32x?x32xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {

// CHECK-LABEL: func private @kernel_pool_0(
// CHECK-DAG:     %[[LOWEST:.+]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK:         %[[X:.+]] = vector.load %{{.+}} : memref<6x8xf32>, vector<4xf32>
// CHECK:         arith.select %{{.+}}, %[[X]], %[[LOWEST]] : vector<4xf32>
func.func @pool(%x: tensor<6x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = krnl.kernel "pool" loops [h = 8, c = 8] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x8xf32>) recipe [vectorize(c, 4)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x8xf32>):
    %r = krnl.compute [h, c] (%p = %a[h - 1 in 0 to 6 else 0xFF800000 : f32, c]) -> (%q = %b[h, c]) : (tensor<6x8xf32>) -> tensor<8x8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Integers have lowest elements, too.
// CHECK-LABEL: func private @kernel_bytes_{{[0-9]+}}(
// CHECK-DAG:     %[[LOWEST:.+]] = arith.constant -128 : i8
// CHECK:         %[[X:.+]] = memref.load %{{.+}} : memref<6xi8>
// CHECK:         arith.select %{{.+}}, %[[X]], %[[LOWEST]] : i8
func.func @bytes(%x: tensor<6xi8>, %o: tensor<8xi8>) -> tensor<8xi8> {
  %y = krnl.kernel "bytes" loops [h = 8] ins(%x : tensor<6xi8>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: tensor<6xi8>, %b: tensor<8xi8>):
    %r = krnl.compute [h] (%p = %a[h - 1 in 0 to 6 else -128 : i8]) -> (%q = %b[h]) : (tensor<6xi8>) -> tensor<8xi8> {
      linalg.yield %p : i8
    }
    krnl.yield %r : tensor<8xi8>
  } -> tensor<8xi8>
  return %y : tensor<8xi8>
}

// The last part of a result may be shorter.
// CHECK-LABEL: func private @kernel_parts_0(
// CHECK:         %[[FIRST:.+]] = arith.muli %{{.+}}, %c4
// CHECK:         %[[AT:.+]] = arith.addi %[[FIRST]], %{{.+}}
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %c10
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           memref.store
// CHECK:         }
func.func @parts(%x: tensor<10xf32>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %y = krnl.kernel "parts" loops [p = 3, k = 4] ins(%x : tensor<10xf32>) outs(%o : tensor<10xf32>) {
  ^bb0(%a: tensor<10xf32>, %b: tensor<10xf32>):
    %r = krnl.compute [p, k] (%e = %a[p * 4 + k in 0 to 10]) -> (%q = %b[p * 4 + k in 0 to 10]) : (tensor<10xf32>) -> tensor<10xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// So is that of a dimension of dynamic size.
// CHECK-LABEL: func private @kernel_dynamic_parts_0(
// CHECK:         %[[SIZE:.+]] = memref.dim
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %[[SIZE]]
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           memref.store
func.func @dynamic_parts(%o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y = krnl.kernel "dynamic_parts" loops [p = %n, k = 4] outs(%o : tensor<?xf32>) {
  ^bb0(%b: tensor<?xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %r = krnl.compute [p, k] () -> (%q = %b[p * 4 + k in 0 to ?]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// Lanes along sums of several loops that padded blocks reach beyond have one quotient
// by the last of these loops, where they begin at multiples of their number.
// CHECK-LABEL: func private @kernel_fused_sums_0(
// CHECK:         %[[LAST:.+]] = arith.minsi %{{.+}}, %c92 : index
// CHECK:         %[[R:.+]] = arith.divui %[[LAST]], %c32 : index
// CHECK:         arith.addi %{{.+}}, %[[R]] : index
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c16 : index
// CHECK:         vector.load %{{.+}} : memref<16x32xf32>, vector<4xf32>
// CHECK-NOT:     vector<4xindex>
// CHECK:         return
func.func @fused_sums(%x: tensor<16x32xf32>, %w: tensor<16x3x32xf32>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %y = krnl.kernel "fused_sums" loops [h = 16, n = 16, r = 3, c = 32] ins(%x, %w : tensor<16x32xf32>, tensor<16x3x32xf32>) outs(%o : tensor<16x16xf32>)
      recipe [order(h, n, r, c), fuse(r, c) -> s, block(s, 80, tail=pad) -> (s.p, s.q), block(s.q, 16) -> (s.o, s.i),
              fuse_outer(h, n), map(h, thread), map(n, thread), cache(0, at=s.o, in=shared), cache(1, at=s.o, in=shared)] {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<16x3x32xf32>, %d: tensor<16x16xf32>):
    %z = krnl.compute [h, n | r, c] (%p = %a[h + r - 1 in 0 to 16, c], %q = %b[n, r, c]) -> (%t = %d[h, n])
        : (tensor<16x32xf32>, tensor<16x3x32xf32>) -> tensor<16x16xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %t, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %z : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
}

// -----

module attributes {krnl.target = #krnl.target<vector_bytes = 16>} {

// An op without sums has vectors of which some lanes are outside.
// CHECK-LABEL: func private @kernel_lanes_0(
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : vector<4xindex>
// CHECK:         %[[NEAR:.+]] = arith.select %[[INSIDE]], %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xindex>
// CHECK:         %[[X:.+]] = vector.gather %{{.+}}[%c0] [%[[NEAR]]], %{{.+}} into vector<4xf32>
// CHECK:         arith.select %[[INSIDE]], %[[X]], %{{.+}} : vector<4xi1>, vector<4xf32>
func.func @lanes(%x: tensor<12xf32>, %o: tensor<16xf32>) -> tensor<16xf32> {
  %y = krnl.kernel "lanes" loops [i = 16] ins(%x : tensor<12xf32>) outs(%o : tensor<16xf32>) recipe [vectorize(i, 4)] {
  ^bb0(%a: tensor<12xf32>, %c: tensor<16xf32>):
    %r = krnl.compute [i] (%p = %a[i - 1 in 0 to 12]) -> (%q = %c[i]) : (tensor<12xf32>) -> tensor<16xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<16xf32>
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

}

// -----

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// Rows of an op without sums that begin anywhere are copied ahead in whole accesses, one more than their elements have, and
// read as far from the first one as they begin in memory. Nothing past the end of the tensor is read.
// CHECK-LABEL: func private @kernel_shifted_0(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: memref<32x?xf16>
// CHECK:         memref.alloca() {alignment = 16 : i64} : memref<2560xf16, 3>
// CHECK:         %[[NUMBER:.+]] = arith.remui %{{.+}}, %c5
// CHECK:         %[[H:.+]] = arith.divui %{{.+}}, %c5
// CHECK:         %[[KEYS:.+]] = memref.dim %[[M]], %c1
// CHECK:         %[[FIRST:.+]] = arith.muli %[[H]], %[[KEYS]]
// CHECK:         %[[ALL:.+]] = arith.muli %[[KEYS]], %c32
// CHECK:         %[[BEFORE:.+]] = arith.addi %[[ALL]], %c-1
// CHECK:         %[[LAST:.+]] = arith.divui %[[BEFORE]], %c8
// CHECK:         %[[ACCESS:.+]] = arith.divui %[[FIRST]], %c8
// CHECK:         %[[NEXT:.+]] = arith.addi %[[ACCESS]], %[[NUMBER]]
// CHECK:         %[[NEAR:.+]] = arith.minui %[[NEXT]], %[[LAST]]
// CHECK:         %[[FROM:.+]] = arith.muli %[[NEAR]], %c8
// CHECK:         %[[LEFT:.+]] = arith.subi %[[ALL]], %[[FROM]]
// CHECK:         %[[COUNT:.+]] = arith.minui %[[LEFT]], %c8
// CHECK:         krnl.copy_async %[[M]][%c0, %[[FROM]]] to %{{.+}}, 8 first %[[COUNT]] : memref<32x?xf16> to
// CHECK:         %[[SHIFT:.+]] = arith.remui %{{.+}}, %c8
// CHECK:         %[[AT:.+]] = arith.addi %{{.+}}, %[[SHIFT]]
// CHECK:         %[[X:.+]] = vector.load %{{.+}}[%[[AT]]] : memref<2560xf16>, vector<2xf16>
// CHECK:         arith.select %{{.+}}, %[[X]], %{{.+}} : vector<2xi1>, vector<2xf16>
func.func @shifted(%x: tensor<32x?xf16>, %p: index, %o: tensor<32x?x32xf16>) -> tensor<32x?x32xf16> {
  %y = krnl.kernel "shifted" loops [h = 32, p = %p, n = 32] ins(%x : tensor<32x?xf16>) outs(%o : tensor<32x?x32xf16>)
      recipe [block(n, 2) -> (n.f, n.c), order(h, p, n.f, n.c), map(h, thread), cache(0, at=p, in=shared), pipeline(p, 2), vectorize(n.c, 2)] {
  ^bb0(%a: tensor<32x?xf16>, %d: tensor<32x?x32xf16>, %m: index):
    %r = krnl.compute "row" [h, p, n] (%q = %a[h, p * 32 + n in 0 to ?]) -> (%s = %d[h, p, n]) : (tensor<32x?xf16>) -> tensor<32x?x32xf16> {
      linalg.yield %q : f16
    }
    krnl.yield %r : tensor<32x?x32xf16>
  } -> tensor<32x?x32xf16>
  return %y : tensor<32x?x32xf16>
}

}
