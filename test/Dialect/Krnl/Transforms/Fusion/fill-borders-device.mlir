// RUN: onnx-opt %s --krnl-fold-copies | FileCheck %s
//
// On a device a fill and a copy become one op, which needs to know where the copy begins.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// Only the number of images is dynamic: all is filled, for krnl-join-parts.
// CHECK-LABEL: func @static
// CHECK:           krnl.compute [n, p, q] ()
// CHECK:           krnl.compute [n, i, q]
// CHECK-NOT:       krnl.compute
func.func @static(%x: tensor<?x64x100xf32>, %n: index) -> tensor<?x66x100xf32> {
  %e = tensor.empty(%n) : tensor<?x66x100xf32>
  %y = krnl.kernel "static" loops [n = %n, p = 66, q = 100, i = 64] ins(%x : tensor<?x64x100xf32>) outs(%e : tensor<?x66x100xf32>) {
  ^bb0(%a: tensor<?x64x100xf32>, %b: tensor<?x66x100xf32>, %_: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, p, q] () -> (%s = %b[n, p, q]) : () -> tensor<?x66x100xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, i, q] (%s = %a[n, i, q]) -> (%d = %f[n, i + 1, q]) : (tensor<?x64x100xf32>) -> tensor<?x66x100xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x66x100xf32>
  } -> tensor<?x66x100xf32>
  return %y : tensor<?x66x100xf32>
}

// The number of rows is dynamic, too.
// CHECK-LABEL: func @dynamic
// CHECK:           krnl.compute [p, q] ()
// CHECK:           krnl.compute [i, q]
// CHECK-NOT:       krnl.compute
func.func @dynamic(%x: tensor<?x100xf32>, %n: index, %m: index) -> tensor<?x100xf32> {
  %e = tensor.empty(%m) : tensor<?x100xf32>
  %y = krnl.kernel "dynamic" loops [p = %m, q = 100, i = %n] ins(%x : tensor<?x100xf32>) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: tensor<?x100xf32>, %b: tensor<?x100xf32>, %_: index, %__: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, q] () -> (%s = %b[p, q]) : () -> tensor<?x100xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [i, q] (%s = %a[i, q]) -> (%d = %f[i + 1, q]) : (tensor<?x100xf32>) -> tensor<?x100xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// It begins anywhere: strips above and below.
// CHECK-LABEL: func @shifted
// CHECK:           krnl.compute [b0_0, q] ()
// CHECK:           krnl.compute [b1_0, q] ()
// CHECK:           krnl.compute [i, q]
// CHECK-NOT:       krnl.compute
func.func @shifted(%x: tensor<?x100xf32>, %n: index, %m: index, %at: index) -> tensor<?x100xf32> {
  %e = tensor.empty(%m) : tensor<?x100xf32>
  %y = krnl.kernel "shifted" loops [p = %m, q = 100, i = %n] ins(%x, %at : tensor<?x100xf32>, index) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: tensor<?x100xf32>, %begin: index, %b: tensor<?x100xf32>, %_: index, %__: index):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %f = krnl.compute [p, q] () -> (%s = %b[p, q]) : () -> tensor<?x100xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [i, q] (%s = %a[i, q]) -> (%d = %f[i ..., q]) : (tensor<?x100xf32>) -> tensor<?x100xf32> {
      %t = krnl.scatter_store %s at[%begin, %c0] : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?x100xf32>
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

}
