// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=SINGLE
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m55" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=LONG

// Four bytes of a row are one load for all lanes; those of the packed columns lie
// in a line. 24 = 6 * 4: no tail.
// CHECK-LABEL: func private @kernel_packed_0(
// CHECK:         scf.for {{.+}} iter_args({{.+}}) -> (vector<16xi32>, vector<16xi32>)
// CHECK:           %[[GROUP:.+]] = vector.load %{{.+}} : memref<2x24xi8>, vector<4xi8>
// CHECK:           %[[WORD:.+]] = vector.bitcast %[[GROUP]] : vector<4xi8> to vector<1xi32>
// CHECK:           %[[X:.+]] = vector.bitcast %{{.+}} : vector<16xi32> to vector<64xi8>
// CHECK:           %[[W:.+]] = vector.load %{{.+}} : memref<1x6x16x4xi8>, vector<64xi8>
// CHECK:           krnl.dot %{{.+}}, %[[X]], %[[W]] {rhsSigned} : vector<16xi32>, vector<64xi8>
// CHECK:           krnl.dot
// CHECK-NOT:     krnl.dot
func.func @packed(%x: tensor<2x24xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  %w = krnl.constant dense<3> : tensor<24x16xi8>
  %y = krnl.kernel "packed" loops [m = 2, n = 16, k = 24]
      ins(%x, %w : tensor<2x24xi8>, tensor<24x16xi8>) outs(%o : tensor<2x16xi32>)
      recipe [block(n, 16) -> (n.o, n.r), block(k, 4) -> (k.o, k.q), order(n.o, k.o, k.q, m, n.r), fuse_outer(n.o), register_tile(m, n.r, lanes=16), pack(1, [n.o, k.o, n.r, k.q]), 1: dot(k.q)] {
  ^bb0(%a: tensor<2x24xi8>, %b: tensor<24x16xi8>, %c: tensor<2x16xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x16xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<2x24xi8>, tensor<24x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}

// 7 = 4 + 3: the last group of a row is put together from three bytes, while the
// packed operand has a fourth one of zero.
// CHECK-LABEL: func private @kernel_tail_0(
// CHECK:         vector.load %{{.+}} : memref<2x7xi8>, vector<4xi8>
// CHECK:         krnl.dot
// CHECK:         krnl.dot
// CHECK-COUNT-3: memref.load %{{.+}} : memref<2x7xi8>
// CHECK-NOT:     memref.load %{{.+}} : memref<2x7xi8>
// CHECK:         krnl.dot {{.+}} {lhsSigned, rhsSigned} : vector<16xi32>, vector<64xi8>
func.func @tail(%x: tensor<2x7xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  %w = krnl.constant dense<3> : tensor<7x16xi8>
  %y = krnl.kernel "tail" loops [m = 2, n = 16, k = 7]
      ins(%x, %w : tensor<2x7xi8>, tensor<7x16xi8>) outs(%o : tensor<2x16xi32>)
      recipe [block(k, 4, tail=peel) -> (k.o, k.q), order(k.o, k.q, m, n), register_tile(m, n, lanes=16), pack(1, [k.o, n, k.q]), 1: dot(k.q)] {
  ^bb0(%a: tensor<2x7xi8>, %b: tensor<7x16xi8>, %c: tensor<2x16xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x16xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<2x7xi8>, tensor<7x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extsi %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}

// A window that has an element after the last group reads all four.
// CHECK-LABEL: func private @kernel_tail_of_windows_0(
// CHECK-COUNT-4: vector.load %{{.+}} : memref<9xi8>, vector<4xi8>
// CHECK-NOT:     memref.load %{{.+}} : memref<9xi8>
// CHECK:         return
func.func @tail_of_windows(%x: tensor<9xi8>, %o: tensor<2x16xi32>) -> tensor<2x16xi32> {
  %w = krnl.constant dense<3> : tensor<7x16xi8>
  %y = krnl.kernel "tail_of_windows" loops [m = 2, n = 16, k = 7]
      ins(%x, %w : tensor<9xi8>, tensor<7x16xi8>) outs(%o : tensor<2x16xi32>)
      recipe [block(k, 4, tail=peel) -> (k.o, k.q), order(k.o, k.q, m, n), register_tile(m, n, lanes=16), pack(1, [k.o, n, k.q]), 1: dot(k.q)] {
  ^bb0(%a: tensor<9xi8>, %b: tensor<7x16xi8>, %c: tensor<2x16xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x16xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m + k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<9xi8>, tensor<7x16xi8>) -> tensor<2x16xi32> {
      %u = arith.extsi %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x16xi32>
  } -> tensor<2x16xi32>
  return %y : tensor<2x16xi32>
}

// Without vectors the groups are those of single sums, if the processor has
// instructions for them: both operands are words. Elsewhere bytes are multiplied one
// after the other.
// SINGLE-LABEL: func private @kernel_single_0(
// SINGLE:         scf.for {{.+}} iter_args({{.+}}) -> (i32, i32, i32, i32)
// SINGLE-COUNT-2:   vector.load %{{.+}} : memref<2x8xi8>, vector<4xi8>
// SINGLE:           krnl.dot %{{.+}} {rhsSigned} : vector<1xi32>, vector<4xi8>
// SINGLE-COUNT-3:   krnl.dot
// SINGLE-NOT:       arith.muli
// SINGLE:         return
// CHECK-LABEL: func private @kernel_single_0(
// CHECK-NOT:     krnl.dot
// CHECK:         return
func.func @single(%x: tensor<2x8xi8>, %w: tensor<2x8xi8>, %o: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %y = krnl.kernel "single" loops [m = 2, n = 2, k = 8]
      ins(%x, %w : tensor<2x8xi8>, tensor<2x8xi8>) outs(%o : tensor<2x2xi32>)
      recipe [block(k, 4) -> (k.o, k.q), order(k.o, k.q, m, n), register_tile(m, n, lanes=1), 1: dot(k.q)] {
  ^bb0(%a: tensor<2x8xi8>, %b: tensor<2x8xi8>, %c: tensor<2x2xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<2x2xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[n, k]) -> (%s = %f[m, n])
        : (tensor<2x8xi8>, tensor<2x8xi8>) -> tensor<2x2xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<2x2xi32>
  } -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// Sixteen bytes are for one sum: this op has the columns of the tile one by one, and the
// next one puts its lanes together. 40 = 2 * 16 + 8: what the last group lacks is not
// read. Six columns are a vector of four and one of two.
// LONG-LABEL: func private @kernel_long_0(
// LONG:         %[[MASK:.+]] = arith.constant dense<[true, true, true, true, true, true, true, true, false,
// LONG:         scf.for {{.+}} iter_args({{.+}}) -> (i32, i32, i32, i32, i32, i32)
// LONG:           %[[X:.+]] = vector.load %{{.+}} : memref<1x40xi8>, vector<16xi8>
// LONG:           %[[W:.+]] = vector.load %{{.+}} : memref<{{.+}}x16xi8>, vector<16xi8>
// LONG:           krnl.dot %{{.+}}, %[[X]], %[[W]] {lhsSigned, rhsSigned} : vector<1xi32>, vector<16xi8>
// LONG-COUNT-5:   krnl.dot
// LONG-NOT:     memref.load
// LONG:         vector.maskedload %{{.+}}, %[[MASK]], %{{.+}} : memref<1x40xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
// LONG-COUNT-6: krnl.dot
// LONG-NOT:     krnl.dot
// LONG:         vector.from_elements %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi32>
// LONG:         arith.maxsi %{{.+}} : vector<4xi32>
// LONG:         vector.store
// LONG:         vector.from_elements
// LONG:         vector.maskedstore
// CHECK-LABEL: func private @kernel_long_0(
// CHECK-NOT:     krnl.dot
// CHECK:         return
func.func @long(%x: tensor<1x40xi8>, %o: tensor<1x6xi32>) -> tensor<1x6xi32> {
  %w = krnl.constant dense<3> : tensor<40x6xi8>
  %y = krnl.kernel "long" loops [m = 1, n = 6, k = 40]
      ins(%x, %w : tensor<1x40xi8>, tensor<40x6xi8>) outs(%o : tensor<1x6xi32>)
      recipe [block(k, 16, tail=peel) -> (k.o, k.q), order(k.o, k.q, m, n), register_tile(m, n, lanes=4), pack(1, [k.o, n, k.q]), 1: dot(k.q)] {
  ^bb0(%a: tensor<1x40xi8>, %b: tensor<40x6xi8>, %c: tensor<1x6xi32>):
    %zero = arith.constant 0 : i32
    %t = krnl.temporary : tensor<1x6xi32>
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<1x6xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<1x40xi8>, tensor<40x6xi8>) -> tensor<1x6xi32> {
      %u = arith.extsi %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %d = arith.addi %s, %m : i32
      linalg.yield %d : i32
    }
    %g = krnl.compute [m, n] (%p = %r[m, n]) -> (%_ = %c[m, n]) : (tensor<1x6xi32>) -> tensor<1x6xi32> {
      %d = arith.maxsi %p, %zero : i32
      linalg.yield %d : i32
    }
    krnl.yield %g : tensor<1x6xi32>
  } -> tensor<1x6xi32>
  return %y : tensor<1x6xi32>
}
