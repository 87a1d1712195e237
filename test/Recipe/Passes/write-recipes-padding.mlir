// RUN: onnx-opt %s --convert-onnx-to-krnl --canonicalize --krnl-fuse --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes --krnl-merge | FileCheck %s

// What is padded is larger than the caches: each channel is padded, and pooled
// while it is there.
// CHECK-LABEL: func.func @large
// CHECK:         krnl.kernel "pad+MaxPool"
// CHECK-SAME:      recipe [{{.*}}fuse_outer(p1)
func.func @large(%x: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
  return %y : tensor<1x64x56x56xf32>
}

// This one stays there in any case.
// CHECK-LABEL: func.func @small
// CHECK:         krnl.kernel "pad"
// CHECK:         krnl.kernel "MaxPool"
// CHECK-SAME:      fuse_outer(c, o0
func.func @small(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x14x14xf32> {
  %y = onnx.MaxPool(%x) {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x64x28x28xf32>) -> tensor<1x64x14x14xf32>
  return %y : tensor<1x64x14x14xf32>
}

// An image whose channels are to lie along memory is turned as it is padded, 14
// pixels of 16 channels at a time.
// CHECK-LABEL: func.func @turned
// CHECK:         krnl.kernel "pad"
// CHECK-SAME:      1: unroll(d3, 14), vectorize(p1.i, 16)
func.func @turned(%x: tensor<64x28x28xf32>, %o: tensor<30x30x64xf32>) -> tensor<30x30x64xf32> {
  %y = krnl.kernel "pad" loops [p2 = 30, p3 = 30, p1 = 64, d2 = 28, d3 = 28]
      ins(%x : tensor<64x28x28xf32>) outs(%o : tensor<30x30x64xf32>) {
  ^bb0(%a: tensor<64x28x28xf32>, %b: tensor<30x30x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p2, p3, p1] () -> (%q = %b[p2, p3, p1]) : () -> tensor<30x30x64xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [p1, d2, d3] (%p = %a[p1, d2, d3]) -> (%q = %f[d2 + 1, d3 + 1, p1])
        : (tensor<64x28x28xf32>) -> tensor<30x30x64xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<30x30x64xf32>
  } -> tensor<30x30x64xf32>
  return %y : tensor<30x30x64xf32>
}

// Rows shorter than a square are transposed as a whole, bytes in lines of half a register.
// CHECK-LABEL: func.func @short_rows
// CHECK:         krnl.kernel "pad"
// CHECK-SAME:      1: unroll(d3, 7), vectorize(p1.i, 32)
func.func @short_rows(%x: tensor<64x7x7xi8>, %o: tensor<9x9x64xi8>) -> tensor<9x9x64xi8> {
  %y = krnl.kernel "pad" loops [p2 = 9, p3 = 9, p1 = 64, d2 = 7, d3 = 7]
      ins(%x : tensor<64x7x7xi8>) outs(%o : tensor<9x9x64xi8>) {
  ^bb0(%a: tensor<64x7x7xi8>, %b: tensor<9x9x64xi8>):
    %zero = arith.constant 0 : i8
    %f = krnl.compute [p2, p3, p1] () -> (%q = %b[p2, p3, p1]) : () -> tensor<9x9x64xi8> {
      linalg.yield %zero : i8
    }
    %s = krnl.compute [p1, d2, d3] (%p = %a[p1, d2, d3]) -> (%q = %f[d2 + 1, d3 + 1, p1])
        : (tensor<64x7x7xi8>) -> tensor<9x9x64xi8> {
      linalg.yield %p : i8
    }
    krnl.yield %s : tensor<9x9x64xi8>
  } -> tensor<9x9x64xi8>
  return %y : tensor<9x9x64xi8>
}

// Eight rows take fewer steps than fourteen.
// CHECK-LABEL: func.func @power_of_two_rows
// CHECK:         krnl.kernel "pad"
// CHECK-SAME:      1: unroll(d3, 8), vectorize(p1.i, 32)
func.func @power_of_two_rows(%x: tensor<64x56x56xi8>, %o: tensor<58x58x64xi8>) -> tensor<58x58x64xi8> {
  %y = krnl.kernel "pad" loops [p2 = 58, p3 = 58, p1 = 64, d2 = 56, d3 = 56]
      ins(%x : tensor<64x56x56xi8>) outs(%o : tensor<58x58x64xi8>) {
  ^bb0(%a: tensor<64x56x56xi8>, %b: tensor<58x58x64xi8>):
    %zero = arith.constant 0 : i8
    %f = krnl.compute [p2, p3, p1] () -> (%q = %b[p2, p3, p1]) : () -> tensor<58x58x64xi8> {
      linalg.yield %zero : i8
    }
    %s = krnl.compute [p1, d2, d3] (%p = %a[p1, d2, d3]) -> (%q = %f[d2 + 1, d3 + 1, p1])
        : (tensor<64x56x56xi8>) -> tensor<58x58x64xi8> {
      linalg.yield %p : i8
    }
    krnl.yield %s : tensor<58x58x64xi8>
  } -> tensor<58x58x64xi8>
  return %y : tensor<58x58x64xi8>
}

// The copied middle has lanes. Elements of the borders are gathered one by one, so
// their loops are not those of the vectors, however long they may be.
// CHECK-LABEL: func.func @copied_middle
// CHECK:         krnl.kernel "Pad"
// CHECK-SAME:      parallel(d0.tile), 0: vectorize(middle, 16)]
func.func @copied_middle(%x: tensor<4x?xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<4x?xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
