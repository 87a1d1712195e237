// RUN: onnx-opt %s --krnl-fuse --canonicalize --cse | FileCheck %s

// The elementwise kernel sees 64 channels of a tensor that has 4 groups of 16. It
// runs over both, so that it reads the tensor itself and is one kernel with its maker.
// Other operands, the one per channel too, are expanded, and the result is collapsed.
// CHECK-LABEL: func @fused
// CHECK-SAME:      (%{{.+}}: tensor<4x8x49xf32>, %{{.+}}: tensor<4x16x8xf32>, %[[BIAS:.+]]: tensor<64xf32>, %[[SUM:.+]]: tensor<64x49xf32>)
// CHECK-DAG:     %[[BIASES:.+]] = tensor.expand_shape %[[BIAS]] {{\[}}[0, 1]] output_shape [4, 16]
// CHECK-DAG:     %[[SUMS:.+]] = tensor.expand_shape %[[SUM]] {{\[}}[0, 1], [2]] output_shape [4, 16, 49]
// CHECK:         %[[Y:.+]] = krnl.kernel "groups+add" loops [g = 4, c = 16, p = 49, k = 8] ins({{.*}}%[[BIASES]], %[[SUMS]]
// CHECK:           krnl.compute [g, c, p | k]
// CHECK:           krnl.compute [g, c, p] (%{{.+}} = %{{.+}}[g, c], %{{.+}} = %{{.+}}[g, c, p]) -> (%{{.+}} = %{{.+}}[g, c, p])
// CHECK:         tensor.collapse_shape %[[Y]] {{\[}}[0, 1], [2]] : tensor<4x16x49xf32> into tensor<64x49xf32>
func.func @fused(%x: tensor<4x8x49xf32>, %w: tensor<4x16x8xf32>, %b: tensor<64xf32>, %z: tensor<64x49xf32>) -> tensor<64x49xf32> {
  %e0 = tensor.empty() : tensor<4x16x49xf32>
  %0 = krnl.kernel "groups" loops [g = 4, c = 16, p = 49, k = 8]
      ins(%x, %w : tensor<4x8x49xf32>, tensor<4x16x8xf32>) outs(%e0 : tensor<4x16x49xf32>) {
  ^bb0(%p: tensor<4x8x49xf32>, %q: tensor<4x16x8xf32>, %o: tensor<4x16x49xf32>):
    %r = krnl.compute [g, c, p | k] (%s = %p[g, k, p], %t = %q[g, c, k]) -> (%u = %o[g, c, p])
        : (tensor<4x8x49xf32>, tensor<4x16x8xf32>) -> tensor<4x16x49xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x49xf32>
  } -> tensor<4x16x49xf32>
  %v = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x16x49xf32> into tensor<64x49xf32>
  %e1 = tensor.empty() : tensor<64x49xf32>
  %1 = krnl.kernel "add" loops [n = 64, p = 49]
      ins(%v, %b, %z : tensor<64x49xf32>, tensor<64xf32>, tensor<64x49xf32>) outs(%e1 : tensor<64x49xf32>) {
  ^bb0(%p: tensor<64x49xf32>, %q: tensor<64xf32>, %z0: tensor<64x49xf32>, %o: tensor<64x49xf32>):
    %r = krnl.compute [n, p] (%s = %p[n, p], %t = %q[n], %u = %z0[n, p]) -> (%l = %o[n, p])
        : (tensor<64x49xf32>, tensor<64xf32>, tensor<64x49xf32>) -> tensor<64x49xf32> {
      %m = arith.addf %s, %t : f32
      %a = arith.addf %m, %u : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<64x49xf32>
  } -> tensor<64x49xf32>
  return %1 : tensor<64x49xf32>
}

// The index of the loop is a number of the computation: the loop stays.
// CHECK-LABEL: func @index_is_used
// CHECK:         tensor.collapse_shape
// CHECK:         krnl.kernel "number" loops [n = 64, p = 49]
func.func @index_is_used(%x: tensor<4x16x49xf32>) -> tensor<64x49xi64> {
  %e0 = tensor.empty() : tensor<4x16x49xf32>
  %0 = krnl.kernel "neg" loops [g = 4, c = 16, p = 49] ins(%x : tensor<4x16x49xf32>) outs(%e0 : tensor<4x16x49xf32>) {
  ^bb0(%p: tensor<4x16x49xf32>, %o: tensor<4x16x49xf32>):
    %r = krnl.compute [g, c, p] (%s = %p[g, c, p]) -> (%u = %o[g, c, p])
        : (tensor<4x16x49xf32>) -> tensor<4x16x49xf32> {
      %a = arith.negf %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x49xf32>
  } -> tensor<4x16x49xf32>
  %v = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x16x49xf32> into tensor<64x49xf32>
  %e1 = tensor.empty() : tensor<64x49xi64>
  %1 = krnl.kernel "number" loops [n = 64, p = 49] ins(%v : tensor<64x49xf32>) outs(%e1 : tensor<64x49xi64>) {
  ^bb0(%p: tensor<64x49xf32>, %o: tensor<64x49xi64>):
    %r = krnl.compute [n, p] (%s = %p[n, p]) -> (%l = %o[n, p]) : (tensor<64x49xf32>) -> tensor<64x49xi64> {
      %n = krnl.index n
      %i = arith.index_cast %n : index to i64
      %f = arith.fptosi %s : f32 to i64
      %a = arith.addi %i, %f : i64
      linalg.yield %a : i64
    }
    krnl.yield %r : tensor<64x49xi64>
  } -> tensor<64x49xi64>
  return %1 : tensor<64x49xi64>
}

// The consumer reads at a distance from the loop, or sums up: its loop stays.
// CHECK-LABEL: func @shifted_or_summed
// CHECK:         krnl.kernel "shifted" loops [n = 63, p = 49]
// CHECK:         krnl.kernel "summed" loops [p = 49, n = 64]
func.func @shifted_or_summed(%x: tensor<4x16x49xf32>) -> (tensor<63x49xf32>, tensor<49xf32>) {
  %e0 = tensor.empty() : tensor<4x16x49xf32>
  %0 = krnl.kernel "neg" loops [g = 4, c = 16, p = 49] ins(%x : tensor<4x16x49xf32>) outs(%e0 : tensor<4x16x49xf32>) {
  ^bb0(%p: tensor<4x16x49xf32>, %o: tensor<4x16x49xf32>):
    %r = krnl.compute [g, c, p] (%s = %p[g, c, p]) -> (%u = %o[g, c, p])
        : (tensor<4x16x49xf32>) -> tensor<4x16x49xf32> {
      %a = arith.negf %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x49xf32>
  } -> tensor<4x16x49xf32>
  %v = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x16x49xf32> into tensor<64x49xf32>
  %e1 = tensor.empty() : tensor<63x49xf32>
  %1 = krnl.kernel "shifted" loops [n = 63, p = 49] ins(%v : tensor<64x49xf32>) outs(%e1 : tensor<63x49xf32>) {
  ^bb0(%p: tensor<64x49xf32>, %o: tensor<63x49xf32>):
    %r = krnl.compute [n, p] (%s = %p[n + 1, p]) -> (%l = %o[n, p]) : (tensor<64x49xf32>) -> tensor<63x49xf32> {
      %a = arith.negf %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<63x49xf32>
  } -> tensor<63x49xf32>
  %e2 = tensor.empty() : tensor<49xf32>
  %2 = krnl.kernel "summed" loops [p = 49, n = 64] ins(%v : tensor<64x49xf32>) outs(%e2 : tensor<49xf32>) {
  ^bb0(%p: tensor<64x49xf32>, %o: tensor<49xf32>):
    %r = krnl.compute [p | n] (%s = %p[n, p]) -> (%l = %o[p]) : (tensor<64x49xf32>) -> tensor<49xf32> {
      %a = arith.addf %l, %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<49xf32>
  } -> tensor<49xf32>
  return %1, %2 : tensor<63x49xf32>, tensor<49xf32>
}

// A result that is a part of memory in use has no kernel fused with its maker.
// CHECK-LABEL: func @written_in_parts
// CHECK:         krnl.kernel "second"
// CHECK:         tensor.collapse_shape
// CHECK:         krnl.kernel "relu" loops [n = 64, p = 49]
func.func @written_in_parts(%x: tensor<2x16x49xf32>, %b: tensor<64xf32>) -> tensor<64x49xf32> {
  %e0 = tensor.empty() : tensor<4x16x49xf32>
  %0 = krnl.kernel "first" loops [g = 2, c = 16, p = 49] ins(%x : tensor<2x16x49xf32>) outs(%e0 : tensor<4x16x49xf32>) {
  ^bb0(%p: tensor<2x16x49xf32>, %o: tensor<4x16x49xf32>):
    %r = krnl.compute [g, c, p] (%s = %p[g, c, p]) -> (%u = %o[g ..., c, p])
        : (tensor<2x16x49xf32>) -> tensor<4x16x49xf32> {
      %a = arith.negf %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x49xf32>
  } -> tensor<4x16x49xf32>
  %1 = krnl.kernel "second" loops [g = 2, c = 16, p = 49] ins(%x : tensor<2x16x49xf32>) outs(%0 : tensor<4x16x49xf32>) {
  ^bb0(%p: tensor<2x16x49xf32>, %o: tensor<4x16x49xf32>):
    %r = krnl.compute [g, c, p] (%s = %p[g, c, p]) -> (%u = %o[g + 2, c, p])
        : (tensor<2x16x49xf32>) -> tensor<4x16x49xf32> {
      %a = math.absf %s : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x49xf32>
  } -> tensor<4x16x49xf32>
  %v = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<4x16x49xf32> into tensor<64x49xf32>
  %e1 = tensor.empty() : tensor<64x49xf32>
  %2 = krnl.kernel "relu" loops [n = 64, p = 49] ins(%v, %b : tensor<64x49xf32>, tensor<64xf32>) outs(%e1 : tensor<64x49xf32>) {
  ^bb0(%p: tensor<64x49xf32>, %q: tensor<64xf32>, %o: tensor<64x49xf32>):
    %r = krnl.compute [n, p] (%s = %p[n, p], %t = %q[n]) -> (%l = %o[n, p]) : (tensor<64x49xf32>, tensor<64xf32>) -> tensor<64x49xf32> {
      %a = arith.maximumf %s, %t : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<64x49xf32>
  } -> tensor<64x49xf32>
  return %2 : tensor<64x49xf32>
}

// The result is to be written into the middle of a larger tensor, which views do not
// see: the loop stays until that is done.
// CHECK-LABEL: func @copied_into_part
// CHECK:         krnl.kernel "groups"
// CHECK:         krnl.kernel "relu" loops [np = 1280000]
// CHECK:         krnl.kernel "pad"
func.func @copied_into_part(%x: tensor<4x8x20000xf32>, %w: tensor<4x16x8xf32>) -> tensor<64x20002xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x16x20000xf32>
  %0 = krnl.kernel "groups" loops [g = 4, c = 16, p = 20000, k = 8]
      ins(%x, %w : tensor<4x8x20000xf32>, tensor<4x16x8xf32>) outs(%e0 : tensor<4x16x20000xf32>) {
  ^bb0(%p: tensor<4x8x20000xf32>, %q: tensor<4x16x8xf32>, %o: tensor<4x16x20000xf32>):
    %r = krnl.compute [g, c, p | k] (%s = %p[g, k, p], %t = %q[g, c, k]) -> (%u = %o[g, c, p])
        : (tensor<4x8x20000xf32>, tensor<4x16x8xf32>) -> tensor<4x16x20000xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<4x16x20000xf32>
  } -> tensor<4x16x20000xf32>
  %v = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x16x20000xf32> into tensor<64x20000xf32>
  %e1 = tensor.empty() : tensor<64x20000xf32>
  %1 = krnl.kernel "relu" loops [n = 64, p = 20000] ins(%v, %zero : tensor<64x20000xf32>, f32) outs(%e1 : tensor<64x20000xf32>) {
  ^bb0(%p: tensor<64x20000xf32>, %z: f32, %o: tensor<64x20000xf32>):
    %r = krnl.compute [n, p] (%s = %p[n, p]) -> (%l = %o[n, p]) : (tensor<64x20000xf32>) -> tensor<64x20000xf32> {
      %a = arith.maximumf %s, %z : f32
      linalg.yield %a : f32
    }
    krnl.yield %r : tensor<64x20000xf32>
  } -> tensor<64x20000xf32>
  %e2 = tensor.empty() : tensor<64x20002xf32>
  %2 = krnl.kernel "pad" loops [n = 64, q = 20002, p = 20000] ins(%1, %zero : tensor<64x20000xf32>, f32) outs(%e2 : tensor<64x20002xf32>) {
  ^bb0(%p: tensor<64x20000xf32>, %z: f32, %o: tensor<64x20002xf32>):
    %f = krnl.compute [n, q] () -> (%l = %o[n, q]) : () -> tensor<64x20002xf32> {
      linalg.yield %z : f32
    }
    %r = krnl.compute [n, p] (%s = %p[n, p]) -> (%l = %f[n, p + 1]) : (tensor<64x20000xf32>) -> tensor<64x20002xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<64x20002xf32>
  } -> tensor<64x20002xf32>
  return %2 : tensor<64x20002xf32>
}
