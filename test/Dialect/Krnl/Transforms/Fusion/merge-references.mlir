// RUN: onnx-opt %s --krnl-merge | FileCheck %s
//
// Whatever a step refers to has other names and numbers in the merged kernel: the
// loops of the consumer have those of the producer, ops are numbered on, and so are
// operands and the results of ops after them. Both kernels have an intermediate.

// The threads of loop j are those of loop n.
// CHECK-LABEL: func @threads(
// CHECK:         krnl.kernel "a+b" loops [m = 64, n = 64]
// CHECK-SAME:      recipe [fuse_outer(m, n), parallel(m), map(n, thread)]
func.func @threads(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %y = krnl.kernel "a" loops [m = 64, n = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(m, n), parallel(m), map(n, thread)] {
  ^bb0(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "first" [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "second" [m, n] (%p = %f[m, n], %s = %a[m, n]) -> (%q = %z[m, n]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.addf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %r = krnl.kernel "b" loops [i = 64, j = 64] ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(i, j), parallel(i), map(j, thread)] {
  ^bb0(%w0: tensor<64x64xf32>, %a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "third" [i, j] (%p = %w0[i, j]) -> (%q = %t[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "fourth" [i, j] (%p = %f[i, j], %s = %a[i, j]) -> (%q = %z[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.mulf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// One kernel has threads inside the tiles, the other one does without.
// CHECK-LABEL: func @threads_of_consumer(
// CHECK:         krnl.kernel "a+b" loops [m = 64, n = 64]
// CHECK-SAME:      recipe [fuse_outer(m), parallel(m), map(n, thread)]
func.func @threads_of_consumer(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %y = krnl.kernel "a" loops [m = 64, n = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(m), parallel(m)] {
  ^bb0(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "first" [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "second" [m, n] (%p = %f[m, n], %s = %a[m, n]) -> (%q = %z[m, n]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.addf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %r = krnl.kernel "b" loops [i = 64, j = 64] ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(i), parallel(i), map(j, thread)] {
  ^bb0(%w0: tensor<64x64xf32>, %a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "third" [i, j] (%p = %w0[i, j]) -> (%q = %t[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "fourth" [i, j] (%p = %f[i, j], %s = %a[i, j]) -> (%q = %z[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.mulf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// No op writes over what the threads share: that would be a result of the kernel.
// CHECK-LABEL: func @shared_by_threads(
// CHECK:         krnl.kernel "a+b" loops [m = 64, n = 64]
// CHECK-SAME:      recipe [fuse_outer(m), parallel(m), shared(0), shared(2)]
// CHECK-COUNT-3:   krnl.temporary
func.func @shared_by_threads(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %y = krnl.kernel "a" loops [m = 64, n = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(m), parallel(m), shared(first)] {
  ^bb0(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "first" [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "second" [m, n] (%p = %f[m, n], %s = %a[m, n]) -> (%q = %z[m, n]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.addf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %r = krnl.kernel "b" loops [i = 64, j = 64] ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(i), parallel(i), shared(third)] {
  ^bb0(%w0: tensor<64x64xf32>, %a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "third" [i, j] (%p = %w0[i, j]) -> (%q = %t[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "fourth" [i, j] (%p = %f[i, j], %s = %a[i, j]) -> (%q = %z[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.mulf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// The results of ops 0 and 2 have the numbers 3 and 5, after three operands. These ops have
// no loops, so the steps come before fuse_outer.
// CHECK-LABEL: func @computed_slices(
// CHECK:         krnl.kernel "a+b" loops [m = 64, n = 64]
// CHECK-SAME:      recipe [cache(3, at=m, in=shared), cache(5, at=m, in=shared), fuse_outer(m), parallel(m)]
func.func @computed_slices(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %y = krnl.kernel "a" loops [m = 64, n = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [cache(2, at=m, in=shared), fuse_outer(m), parallel(m)] {
  ^bb0(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "first" [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "second" [m, n] (%p = %f[m, n], %s = %a[m, n]) -> (%q = %z[m, n]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.addf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %r = krnl.kernel "b" loops [i = 64, j = 64] ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [cache(3, at=i, in=shared), fuse_outer(i), parallel(i)] {
  ^bb0(%w0: tensor<64x64xf32>, %a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "third" [i, j] (%p = %w0[i, j]) -> (%q = %t[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "fourth" [i, j] (%p = %f[i, j], %s = %a[i, j]) -> (%q = %z[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.mulf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// Op 3 writes over the result of op 2, which is a result of the kernel then, and no
// intermediate for the step. Op 1 writes over that of op 0, which stays in the arena.
// CHECK-LABEL: func @results_in_arena(
// CHECK:         krnl.kernel "a+b" loops [m = 64, n = 64]
// CHECK-SAME:      recipe [fuse_outer(m), parallel(m), arena(0)]
// CHECK-COUNT-1:   krnl.temporary
// CHECK-NOT:       krnl.temporary
func.func @results_in_arena(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %y = krnl.kernel "a" loops [m = 64, n = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(m), parallel(m), arena(first)] {
  ^bb0(%a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "first" [m, n] (%p = %a[m, n]) -> (%q = %t[m, n]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "second" [m, n] (%p = %f[m, n], %s = %a[m, n]) -> (%q = %z[m, n]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.addf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %r = krnl.kernel "b" loops [i = 64, j = 64] ins(%w, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>)
      recipe [fuse_outer(i), parallel(i), arena(third)] {
  ^bb0(%w0: tensor<64x64xf32>, %a: tensor<64x64xf32>, %z: tensor<64x64xf32>):
    %t = krnl.temporary : tensor<64x64xf32>
    %f = krnl.compute "third" [i, j] (%p = %w0[i, j]) -> (%q = %t[i, j]) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = math.exp %p : f32
      linalg.yield %1 : f32
    }
    %r = krnl.compute "fourth" [i, j] (%p = %f[i, j], %s = %a[i, j]) -> (%q = %z[i, j]) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = arith.mulf %p, %s : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
