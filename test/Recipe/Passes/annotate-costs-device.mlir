// RUN: onnx-opt %s --krnl-annotate-costs | FileCheck %s
//
// The cost of a launch on a device is a number: that with the extents that the host computes where
// dynamic sizes are 32.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// CHECK-LABEL: func @static
// CHECK:         krnl.kernel "relu" loops [m = 32, n = 1024]
// CHECK-SAME:      attributes {krnl.cycles = {{\[\[}}[[CYCLES:[0-9.e+]+]]{{\]\]}}, krnl.roofline_cycles = [[LEAST:[^,]+]],
func.func @static(%x: tensor<32x1024xf32>, %o: tensor<32x1024xf32>) -> tensor<32x1024xf32> {
  %y = krnl.kernel "relu" loops [m = 32, n = 1024] ins(%x : tensor<32x1024xf32>) outs(%o : tensor<32x1024xf32>) recipe [block(n, 256) -> (n.o, n.i), order(m, n.o, n.i), fuse_outer(m, n.o), parallel(m, n.o), map(n.i, thread)] {
  ^bb0(%a: tensor<32x1024xf32>, %c: tensor<32x1024xf32>):
    %r = krnl.compute [m, n] (%p = %a[m, n]) -> (%s = %c[m, n]) : (tensor<32x1024xf32>) -> tensor<32x1024xf32> {
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<32x1024xf32>
  } -> tensor<32x1024xf32>
  return %y : tensor<32x1024xf32>
}

// 32 + 992 rows in parts of 32.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.kernel "relu" loops [m = %{{.+}}, n = 1024]
// CHECK-SAME:      attributes {krnl.cycles = {{\[\[}}[[CYCLES]]{{\]\]}}, krnl.roofline_cycles = [[LEAST]],
func.func @dynamic(%x: tensor<?x1024xf32>, %o: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c992 = arith.constant 992 : index
  %dim = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %sum = arith.addi %dim, %c992 : index
  %m = arith.ceildivsi %sum, %c32 : index
  %y = krnl.kernel "relu" loops [m = %m, n = 1024] ins(%x : tensor<?x1024xf32>) outs(%o : tensor<?x1024xf32>) recipe [block(n, 256) -> (n.o, n.i), order(m, n.o, n.i), fuse_outer(m, n.o), parallel(m, n.o), map(n.i, thread)] {
  ^bb0(%a: tensor<?x1024xf32>, %c: tensor<?x1024xf32>, %rows: index):
    %r = krnl.compute [m, n] (%p = %a[m, n]) -> (%s = %c[m, n]) : (tensor<?x1024xf32>) -> tensor<?x1024xf32> {
      %t = arith.addf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?x1024xf32>
  } -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
}
