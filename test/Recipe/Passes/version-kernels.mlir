// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-version-kernels | FileCheck %s

// Of a product whose columns have to be packed there are two kernels: the rows of the
// run are iterations of one of them.
// CHECK-LABEL: func @product
// CHECK:         %[[M:.+]] = tensor.dim %[[X:.+]], %{{.+}}
// CHECK:         %[[IS_FEW:.+]] = arith.cmpi ult, %[[M]], %c8
// CHECK:         %[[FEW:.+]] = arith.select %[[IS_FEW]], %[[M]], %[[ZERO:.+]] :
// CHECK:         %[[MANY:.+]] = arith.select %[[IS_FEW]], %[[ZERO]], %[[M]] :
// CHECK:         %[[OF_FEW:.+]] = krnl.kernel "p few" loops [m = %[[FEW]] < 8, n = 512, k = 64]
// CHECK-SAME:      outs(%[[O:.+]] : tensor<?x512xf32>)
// CHECK:         krnl.kernel "p" loops [m = %[[MANY]], n = 512, k = 64]
// CHECK-SAME:      outs(%[[OF_FEW]] : tensor<?x512xf32>)
func.func @product(%x: tensor<?x64xf32>, %w: tensor<512x64xf32>, %o: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x64xf32>
  %y = krnl.kernel "p" loops [m = %size, n = 512, k = 64] ins(%x, %w : tensor<?x64xf32>, tensor<512x64xf32>) outs(%o : tensor<?x512xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<512x64xf32>, %c: tensor<?x512xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%l = %a[m, k], %r = %b[n, k]) -> (%d = %0[m, n])
        : (tensor<?x64xf32>, tensor<512x64xf32>) -> tensor<?x512xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %1 : tensor<?x512xf32>
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// A copy with the rows of the columns in another order has no iterations where there are
// few rows, which read what is copied.
// CHECK-LABEL: func @transposed_columns
// CHECK-SAME:      (%{{.+}}: tensor<?x?x64xf32>, %[[W:.+]]: tensor<512x?x64xf32>,
// CHECK:         %[[B:.+]] = tensor.dim %{{.+}}, %c0
// CHECK:         %[[IS_FEW:.+]] = arith.cmpi ult, %[[M:.+]], %c12
// CHECK:         arith.select
// CHECK:         %[[COPIES:.+]] = arith.select %{{.+}}, %c0{{.*}}, %[[B]] : index
// CHECK:         %[[T:.+]] = krnl.kernel "t" loops [i = %[[COPIES]], j = 512, l = 64] ins(%[[W]] :
// CHECK:         krnl.kernel "p few" loops [b = %[[B]], m = %{{.+}} < 12, n = 512, k = 64] ins(%{{.+}}, %[[W]] :
// CHECK:           krnl.compute [b, m, n | k] (%{{.+}} = %{{.+}}[b, m, k], %{{.+}} = %{{.+}}[n, b, k])
// CHECK:         krnl.kernel "p" loops [b = %[[B]], m = %{{.+}}, n = 512, k = 64] ins(%{{.+}}, %[[T]] :
// CHECK:           krnl.compute [b, m, n | k] (%{{.+}} = %{{.+}}[b, m, k], %{{.+}} = %{{.+}}[b, n, k])
func.func @transposed_columns(%x: tensor<?x?x64xf32>, %w: tensor<512x?x64xf32>, %o: tensor<?x?x512xf32>) -> tensor<?x?x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %size = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %e = tensor.empty(%batch) : tensor<?x512x64xf32>
  %t = krnl.kernel "t" loops [i = %batch, j = 512, l = 64] ins(%w : tensor<512x?x64xf32>) outs(%e : tensor<?x512x64xf32>) {
  ^bb0(%a: tensor<512x?x64xf32>, %b: tensor<?x512x64xf32>, %i: index):
    %0 = krnl.compute [i, j, l] (%v = %a[j, i, l]) -> (%_ = %b[i, j, l]) : (tensor<512x?x64xf32>) -> tensor<?x512x64xf32> { linalg.yield %v : f32 }
    krnl.yield %0 : tensor<?x512x64xf32>
  } -> tensor<?x512x64xf32>
  %y = krnl.kernel "p" loops [b = %batch, m = %size, n = 512, k = 64] ins(%x, %t : tensor<?x?x64xf32>, tensor<?x512x64xf32>) outs(%o : tensor<?x?x512xf32>) {
  ^bb0(%a: tensor<?x?x64xf32>, %b: tensor<?x512x64xf32>, %c: tensor<?x?x512xf32>, %i: index, %m: index):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<?x?x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [b, m, n | k] (%l = %a[b, m, k], %r = %b[b, n, k]) -> (%d = %0[b, m, n])
        : (tensor<?x?x64xf32>, tensor<?x512x64xf32>) -> tensor<?x?x512xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %1 : tensor<?x?x512xf32>
  } -> tensor<?x?x512xf32>
  return %y : tensor<?x?x512xf32>
}

