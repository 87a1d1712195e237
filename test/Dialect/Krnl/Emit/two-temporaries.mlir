// RUN: onnx-opt %s --cse --krnl-lower-kernels | FileCheck %s
//
// Equal temporaries are no common subexpressions: they live at the same time, so
// each has its own memory.

// CHECK-LABEL: func private @kernel_two_sums
// CHECK-COUNT-2: memref.alloca() {{.*}}: memref<8xf32>
func.func @two_sums(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = krnl.kernel "two_sums" loops [i = 8, j = 4] ins(%x, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [i] () -> (%_ = %e[i]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [i | j] (%p = %a[i, j]) -> (%q = %f[i]) : (tensor<8x4xf32>) -> tensor<8xf32> {
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    }
    %h = krnl.temporary : tensor<8xf32>
    %g = krnl.compute [i] () -> (%_ = %h[i]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %t = krnl.compute [i | j] (%p = %b[i, j]) -> (%q = %g[i]) : (tensor<8x4xf32>) -> tensor<8xf32> {
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    }
    %d = krnl.compute [i] (%p = %s[i], %q = %t[i]) -> (%u = %c[i])
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      %v = arith.divf %p, %q : f32
      linalg.yield %v : f32
    }
    krnl.yield %d : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A temporary that nothing uses is no memory.
// CHECK-LABEL: func private @kernel_copy
// CHECK-NOT: memref.alloca
func.func @unused(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = krnl.kernel "copy" loops [i = 8] ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %unused = krnl.temporary : tensor<8xf32>
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %o[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
