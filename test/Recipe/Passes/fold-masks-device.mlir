// RUN: onnx-opt %s --krnl-fold-masks | FileCheck %s
//
// A device computes a mask of keys beside a causal one where it is read: all of it follows from a few elements.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// CHECK-LABEL: func @padded(
// CHECK-SAME:      %{{[^:]+}}: index, %{{[^:]+}}: index, %[[KEYS:[^:]+]]: tensor<?x1x1x?xf32>
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}}, %[[KEYS]] : tensor<?x2x?x?xf32>, tensor<?x1x1x?xf32>)
// CHECK:           krnl.compute [b, h, m, n] (%[[X:arg[0-9]+]] = %{{[^,]+}}[b, h, m, n], %[[K:arg[0-9]+]] = %{{[^,]+}}[b, 0, 0, n])
// CHECK:             %[[HIDDEN:.+]] = arith.cmpi sgt, %{{.+}}, %{{.+}} : index
// CHECK:             %[[CAUSAL:.+]] = arith.select %[[HIDDEN]], %{{.+}}, %{{.+}} : f32
// CHECK:             %[[MASK:.+]] = arith.addf %[[CAUSAL]], %[[K]] : f32
// CHECK:             arith.addf %[[X]], %[[MASK]] : f32
func.func @padded(%b: index, %n: index, %keys: tensor<?x1x1x?xf32>, %s: tensor<?x2x?x?xf32>, %o: tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32> {
  %f = tensor.empty(%b, %n, %n) : tensor<?x1x?x?xf32>
  %mask = krnl.kernel "mask" loops [i = %b, j = %n, k = %n] ins(%keys : tensor<?x1x1x?xf32>) outs(%f : tensor<?x1x?x?xf32>) {
  ^bb0(%x: tensor<?x1x1x?xf32>, %c: tensor<?x1x?x?xf32>, %batch: index, %extent: index, %other: index):
    %none = arith.constant 0xFF800000 : f32
    %r = krnl.compute [i, j, k] (%a = %x[i, 0, 0, k]) -> (%_ = %c[i, 0, j, k]) : (tensor<?x1x1x?xf32>) -> tensor<?x1x?x?xf32> {
      %row = krnl.index j
      %column = krnl.index k
      %hidden = arith.cmpi sgt, %column, %row : index
      %zero = arith.constant 0.0 : f32
      %p = arith.select %hidden, %none, %zero : f32
      %q = arith.addf %p, %a : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x1x?x?xf32>
  } -> tensor<?x1x?x?xf32>
  %y = krnl.kernel "add" loops [b = %b, h = 2, m = %n, n = %n] ins(%s, %mask : tensor<?x2x?x?xf32>, tensor<?x1x?x?xf32>) outs(%o : tensor<?x2x?x?xf32>) {
  ^bb0(%x: tensor<?x2x?x?xf32>, %w: tensor<?x1x?x?xf32>, %c: tensor<?x2x?x?xf32>, %batch: index, %extent: index, %other: index):
    %r = krnl.compute [b, h, m, n] (%u = %x[b, h, m, n], %v = %w[b, 0, m, n]) -> (%_ = %c[b, h, m, n]) : (tensor<?x2x?x?xf32>, tensor<?x1x?x?xf32>) -> tensor<?x2x?x?xf32> {
      %q = arith.addf %u, %v : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x2x?x?xf32>
  } -> tensor<?x2x?x?xf32>
  return %y : tensor<?x2x?x?xf32>
}

// Data of all elements is not computed again for each head.
// CHECK-LABEL: func @data(
// CHECK:         krnl.kernel "mask"
// CHECK:         krnl.kernel "add" {{.+}} ins(%{{[^,]+}}, %{{[^,]+}} : tensor<2x4x4xf32>, tensor<4x4xf32>)
func.func @data(%m: tensor<4x4xf32>, %s: tensor<2x4x4xf32>, %o: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %f = tensor.empty() : tensor<4x4xf32>
  %mask = krnl.kernel "mask" loops [j = 4, k = 4] ins(%m : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>):
    %r = krnl.compute [j, k] (%a = %x[j, k]) -> (%_ = %c[j, k]) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
      %row = krnl.index j
      %column = krnl.index k
      %hidden = arith.cmpi sgt, %column, %row : index
      %none = arith.constant 0xFF800000 : f32
      %p = arith.select %hidden, %none, %a : f32
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  %y = krnl.kernel "add" loops [h = 2, m = 4, n = 4] ins(%s, %mask : tensor<2x4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<2x4x4xf32>) {
  ^bb0(%x: tensor<2x4x4xf32>, %w: tensor<4x4xf32>, %c: tensor<2x4x4xf32>):
    %r = krnl.compute [h, m, n] (%u = %x[h, m, n], %v = %w[m, n]) -> (%_ = %c[h, m, n]) : (tensor<2x4x4xf32>, tensor<4x4xf32>) -> tensor<2x4x4xf32> {
      %q = arith.addf %u, %v : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<2x4x4xf32>
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// Positions that are compared with the length of each sentence, through what is added to them.
// CHECK-LABEL: func @lengths(
// CHECK-SAME:      %{{[^:]+}}: index, %{{[^:]+}}: index, %[[LENGTHS:[^:]+]]: tensor<?xi64>
// CHECK:         krnl.kernel "where" {{.+}} ins(%{{[^,]+}}, %[[LENGTHS]] : tensor<?x2x?xf32>, tensor<?xi64>)
// CHECK:           krnl.compute [b, h, n] (%[[X:arg[0-9]+]] = %{{[^,]+}}[b, h, n], %[[L:arg[0-9]+]] = %{{[^,]+}}[b])
// CHECK:             %[[N:.+]] = krnl.index n
// CHECK:             %[[KEY:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK:             arith.cmpi slt, %[[KEY]], %[[L]] : i64
func.func @lengths(%b: index, %n: index, %lengths: tensor<?xi64>, %s: tensor<?x2x?xf32>, %o: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  %f = tensor.empty(%b, %n) : tensor<?x?xi8>
  %mask = krnl.kernel "less" loops [i = %b, k = %n] ins(%lengths : tensor<?xi64>) outs(%f : tensor<?x?xi8>) {
  ^bb0(%x: tensor<?xi64>, %c: tensor<?x?xi8>, %batch: index, %extent: index):
    %r = krnl.compute [i, k] (%a = %x[i]) -> (%_ = %c[i, k]) : (tensor<?xi64>) -> tensor<?x?xi8> {
      %column = krnl.index k
      %key = arith.index_cast %column : index to i64
      %seen = arith.cmpi slt, %key, %a : i64
      %byte = arith.extui %seen : i1 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r : tensor<?x?xi8>
  } -> tensor<?x?xi8>
  %y = krnl.kernel "where" loops [b = %b, h = 2, n = %n] ins(%s, %mask : tensor<?x2x?xf32>, tensor<?x?xi8>) outs(%o : tensor<?x2x?xf32>) {
  ^bb0(%x: tensor<?x2x?xf32>, %w: tensor<?x?xi8>, %c: tensor<?x2x?xf32>, %batch: index, %extent: index):
    %r = krnl.compute [b, h, n] (%u = %x[b, h, n], %v = %w[b, n]) -> (%_ = %c[b, h, n]) : (tensor<?x2x?xf32>, tensor<?x?xi8>) -> tensor<?x2x?xf32> {
      %zero = arith.constant 0 : i8
      %none = arith.constant 0xFF800000 : f32
      %is = arith.cmpi ne, %v, %zero : i8
      %q = arith.select %is, %u, %none : f32
      linalg.yield %q : f32
    }
    krnl.yield %r : tensor<?x2x?xf32>
  } -> tensor<?x2x?xf32>
  return %y : tensor<?x2x?xf32>
}

}