// Many rows are columns of a tile here, whose vectors fewer do not fill.
// CHECK-LABEL: func @rows_as_columns
// CHECK:         arith.cmpi ult, %{{.+}}, %c48
// CHECK:         krnl.kernel "p few"
// CHECK:         krnl.kernel "p" loops
func.func @rows_as_columns(%x: tensor<?x768xf32>, %w: tensor<3072x768xf32>, %o: tensor<?x3072xf32>) -> tensor<?x3072xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x768xf32>
  %y = krnl.kernel "p" loops [m = %size, n = 3072, k = 768] ins(%x, %w : tensor<?x768xf32>, tensor<3072x768xf32>) outs(%o : tensor<?x3072xf32>) {
  ^bb0(%a: tensor<?x768xf32>, %b: tensor<3072x768xf32>, %c: tensor<?x3072xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x3072xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%l = %a[m, k], %r = %b[n, k]) -> (%d = %0[m, n])
        : (tensor<?x768xf32>, tensor<3072x768xf32>) -> tensor<?x3072xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %1 : tensor<?x3072xf32>
  } -> tensor<?x3072xf32>
  return %y : tensor<?x3072xf32>
}

// Columns that lie in line are not packed.
// CHECK-LABEL: func @in_line
// CHECK-NOT:     few
// CHECK:         return
func.func @in_line(%x: tensor<?x64xf32>, %w: tensor<64x512xf32>, %o: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x64xf32>
  %y = krnl.kernel "p" loops [m = %size, n = 512, k = 64] ins(%x, %w : tensor<?x64xf32>, tensor<64x512xf32>) outs(%o : tensor<?x512xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x512xf32>, %c: tensor<?x512xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %0 = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<?x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%l = %a[m, k], %r = %b[k, n]) -> (%d = %0[m, n])
        : (tensor<?x64xf32>, tensor<64x512xf32>) -> tensor<?x512xf32> {
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %1 : tensor<?x512xf32>
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// The lanes of a transposition lie along what it reads. Few columns have a version
// whose lanes are the other side.
// CHECK-LABEL: func @transposition(
// CHECK-SAME:      %[[C:[^ ]+]]: index, %[[P:[^ ]+]]: index)
// CHECK:         %[[IS_FEW:.+]] = arith.cmpi ult, %[[C]], %c32
// CHECK:         %[[FEW:.+]] = arith.select %[[IS_FEW]], %[[C]], %[[ZERO:.+]] :
// CHECK:         %[[MANY:.+]] = arith.select %[[IS_FEW]], %[[ZERO]], %[[C]] :
// CHECK:         krnl.kernel "t few" loops [c = %[[FEW]] < 32, p = %[[P]]]
// CHECK:         krnl.kernel "t" loops [c = %[[MANY]], p = %[[P]]]
func.func @transposition(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %c: index, %p: index) -> tensor<?x?xf32> {
  %y = krnl.kernel "t" loops [c = %c, p = %p] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index):
    %0 = krnl.compute [c, p] (%e = %a[p, c]) -> (%q = %b[c, p]) : (tensor<?x?xf32>) -> tensor<?x?xf32> { linalg.yield %e : f32 }
    krnl.yield %0 : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Known columns need no other kernel, nor does a copy that moves no elements along memory.
// CHECK-LABEL: func @known_columns
// CHECK-NOT:     few
// CHECK:         return
func.func @known_columns(%x: tensor<?x8xf32>, %o: tensor<8x?xf32>, %z: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %c: index, %p: index, %q: index) -> (tensor<8x?xf32>, tensor<?x?x?xf32>) {
  %y = krnl.kernel "known" loops [c = 8, p = %p] ins(%x : tensor<?x8xf32>) outs(%o : tensor<8x?xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %n: index):
    %0 = krnl.compute [c, p] (%e = %a[p, c]) -> (%d = %b[c, p]) : (tensor<?x8xf32>) -> tensor<8x?xf32> { linalg.yield %e : f32 }
    krnl.yield %0 : tensor<8x?xf32>
  } -> tensor<8x?xf32>
  %w = krnl.kernel "heads" loops [c = %c, p = %p, q = %q] ins(%z : tensor<?x?x?xf32>) outs(%v : tensor<?x?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %l: index, %m: index, %n: index):
    %0 = krnl.compute [c, p, q] (%e = %a[p, c, q]) -> (%d = %b[c, p, q]) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32> { linalg.yield %e : f32 }
    krnl.yield %0 : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  return %y, %w : tensor<8x?xf32>, tensor<?x?x?xf32>
}
