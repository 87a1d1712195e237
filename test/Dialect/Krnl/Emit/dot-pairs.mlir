// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-lower-kernels --canonicalize --cse --split-input-file | FileCheck %s

// The rows of a tile are extended to 16 bits in vectors of 16 along the sums, which
// come last in the slice. The products read a pair of it for all lanes, and extend
// the pairs of the packed columns.
// CHECK-LABEL: func private @kernel_wide_0(
// CHECK:         %[[ROWS:.+]] = memref.alloca() {{.*}} : memref<192xi16>
// CHECK:         scf.for
// CHECK:           %[[BYTES:.+]] = vector.load %{{.+}} : memref<4x48xi8>, vector<16xi8>
// CHECK:           %[[WIDE:.+]] = arith.extui %[[BYTES]] : vector<16xi8> to vector<16xi16>
// CHECK:           vector.store %[[WIDE]], %[[ROWS]]
// CHECK:         %[[W:.+]] = vector.load %{{.+}} : memref<1x24x8x2xi8>, vector<16xi8>
// CHECK:         %[[COLUMNS:.+]] = arith.extsi %[[W]] : vector<16xi8> to vector<16xi16>
// CHECK:         krnl.dot %{{.+}}, %{{.+}}, %[[COLUMNS]] : vector<8xi32>, vector<16xi16>
// CHECK-COUNT-3: krnl.dot
// CHECK-NOT:     krnl.dot
func.func @wide(%x: tensor<4x48xi8>, %o: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %w = krnl.constant dense<3> : tensor<48x8xi8>
  %y = krnl.kernel "wide" loops [m = 4, n = 8, k = 48]
      ins(%x, %w : tensor<4x48xi8>, tensor<48x8xi8>) outs(%o : tensor<4x8xi32>)
      recipe [block(n, 8) -> (n.o, n.r), block(m, 4) -> (m.o, m.r), block(k, 2) -> (k.o, k.q), order(m.o, n.o, k.o, k.q, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=8), pack(1, [n.o, k.o, n.r, k.q]), 1: dot(k.q), 1: cache(0, at=m.o, as=i16)] {
  ^bb0(%a: tensor<4x48xi8>, %b: tensor<48x8xi8>, %c: tensor<4x8xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<4x8xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<4x48xi8>, tensor<48x8xi8>) -> tensor<4x8xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<4x8xi32>
  } -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}

// -----

// An odd number of products leaves one byte, which the slice has in 16 bits, too.
// Without a slice the two bytes of a pair are loaded and extended.
// CHECK-LABEL: func private @kernel_odd_0(
// CHECK:         arith.extsi %{{.+}} : i8 to i16
// CHECK:         krnl.dot {{.+}} : vector<8xi32>, vector<16xi16>
// CHECK:         arith.trunci %{{.+}} : i16 to i8
// CHECK:         arith.muli %{{.+}} : vector<8xi32>
// CHECK-LABEL: func private @kernel_bytes_0(
// CHECK:         %[[PAIR:.+]] = vector.load %{{.+}} : memref<2x6xi8>, vector<2xi8>
// CHECK:         vector.bitcast %[[PAIR]] : vector<2xi8> to vector<1xi16>
// CHECK:         arith.extsi %{{.+}} : vector<16xi8> to vector<16xi16>
// CHECK:         krnl.dot {{.+}} : vector<8xi32>, vector<16xi16>
func.func @odd(%x: tensor<2x7xi8>, %z: tensor<2x6xi8>, %o: tensor<2x8xi32>) -> (tensor<2x8xi32>, tensor<2x8xi32>) {
  %w = krnl.constant dense<3> : tensor<7x8xi8>
  %v = krnl.constant dense<3> : tensor<6x8xi8>
  %y = krnl.kernel "odd" loops [m = 2, n = 8, k = 7]
      ins(%x, %w : tensor<2x7xi8>, tensor<7x8xi8>) outs(%o : tensor<2x8xi32>)
      recipe [block(m, 2) -> (m.o, m.r), block(k, 2, tail=peel) -> (k.o, k.q), order(m.o, k.o, k.q, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=8), pack(1, [k.o, n, k.q]), 1: dot(k.q), 1: cache(0, at=m.o, as=i16)] {
  ^bb0(%a: tensor<2x7xi8>, %b: tensor<7x8xi8>, %c: tensor<2x8xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x8xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<2x7xi8>, tensor<7x8xi8>) -> tensor<2x8xi32> {
      %u = arith.extsi %p : i8 to i32
      %v2 = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v2 : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x8xi32>
  } -> tensor<2x8xi32>
  %y2 = krnl.kernel "bytes" loops [m = 2, n = 8, k = 6]
      ins(%z, %v : tensor<2x6xi8>, tensor<6x8xi8>) outs(%o : tensor<2x8xi32>)
      recipe [block(k, 2) -> (k.o, k.q), order(k.o, k.q, m, n), register_tile(m, n, lanes=8), pack(1, [k.o, n, k.q]), 1: dot(k.q)] {
  ^bb0(%a: tensor<2x6xi8>, %b: tensor<6x8xi8>, %c: tensor<2x8xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x8xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<2x6xi8>, tensor<6x8xi8>) -> tensor<2x8xi32> {
      %u = arith.extsi %p : i8 to i32
      %v2 = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v2 : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x8xi32>
  } -> tensor<2x8xi32>
  return %y, %y2 : tensor<2x8xi32>, tensor<2x8xi32>
}
