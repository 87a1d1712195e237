// RUN: onnx-opt %s -split-input-file --krnl-fuse=collapse=false | FileCheck %s

// The slices of a slice, and the concatenation of both, read what is sliced.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<1x8x?xf32>
// CHECK-NOT:     krnl.kernel "slice
// CHECK:         krnl.kernel "concat" {{.+}} ins(%[[X]] : tensor<1x8x?xf32>)
// CHECK:           krnl.compute [a, i] (%{{.+}} = %{{.+}}[0, a * 4 + 1, i]) -> (%{{.+}} = %{{.+}}[a ..., i])
// CHECK:           krnl.compute [b, i] (%{{.+}} = %{{.+}}[0, b * 4 + 3, i]) -> (%{{.+}} = %{{.+}}[b + 2, i])
func.func @slices(%x: tensor<1x8x?xf32>, %n: index) -> tensor<4x?xf32> {
  %e = tensor.empty(%n) : tensor<4x1x?xf32>
  %0 = krnl.kernel "slice" loops [j = 4, i = %n] ins(%x : tensor<1x8x?xf32>) outs(%e : tensor<4x1x?xf32>) {
  ^bb0(%p: tensor<1x8x?xf32>, %q: tensor<4x1x?xf32>, %size: index):
    %r = krnl.compute [j, i] (%a = %p[0, j * 2 + 1, i]) -> (%c = %q[j, 0, i]) : (tensor<1x8x?xf32>) -> tensor<4x1x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x1x?xf32>
  } -> tensor<4x1x?xf32>
  %f = tensor.empty(%n) : tensor<2x1x?xf32>
  %1 = krnl.kernel "slice even" loops [j = 2, i = %n] ins(%0 : tensor<4x1x?xf32>) outs(%f : tensor<2x1x?xf32>) {
  ^bb0(%p: tensor<4x1x?xf32>, %q: tensor<2x1x?xf32>, %size: index):
    %r = krnl.compute [j, i] (%a = %p[j * 2, 0, i]) -> (%c = %q[j, 0, i]) : (tensor<4x1x?xf32>) -> tensor<2x1x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2x1x?xf32>
  } -> tensor<2x1x?xf32>
  %2 = krnl.kernel "slice odd" loops [j = 2, i = %n] ins(%0 : tensor<4x1x?xf32>) outs(%f : tensor<2x1x?xf32>) {
  ^bb0(%p: tensor<4x1x?xf32>, %q: tensor<2x1x?xf32>, %size: index):
    %r = krnl.compute [j, i] (%a = %p[j * 2 + 1, 0, i]) -> (%c = %q[j, 0, i]) : (tensor<4x1x?xf32>) -> tensor<2x1x?xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2x1x?xf32>
  } -> tensor<2x1x?xf32>
  %g = tensor.empty(%n) : tensor<4x?xf32>
  %3 = krnl.kernel "concat" loops [a = 2, b = 2, i = %n] ins(%1, %2 : tensor<2x1x?xf32>, tensor<2x1x?xf32>) outs(%g : tensor<4x?xf32>) {
  ^bb0(%p: tensor<2x1x?xf32>, %o: tensor<2x1x?xf32>, %q: tensor<4x?xf32>, %size: index):
    %r = krnl.compute [a, i] (%v = %p[a, 0, i]) -> (%c = %q[a ..., i]) : (tensor<2x1x?xf32>) -> tensor<4x?xf32> {
      linalg.yield %v : f32
    }
    %s = krnl.compute [b, i] (%v = %o[b, 0, i]) -> (%c = %r[b + 2, i]) : (tensor<2x1x?xf32>) -> tensor<4x?xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<4x?xf32>
  } -> tensor<4x?xf32>
  return %3 : tensor<4x?xf32>
}

// -----

