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
