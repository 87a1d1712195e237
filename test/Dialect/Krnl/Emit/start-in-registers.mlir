// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// The sums start from a value that is known: it is not written first to be read
// again, though the two ops share no loop.
// CHECK-LABEL: func private @kernel_sums_0(
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NOT:     memref.store %[[ZERO]]
// CHECK:         scf.for {{.+}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         return
func.func @sums(%x: tensor<8x40xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "sums" loops [i = 8, k = 40] ins(%x : tensor<8x40xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x40xf32>, %b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<8xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [i | k] (%p = %a[i, k]) -> (%q = %f[i]) : (tensor<8x40xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Where the reduced loop is outside of one that is not, what there is so far is in
// memory, and so is the start.
// CHECK-LABEL: func private @kernel_outside_0(
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         memref.store %[[ZERO]]
// CHECK:         memref.load
// CHECK:         memref.store
// CHECK:         return
func.func @outside(%x: tensor<8x40xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "outside" loops [i = 8, k = 40] ins(%x : tensor<8x40xf32>) outs(%o : tensor<8xf32>)
      recipe [order(k, i)] {
  ^bb0(%a: tensor<8x40xf32>, %b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [i] () -> (%q = %b[i]) : () -> tensor<8xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [i | k] (%p = %a[i, k]) -> (%q = %f[i]) : (tensor<8x40xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// What goes to a part of a larger tensor is passed in registers all the same: the
// next op takes up and writes the very elements.
// CHECK-LABEL: func private @kernel_part_0(
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NOT:     memref.store
// CHECK:         %[[SUM:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK-NOT:     memref.store
// CHECK:         %[[LARGER:.+]] = arith.maximumf %[[SUM]], %[[ZERO]]
// CHECK:         memref.store %[[LARGER]], %arg2
// CHECK-NOT:     memref.store
// CHECK:         return
func.func @part(%x: tensor<8x40xf32>, %bytes: tensor<8xi8>, %o: tensor<10xf32>) -> tensor<10xf32> {
  %y = krnl.kernel "part" loops [i = 8, k = 40] ins(%x, %bytes : tensor<8x40xf32>, tensor<8xi8>) outs(%o : tensor<10xf32>)
      recipe [order(i, k), fuse_outer(i)] {
  ^bb0(%a: tensor<8x40xf32>, %unread: tensor<8xi8>, %b: tensor<10xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [i] (%p = %unread[i]) -> (%q = %b[i + 1]) : (tensor<8xi8>) -> tensor<10xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [i | k] (%p = %a[i, k], %n = %unread[i]) -> (%q = %f[i + 1])
        : (tensor<8x40xf32>, tensor<8xi8>) -> tensor<10xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    %r = krnl.compute [i] (%n = %unread[i]) -> (%q = %s[i + 1]) : (tensor<8xi8>) -> tensor<10xf32> {
      %m = arith.maximumf %q, %zero : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<10xf32>
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}
