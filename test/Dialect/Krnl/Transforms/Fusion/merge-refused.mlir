// RUN: onnx-opt %s --krnl-merge --remarks-filter-missed=krnl-merge 2>&1 | FileCheck %s
//
// Why two kernels stay two.

// CHECK: a writes into a tensor that is in use
func.func @destination_in_use(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%y : tensor<100xf32>) recipe [fuse_outer(i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s : tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(j)] {
  ^bb0(%a0: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j]) -> (%q = %z[j]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p0, %p0 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: a value made between the kernels depends on a and is needed by b
func.func @between(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %c = krnl.call @onnxc_rt_shuffle(%s) stateful : (tensor<100xf32>) -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s, %c : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(j)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j], %p1 = %a1[j]) -> (%q = %z[j])
        : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.addf %p0, %p1 : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK: the kernel would have 13 operands
func.func @too_many_operands(%x0: tensor<100xf32>, %x1: tensor<100xf32>, %x2: tensor<100xf32>, %x3: tensor<100xf32>, %x4: tensor<100xf32>, %x5: tensor<100xf32>, %x6: tensor<100xf32>, %x7: tensor<100xf32>, %x8: tensor<100xf32>, %x9: tensor<100xf32>, %x10: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %s = krnl.kernel "a" loops [i = 100] ins(%x0, %x1, %x2, %x3, %x4, %x5 : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(i)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %a2: tensor<100xf32>, %a3: tensor<100xf32>, %a4: tensor<100xf32>, %a5: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [i] (%p0 = %a0[i], %p1 = %a1[i], %p2 = %a2[i], %p3 = %a3[i], %p4 = %a4[i], %p5 = %a5[i]) -> (%q = %z[i])
        : (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      linalg.yield %p0 : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  %r = krnl.kernel "b" loops [j = 100] ins(%s, %x6, %x7, %x8, %x9, %x10 : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) recipe [fuse_outer(j)] {
  ^bb0(%a0: tensor<100xf32>, %a1: tensor<100xf32>, %a2: tensor<100xf32>, %a3: tensor<100xf32>, %a4: tensor<100xf32>, %a5: tensor<100xf32>, %z: tensor<100xf32>):
    %r = krnl.compute [j] (%p0 = %a0[j], %p1 = %a1[j], %p2 = %a2[j], %p3 = %a3[j], %p4 = %a4[j], %p5 = %a5[j]) -> (%q = %z[j])
        : (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32> {
      linalg.yield %p0 : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// Two sums wait for what reads them, three would not stay in registers.
// CHECK: the sums of 3 products would take 72 vectors
func.func @too_many_sums(%x: tensor<4x8x64xf32>, %w: tensor<64x48xf32>, %v: tensor<64x48xf32>, %u: tensor<64x48xf32>) -> tensor<4x8x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8x48xf32>
  %s = krnl.kernel "a" loops [b = 4, m = 8, n = 48, k = 64] ins(%zero, %x, %w : f32, tensor<4x8x64xf32>, tensor<64x48xf32>) outs(%e : tensor<4x8x48xf32>) recipe [order(b, k, m, n), fuse_outer(b), register_tile(m, n, lanes=16)] {
  ^bb0(%z: f32, %a: tensor<4x8x64xf32>, %c: tensor<64x48xf32>, %y: tensor<4x8x48xf32>):
    %i = krnl.compute [b, m, n] () -> (%q = %y[b, m, n]) : () -> tensor<4x8x48xf32> {
      linalg.yield %z : f32
    }
    %r = krnl.compute [b, m, n | k] (%p0 = %a[b, m, k], %p1 = %c[k, n]) -> (%q = %i[b, m, n]) : (tensor<4x8x64xf32>, tensor<64x48xf32>) -> tensor<4x8x48xf32> {
      %0 = arith.mulf %p0, %p1 : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<4x8x48xf32>
  } -> tensor<4x8x48xf32>
  %t = krnl.kernel "b" loops [b = 4, m = 8, n = 48, k = 64] ins(%zero, %x, %v, %u, %s : f32, tensor<4x8x64xf32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<4x8x48xf32>) outs(%e : tensor<4x8x48xf32>) recipe [order(b, k, m, n), fuse_outer(b), register_tile(m, n, lanes=16)] {
  ^bb0(%z: f32, %a: tensor<4x8x64xf32>, %c: tensor<64x48xf32>, %d: tensor<64x48xf32>, %g: tensor<4x8x48xf32>, %y: tensor<4x8x48xf32>):
    %h = krnl.temporary : tensor<4x8x48xf32>
    %i = krnl.compute [b, m, n] () -> (%q = %y[b, m, n]) : () -> tensor<4x8x48xf32> {
      linalg.yield %z : f32
    }
    %r = krnl.compute [b, m, n | k] (%p0 = %a[b, m, k], %p1 = %c[k, n]) -> (%q = %i[b, m, n]) : (tensor<4x8x64xf32>, tensor<64x48xf32>) -> tensor<4x8x48xf32> {
      %0 = arith.mulf %p0, %p1 : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    %j = krnl.compute [b, m, n] () -> (%q = %h[b, m, n]) : () -> tensor<4x8x48xf32> {
      linalg.yield %z : f32
    }
    %l = krnl.compute [b, m, n | k] (%p0 = %a[b, m, k], %p1 = %d[k, n]) -> (%q = %j[b, m, n]) : (tensor<4x8x64xf32>, tensor<64x48xf32>) -> tensor<4x8x48xf32> {
      %0 = arith.mulf %p0, %p1 : f32
      %1 = arith.addf %q, %0 : f32
      linalg.yield %1 : f32
    }
    %o = krnl.compute [b, m, n] (%p0 = %l[b, m, n], %p1 = %g[b, m, n]) -> (%q = %r[b, m, n]) : (tensor<4x8x48xf32>, tensor<4x8x48xf32>) -> tensor<4x8x48xf32> {
      %0 = arith.addf %q, %p0 : f32
      %1 = arith.addf %0, %p1 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %o : tensor<4x8x48xf32>
  } -> tensor<4x8x48xf32>
  return %t : tensor<4x8x48xf32>
}
