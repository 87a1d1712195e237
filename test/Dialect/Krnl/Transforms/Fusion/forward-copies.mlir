// RUN: onnx-opt %s --krnl-fuse | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse=collapse=false | FileCheck %s --check-prefix=BEFORE

// A copy whose elements keep their place is a view: here dimensions of one element
// move. Before layouts are chosen (collapse=false) it is no view: the kernel that
// reads it is fused with it.
// CHECK-LABEL: func.func @unit_dims(
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2], [3]] : tensor<?x?x1x50xf32> into tensor<?x?x50xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1], [2], [3]] {{.+}} into tensor<?x1x?x50xf32>
// CHECK-NOT:     krnl.kernel "copy"
// CHECK:         krnl.kernel "sum"
// BEFORE-LABEL: func.func @unit_dims(
// BEFORE-NOT:     tensor.collapse_shape
// BEFORE:         krnl.kernel "copy+sum" loops [b = %arg1, s = %arg2, d = 50] ins(%arg0 :
// BEFORE:           krnl.compute [b | s, d] (%{{.+}} = %{{.+}}[b, s, 0, d]) -> (%{{.+}} = %{{.+}}[b])
// BEFORE:         return
func.func @unit_dims(%x: tensor<?x?x1x50xf32>, %n: index, %s: index, %o: tensor<?xf32>) -> tensor<?xf32> {
  %e = tensor.empty(%n, %s) : tensor<?x1x?x50xf32>
  %0 = krnl.kernel "copy" loops [b = %n, s = %s, d = 50] ins(%x : tensor<?x?x1x50xf32>) outs(%e : tensor<?x1x?x50xf32>) {
  ^bb0(%p: tensor<?x?x1x50xf32>, %q: tensor<?x1x?x50xf32>, %i: index, %j: index):
    %r = krnl.compute [b, s, d] (%a = %p[b, s, 0, d]) -> (%c = %q[b, 0, s, d]) : (tensor<?x?x1x50xf32>) -> tensor<?x1x?x50xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<?x1x?x50xf32>
  } -> tensor<?x1x?x50xf32>
  %1 = krnl.kernel "sum" loops [b = %n, s = %s, d = 50] ins(%0 : tensor<?x1x?x50xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?x1x?x50xf32>, %q: tensor<?xf32>, %i: index, %j: index):
    %r = krnl.compute [b | s, d] (%a = %p[b, 0, s, d]) -> (%c = %q[b]) : (tensor<?x1x?x50xf32>) -> tensor<?xf32> {
      %t = arith.addf %c, %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Readers may have it in any other shape.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT:     krnl.kernel "copy"
// CHECK:         tensor.reshape
// CHECK:         krnl.kernel "negate"
func.func @reshaped(%x: tensor<32x1x64xf32>, %shape: tensor<1xindex>, %o: tensor<2048xf32>) -> tensor<2048xf32> {
  %e = tensor.empty() : tensor<1x32x64xf32>
  %0 = krnl.kernel "copy" loops [h = 32, d = 64] ins(%x : tensor<32x1x64xf32>) outs(%e : tensor<1x32x64xf32>) {
  ^bb0(%p: tensor<32x1x64xf32>, %q: tensor<1x32x64xf32>):
    %r = krnl.compute [h, d] (%a = %p[h, 0, d]) -> (%c = %q[0, h, d]) : (tensor<32x1x64xf32>) -> tensor<1x32x64xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<1x32x64xf32>
  } -> tensor<1x32x64xf32>
  %v = tensor.reshape %0(%shape) : (tensor<1x32x64xf32>, tensor<1xindex>) -> tensor<2048xf32>
  %1 = krnl.kernel "negate" loops [i = 2048] ins(%v : tensor<2048xf32>) outs(%o : tensor<2048xf32>) {
  ^bb0(%p: tensor<2048xf32>, %q: tensor<2048xf32>):
    %r = krnl.compute [i] (%a = %p[i]) -> (%c = %q[i]) : (tensor<2048xf32>) -> tensor<2048xf32> {
      %t = arith.negf %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<2048xf32>
  } -> tensor<2048xf32>
  return %1 : tensor<2048xf32>
}

// A copy stays that moves elements, that is a result, or whose source is written later.
// CHECK-LABEL: func.func @turned(
// CHECK:         krnl.kernel "copy
// CHECK-LABEL: func.func @returned(
// CHECK:         krnl.kernel "copy"
// CHECK-LABEL: func.func @written_later(
// CHECK:         krnl.kernel "copy"
func.func @turned(%x: tensor<8x4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = krnl.kernel "copy" loops [i = 4, j = 8] ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: tensor<8x4xf32>, %q: tensor<4x8xf32>):
    %r = krnl.compute [i, j] (%a = %p[j, i]) -> (%c = %q[i, j]) : (tensor<8x4xf32>) -> tensor<4x8xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %1 = krnl.kernel "sum" loops [i = 4, j = 8] ins(%0 : tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<4xf32>):
    %r = krnl.compute [i | j] (%a = %p[i, j]) -> (%c = %q[i]) : (tensor<4x8xf32>) -> tensor<4xf32> {
      %t = arith.addf %c, %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @returned(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = krnl.kernel "copy" loops [i = 8, j = 4] ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<8x4xf32>, %q: tensor<8x4xf32>):
    %r = krnl.compute [i, j] (%a = %p[i, j]) -> (%c = %q[i, j]) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func @written_later(%n: tensor<2xf32>, %x: tensor<2xf32>, %o: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<2xf32>
  %0 = krnl.kernel "copy" loops [i = 2] ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
    %r = krnl.compute [i] (%a = %p[i]) -> (%c = %q[i]) : (tensor<2xf32>) -> tensor<2xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  %1 = krnl.kernel "over" loops [k = 1] ins(%n : tensor<2xf32>) outs(%x : tensor<2xf32>) {
  ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
    %r = krnl.compute [k] (%a = %p[k ...]) -> (%c = %q[k ...]) : (tensor<2xf32>) -> tensor<2xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  %2 = krnl.kernel "sum" loops [s = 1, j = 2] ins(%0 : tensor<2xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
    %r = krnl.compute [s | j] (%a = %p[j]) -> (%c = %q[s ...]) : (tensor<2xf32>) -> tensor<2xf32> {
      %t = arith.addf %c, %a : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}
