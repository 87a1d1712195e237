// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s
//
// A launch on a device says which bytes of its buffers it accesses: of those that it
// accesses in part, by number, the bytes of a row, and those from the first one on up to
// the one after the last.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// 64 channels of 128, from 32 on: all bytes are one row. All of %x is read.
// CHECK-LABEL: func @channels(
// CHECK:         krnl.launch {{.+}}krnl.parts = array<i64: -1, 512, 128, 384>
func.func @channels(%x: tensor<1x64xf32>, %o: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %y = krnl.kernel "copy" loops [c = 64]
      ins(%x : tensor<1x64xf32>) outs(%o : tensor<1x128xf32>)
      recipe [block(c, 64) -> (c.o, c.t), fuse_outer(c.o, c.t), parallel(c.o), map(c.t, thread)] {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<1x128xf32>):
    %s = krnl.compute [c] (%p = %a[0, c]) -> (%q = %b[0, c + 32]) : (tensor<1x64xf32>) -> tensor<1x128xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<1x128xf32>
  } -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}

// Channels last: a part of each of 100 rows. Of two reads of %x the first channels of one
// and the last ones of the other are in the part.
// CHECK-LABEL: func @last(
// CHECK:         krnl.launch {{.+}}krnl.parts = array<i64: 0, 256, 8, 96, -1, 128, 0, 64>
func.func @last(%x: tensor<100x64xf32>, %o: tensor<100x32xf32>) -> tensor<100x32xf32> {
  %y = krnl.kernel "sum" loops [n = 100, c = 16]
      ins(%x : tensor<100x64xf32>) outs(%o : tensor<100x32xf32>)
      recipe [block(n, 64) -> (n.o, n.t), fuse_outer(n.o, n.t), parallel(n.o), map(n.t, thread)] {
  ^bb0(%a: tensor<100x64xf32>, %b: tensor<100x32xf32>):
    %s = krnl.compute [n, c] (%p = %a[n, c + 8], %q = %a[n, c + 2]) -> (%r = %b[n, c ...]) : (tensor<100x64xf32>, tensor<100x64xf32>) -> tensor<100x32xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<100x32xf32>
  } -> tensor<100x32xf32>
  return %y : tensor<100x32xf32>
}

// Where the payload computes indices any byte may be read.
// CHECK-LABEL: func @computed(
// CHECK:         krnl.launch
// CHECK-NOT:     krnl.parts
// CHECK:         return
func.func @computed(%x: tensor<100xf32>, %o: tensor<50xf32>) -> tensor<50xf32> {
  %y = krnl.kernel "last" loops [n = 50]
      ins(%x : tensor<100xf32>) outs(%o : tensor<50xf32>)
      recipe [block(n, 64) -> (n.o, n.t), fuse_outer(n.o, n.t), parallel(n.o), map(n.t, thread)] {
  ^bb0(%a: tensor<100xf32>, %b: tensor<50xf32>):
    %s = krnl.compute [n] (%p = %a[n ...]) -> (%q = %b[n]) : (tensor<100xf32>) -> tensor<50xf32> {
      %i = krnl.index n
      %c50 = arith.constant 50 : index
      %j = arith.addi %i, %c50 : index
      %v = tensor.extract %a[%j] : tensor<100xf32>
      %t = arith.addf %p, %v : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<50xf32>
  } -> tensor<50xf32>
  return %y : tensor<50xf32>
}
}
