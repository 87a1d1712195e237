// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

// The row of an intermediate that a tile needs is on the stack.
// CHECK-LABEL: func private @kernel_stack_0(
// CHECK:         memref.alloca() {{.*}} : memref<1x100xf32>
func.func @stack(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %y = krnl.kernel "stack" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// By the step all of it is a destination more.
// CHECK-LABEL: func private @kernel_arena_0(
// CHECK-SAME:    memref<8x100xf32>, %{{.+}}: memref<8x100xf32>, %{{.+}}: memref<8x100xf32>,
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @arena(%x: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %y = krnl.kernel "arena" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%o : tensor<8x100xf32>)
      recipe [fuse_outer(i), arena(double)] {
  ^bb0(%a: tensor<8x100xf32>, %b: tensor<8x100xf32>):
    %t = krnl.temporary : tensor<8x100xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x100xf32>) -> tensor<8x100xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// A tile of a processor has all iterations of mapped loops, so that what they pass to each other is in memory.
// CHECK-LABEL: func private @kernel_threads_0(
// CHECK-SAME:    memref<8x32xf32>, %{{.+}}: memref<8x32xf32>, %{{.+}}: memref<8x32xf32>,
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @threads(%x: tensor<8x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %y = krnl.kernel "threads" loops [i = 8, j = 32] ins(%x : tensor<8x32xf32>) outs(%o : tensor<8x32xf32>)
      recipe [fuse_outer(i), parallel(i), map(j, thread), arena(double)] {
  ^bb0(%a: tensor<8x32xf32>, %b: tensor<8x32xf32>):
    %t = krnl.temporary : tensor<8x32xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x32xf32>
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