// A copy stays that is read twice as often as it reads, by something that
// computes, or that is a result, and one whose source is written later.
// CHECK-LABEL: func.func @read_twice(
// CHECK:         krnl.kernel "turn"
func.func @read_twice(%x: tensor<4x8xf32>, %o: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = krnl.kernel "turn" loops [i = 4, j = 8] ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<8x4xf32>):
    %r = krnl.compute [i, j] (%a = %p[i, j]) -> (%c = %q[j, i]) : (tensor<4x8xf32>) -> tensor<8x4xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  %1 = krnl.kernel "concat" loops [a = 8, b = 8, k = 4] ins(%0 : tensor<8x4xf32>) outs(%o : tensor<16x4xf32>) {
  ^bb0(%p: tensor<8x4xf32>, %q: tensor<16x4xf32>):
    %r = krnl.compute [a, k] (%v = %p[a, k]) -> (%c = %q[a ..., k]) : (tensor<8x4xf32>) -> tensor<16x4xf32> {
      linalg.yield %v : f32
    }
    %s = krnl.compute [b, k] (%v = %p[b, k]) -> (%c = %r[b + 8, k]) : (tensor<8x4xf32>) -> tensor<16x4xf32> {
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<16x4xf32>
  } -> tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// -----

// CHECK-LABEL: func.func @summed(
// CHECK:         krnl.kernel "slice"
func.func @summed(%x: tensor<8xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = krnl.kernel "slice" loops [i = 4] ins(%x : tensor<8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: tensor<8xf32>, %q: tensor<4xf32>):
    %r = krnl.compute [i] (%a = %p[i * 2]) -> (%c = %q[i]) : (tensor<8xf32>) -> tensor<4xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %1 = krnl.kernel "last" loops [k = 1] ins(%0 : tensor<4xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<1xf32>):
    %c3 = arith.constant 3 : index
    %r = krnl.compute [k] () -> (%c = %q[k]) : () -> tensor<1xf32> {
      %v = tensor.extract %p[%c3] : tensor<4xf32>
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<1xf32>
  } -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// CHECK-LABEL: func.func @result(
// CHECK:         krnl.kernel "slice"
// CHECK:         krnl.kernel "slice of it"
func.func @result(%x: tensor<8xf32>, %o: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = krnl.kernel "slice" loops [i = 4] ins(%x : tensor<8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: tensor<8xf32>, %q: tensor<4xf32>):
    %r = krnl.compute [i] (%a = %p[i * 2]) -> (%c = %q[i]) : (tensor<8xf32>) -> tensor<4xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %1 = krnl.kernel "slice of it" loops [j = 2] ins(%0 : tensor<4xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<2xf32>):
    %r = krnl.compute [j] (%a = %p[j * 2 + 1]) -> (%c = %q[j]) : (tensor<4xf32>) -> tensor<2xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @written_later(
// CHECK:         krnl.kernel "slice"
// CHECK:         krnl.kernel "slice of it"
func.func @written_later(%n: tensor<8xf32>, %x: tensor<8xf32>, %o: tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = krnl.kernel "slice" loops [i = 4] ins(%x : tensor<8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: tensor<8xf32>, %q: tensor<4xf32>):
    %r = krnl.compute [i] (%a = %p[i * 2]) -> (%c = %q[i]) : (tensor<8xf32>) -> tensor<4xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %1 = krnl.kernel "over" loops [k = 8] ins(%n : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    %r = krnl.compute [k] (%a = %p[k]) -> (%c = %q[k]) : (tensor<8xf32>) -> tensor<8xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  %2 = krnl.kernel "slice of it" loops [j = 2] ins(%0 : tensor<4xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%p: tensor<4xf32>, %q: tensor<2xf32>):
    %r = krnl.compute [j] (%a = %p[j * 2 + 1]) -> (%c = %q[j]) : (tensor<4xf32>) -> tensor<2xf32> {
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  return %1, %2 : tensor<8xf32>, tensor<2xf32>
}
