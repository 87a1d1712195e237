// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-lower-kernels --canonicalize --cse --split-input-file | FileCheck %s

// A byte for each panel and group says whether the sums of two groups from there on may be
// too long for 16 bits; the copies of k.o are two groups.
// CHECK-LABEL: func.func @short(
// CHECK-DAG:     %[[W:.+]] = krnl.constant dense<3> : tensor<48x16xi8> layout <dims = [1, 0, 1, 0], sizes = [2, 12, 8, 4], strides = [8, 4, 1, 1]>
// CHECK-DAG:     %[[L:.+]] = krnl.constant dense<3> : tensor<48x16xi8> layout <dims = [1, 0, 1, 0], sizes = [2, 12, 8, 4], strides = [8, 4, 1, 1], long_sums = [1, 2]>
// CHECK:         krnl.launch @kernel_short_0 ins(%{{.+}}, %[[W]], %[[L]] :
// CHECK-LABEL: func private @kernel_short_0(
// CHECK-SAME:    %[[X:.+]]: memref<4x48xi8>, %{{.+}}: memref<2x12x8x4xi8>, %[[LONG:.+]]: memref<2x12xi8>,
// CHECK:         %[[ONES:.+]] = arith.constant dense<1> : vector<16xi16>
// CHECK:         scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %c2
// CHECK:           %[[BYTE:.+]] = memref.load %[[LONG]][%{{.+}}, %[[K]]]
// CHECK:           %[[FITS:.+]] = arith.cmpi eq, %[[BYTE]]
// CHECK:           scf.if %[[FITS]]
// CHECK:             %[[P0:.+]] = krnl.pair_sums %{{.+}}, %{{.+}} : vector<32xi8> -> vector<16xi16>
// CHECK:             %[[P1:.+]] = krnl.pair_sums %{{.+}}, %{{.+}} : vector<32xi8> -> vector<16xi16>
// CHECK:             %[[P:.+]] = arith.addi %[[P0]], %[[P1]] : vector<16xi16>
// CHECK:             krnl.dot %{{.+}}, %[[P]], %[[ONES]] : vector<8xi32>, vector<16xi16>
// CHECK-COUNT-6:     krnl.pair_sums
// CHECK-NOT:         krnl.pair_sums
// CHECK:           } else {
// CHECK-COUNT-8:     krnl.dot {{.*}} {rhsSigned} : vector<8xi32>, vector<32xi8>
// CHECK-NOT:         krnl.dot
// CHECK:             scf.yield
func.func @short(%x: tensor<4x48xi8>, %o: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %w = krnl.constant dense<3> : tensor<48x16xi8>
  %y = krnl.kernel "short" loops [m = 4, n = 16, k = 48]
      ins(%x, %w : tensor<4x48xi8>, tensor<48x16xi8>) outs(%o : tensor<4x16xi32>)
      recipe [block(n, 8) -> (n.o, n.r), block(m, 4) -> (m.o, m.r), block(k, 4) -> (k.o, k.q), order(m.o, n.o, k.o, k.q, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=8), pack(1, [n.o, k.o, n.r, k.q]), 1: dot(k.q, sums=i16), 1: unroll(k.o, 2)] {
  ^bb0(%a: tensor<4x48xi8>, %b: tensor<48x16xi8>, %c: tensor<4x16xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<4x16xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<4x48xi8>, tensor<48x16xi8>) -> tensor<4x16xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<4x16xi32>
  } -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// -----

// Of an operand that no constant is, all sums may be too long.
// CHECK-LABEL: func.func @unknown(
// CHECK-DAG:     %[[L:.+]] = krnl.constant dense<1> : tensor<1x12xi8>
// CHECK:         %[[W:.+]] = krnl.launch @kernel_pack_0
// CHECK:         krnl.launch @kernel_unknown_0 ins(%{{.+}}, %[[W]], %[[L]] :
func.func @unknown(%x: tensor<4x48xi8>, %w: tensor<48x8xi8>, %o: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %y = krnl.kernel "unknown" loops [m = 4, n = 8, k = 48]
      ins(%x, %w : tensor<4x48xi8>, tensor<48x8xi8>) outs(%o : tensor<4x8xi32>)
      recipe [block(n, 8) -> (n.o, n.r), block(m, 4) -> (m.o, m.r), block(k, 4) -> (k.o, k.q), order(m.o, n.o, k.o, k.q, m.r, n.r), fuse_outer(m.o, n.o), register_tile(m.r, n.r, lanes=8), pack(1, [n.o, k.o, n.r, k.q]), dot(k.q, sums=i16)] {
  ^bb0(%a: tensor<4x48xi8>, %b: tensor<48x8xi8>, %c: tensor<4x8xi32>):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n])
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

// Of numbers of 4 bits the sums of 8 groups fit, of the copies of both loops around: there is no table and no branch.
// CHECK-LABEL: func.func @nibbles(
// CHECK-NOT:     long_sums
// CHECK-LABEL: func private @kernel_nibbles_0(
// CHECK:         %[[ONES:.+]] = arith.constant dense<1> : vector<16xi16>
// CHECK-NOT:     scf.if
// CHECK-COUNT-7: arith.addi %{{.+}}, %{{.+}} : vector<16xi16>
// CHECK:         %[[SUM:.+]] = krnl.dot %{{.+}}, %{{.+}}, %[[ONES]] : vector<8xi32>, vector<16xi16>
// CHECK-COUNT-7: arith.addi %{{.+}}, %{{.+}} : vector<16xi16>
// CHECK:         krnl.dot %[[SUM]], %{{.+}}, %[[ONES]] : vector<8xi32>, vector<16xi16>
func.func @nibbles(%x: tensor<4x2x32xi8>, %w: tensor<8x32xi8>, %o: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %y = krnl.kernel "nibbles" loops [m = 4, n = 8, part = 2, byte = 32]
      ins(%x, %w : tensor<4x2x32xi8>, tensor<8x32xi8>) outs(%o : tensor<4x8xi32>)
      recipe [block(m, 2) -> (m.o, m.r), block(byte, 4) -> (byte.o, byte.q), order(m.o, byte.o, part, byte.q, m.r, n), fuse_outer(m.o), register_tile(m.r, n, lanes=8), pack(1, [byte.o, n, byte.q]), dot(byte.q, sums=i16), unroll(part, 2), unroll(byte.o, 8)] {
  ^bb0(%a: tensor<4x2x32xi8>, %b: tensor<8x32xi8>, %c: tensor<4x8xi32>):
    %r = krnl.compute [m, n | part, byte] (%p = %a[m, part, byte], %q = %b[n, byte]) -> (%s = %c[m, n])
        : (tensor<4x2x32xi8>, tensor<8x32xi8>) -> tensor<4x8xi32> {
      %part = krnl.index part
      %four = arith.constant 4 : index
      %from = arith.muli %part, %four : index
      %bits = arith.index_cast %from : index to i8
      %moved = arith.shrui %q, %bits : i8
      %mask = arith.constant 15 : i8
      %number = arith.andi %moved, %mask : i8
      %u = arith.extsi %p : i8 to i32
      %v = arith.extui %number : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<4x8xi32>
  } -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}
