// RUN: onnx-opt %s --krnl-fuse --krnl-fold-copies --krnl-fuse | FileCheck %s

// Ops without loops have one place each: what the last one reads is not the part
// that was written last, so all three stay.
// CHECK-LABEL: func @another_part
// CHECK:         krnl.kernel "neg+concat+slice" loops []
// CHECK:           arith.negf
// CHECK:           %[[BOTH:.+]] = krnl.compute [] () -> (%{{.+}} = %{{.+}}[1])
// CHECK:           krnl.compute [] (%{{.+}} = %[[BOTH]][0]) -> (%{{.+}} = %{{.+}}[0]) : (tensor<2xf32>)
func.func @another_part(%x: tensor<1xf32>) -> tensor<1xf32> {
  %k = krnl.constant dense<-1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %t = tensor.empty() : tensor<2xf32>
  %0 = krnl.kernel "neg" loops [i = 1] ins(%x : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<1xf32>, %o: tensor<1xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<1xf32>) -> tensor<1xf32> {
      %n = arith.negf %s : f32
      linalg.yield %n : f32
    }
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  %1 = krnl.kernel "concat" loops [i = 1, j = 1] ins(%0, %k : tensor<1xf32>, tensor<1xf32>) outs(%t : tensor<2xf32>) {
  ^bb0(%p: tensor<1xf32>, %q: tensor<1xf32>, %o: tensor<2xf32>):
    %a = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i mod 4]) : (tensor<1xf32>) -> tensor<2xf32> {
      linalg.yield %s : f32
    }
    %b = krnl.compute [j] (%s = %q[j]) -> (%u = %a[j + 1]) : (tensor<1xf32>) -> tensor<2xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %b : tensor<2xf32>
  } -> tensor<2xf32>
  %2 = krnl.kernel "slice" loops [i = 1] ins(%1 : tensor<2xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%p: tensor<2xf32>, %o: tensor<1xf32>):
    %c = krnl.compute [i] (%s = %p[i mod 4]) -> (%u = %o[i]) : (tensor<2xf32>) -> tensor<1xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %c : tensor<1xf32>
  } -> tensor<1xf32>
  return %2 : tensor<1xf32>
}

// Only the temporary that goes has a dimension for the rows: the kernel still
// says how many there are.
// CHECK-LABEL: func @sum_of_equal_rows
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         krnl.kernel "rows+sum" loops [i = %[[N]], j = 4] ins(%{{.+}} : tensor<4xf32>)
// CHECK-NOT:       krnl.temporary
// CHECK:           krnl.compute [j | i] (%{{.+}} = %{{.+}}[j]) -> (%{{.+}} = %{{.+}}[j])
// CHECK-NOT:       krnl.compute
// CHECK:         return
func.func @sum_of_equal_rows(%x: tensor<4xf32>, %n: index, %o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = krnl.kernel "rows" loops [i = %n, j = 4] ins(%x : tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<?x4xf32>, %rows: index):
    %r = krnl.compute [i, j] (%s = %p[j]) -> (%t = %q[i, j]) : (tensor<4xf32>) -> tensor<?x4xf32> {
      %v = math.exp %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %1 = krnl.kernel "sum" loops [i = %n, j = 4] ins(%0 : tensor<?x4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%p: tensor<?x4xf32>, %q: tensor<4xf32>, %rows: index):
    %r = krnl.compute [j | i] (%s = %p[i, j]) -> (%t = %q[j]) : (tensor<?x4xf32>) -> tensor<4xf32> {
      %v = arith.addf %t, %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A condition between two ops is a byte; in one op it is a condition.
// CHECK-LABEL: func @condition
// CHECK:         krnl.compute
// CHECK-NEXT:      %[[IS:.+]] = arith.cmpf oeq
// CHECK-NEXT:      %[[Y:.+]] = arith.select %[[IS]],
// CHECK-NEXT:      linalg.yield %[[Y]]
func.func @condition(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xi8>
  %0 = krnl.kernel "is" loops [i = 4] ins(%x : tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xi8>):
    %inf = arith.constant 0x7F800000 : f32
    %r = krnl.compute [i] (%s = %p[i]) -> (%t = %q[i]) : (tensor<4xf32>) -> tensor<4xi8> {
      %c = arith.cmpf oeq, %s, %inf : f32
      %v = arith.extui %c : i1 to i8
      linalg.yield %v : i8
    }
    krnl.yield %r : tensor<4xi8>
  } -> tensor<4xi8>
  %1 = krnl.kernel "where" loops [i = 4] ins(%0, %x : tensor<4xi8>, tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%p: tensor<4xi8>, %q: tensor<4xf32>, %u: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i8
    %r = krnl.compute [i] (%s = %p[i], %t = %q[i]) -> (%v = %u[i]) : (tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32> {
      %c = arith.cmpi ne, %s, %none : i8
      %w = arith.select %c, %zero, %t : f32
      linalg.yield %w : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
