// RUN: onnx-opt %s --krnl-choose-layouts | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse | FileCheck %s --check-prefix=FUSED

// The tensor between the kernels gets its channels last, and the loops of both follow
// memory: those of the result first, in the order of its dimensions, then those of the
// operands. An index that the code looks at keeps its loop.
// CHECK-LABEL: func @channels_last
// CHECK:         krnl.kernel "columns" loops [h = 14, w = 14, c = 16]
// CHECK:           krnl.compute [h, w, c]
// CHECK-DAG:         %[[C:.+]] = krnl.index c
// CHECK-DAG:         %[[W:.+]] = krnl.index w
// CHECK:             arith.addi %[[C]], %[[W]]
// CHECK:         krnl.kernel "conv" loops [oc = 32, {{.*}}, ic = 16]
// CHECK:           krnl.compute [oc, h, w | {{.*}}, ic]
func.func @channels_last() -> tensor<32x12x12xf32> {
  %w = krnl.constant dense<1.0> : tensor<32x16x3x3xf32>
  %d = tensor.empty() : tensor<16x14x14xf32>
  %0 = krnl.kernel "columns" loops [c = 16, h = 14, w = 14] outs(%d : tensor<16x14x14xf32>) {
  ^bb0(%o: tensor<16x14x14xf32>):
    %r = krnl.compute [c, h, w] () -> (%q = %o[c, h, w]) : () -> tensor<16x14x14xf32> {
      %c = krnl.index c
      %x = krnl.index w
      %i = arith.addi %c, %x : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      linalg.yield %f : f32
    }
    krnl.yield %r : tensor<16x14x14xf32>
  } -> tensor<16x14x14xf32>
  %e = tensor.empty() : tensor<32x12x12xf32>
  %1 = krnl.kernel "conv" loops [oc = 32, h = 12, w = 12, ic = 16, kh = 3, kw = 3]
      ins(%0, %w : tensor<16x14x14xf32>, tensor<32x16x3x3xf32>) outs(%e : tensor<32x12x12xf32>) {
  ^bb0(%p: tensor<16x14x14xf32>, %q: tensor<32x16x3x3xf32>, %o: tensor<32x12x12xf32>):
    %c = krnl.compute [oc, h, w | ic, kh, kw] (%s = %p[ic, h + kh, w + kw], %t = %q[oc, ic, kh, kw]) -> (%u = %o[oc, h, w])
        : (tensor<16x14x14xf32>, tensor<32x16x3x3xf32>) -> tensor<32x12x12xf32> {
      %m = arith.mulf %s, %t : f32
      %a = arith.addf %u, %m : f32
      linalg.yield %a : f32
    }
    krnl.yield %c : tensor<32x12x12xf32>
  } -> tensor<32x12x12xf32>
  return %1 : tensor<32x12x12xf32>
}

// A transposition that belongs to the maker of what it reads: the loops have the order
// of the result.
// FUSED-LABEL: func @transposed
// FUSED:         krnl.kernel "neg+transpose" loops [j = 24, i = 16]
// FUSED:           krnl.compute [j, i]
func.func @transposed(%x: tensor<16x24xf32>, %o: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %e = tensor.empty() : tensor<16x24xf32>
  %0 = krnl.kernel "neg" loops [i = 16, j = 24] ins(%x : tensor<16x24xf32>) outs(%e : tensor<16x24xf32>) {
  ^bb0(%p: tensor<16x24xf32>, %q: tensor<16x24xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%t = %q[i, j]) : (tensor<16x24xf32>) -> tensor<16x24xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<16x24xf32>
  } -> tensor<16x24xf32>
  %1 = krnl.kernel "transpose" loops [m = 24, n = 16] ins(%0 : tensor<16x24xf32>) outs(%o : tensor<24x16xf32>) {
  ^bb0(%p: tensor<16x24xf32>, %q: tensor<24x16xf32>):
    %r = krnl.compute [m, n] (%s = %p[n, m]) -> (%t = %q[m, n]) : (tensor<16x24xf32>) -> tensor<24x16xf32> { linalg.yield %s : f32 }
    krnl.yield %r : tensor<24x16xf32>
  } -> tensor<24x16xf32>
  return %1 : tensor<24x16xf32>
}
