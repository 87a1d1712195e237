// RUN: onnx-opt %s --krnl-print-nest 2>&1 | FileCheck %s

// The loops that the recipe leads to, with what each step made of them.
// CHECK: kernel relu
// CHECK-NEXT: nest: i.o(7 parallel) i.v(16)
// CHECK-NEXT: 0: i.o(7) i.v(16 lanes=16)
func.func @blocked(%x: tensor<100xf32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %y = krnl.kernel "relu" loops [i = 100] ins(%x : tensor<100xf32>) outs(%o : tensor<100xf32>)
      recipe [block(i, 16) -> (i.o, i.v), fuse_outer(i.o), parallel(i.o), vectorize(i.v, 16)] {
  ^bb0(%a: tensor<100xf32>, %b: tensor<100xf32>):
    %zero = arith.constant 0.0 : f32
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<100xf32>) -> tensor<100xf32> {
      %m = arith.maximumf %p, %zero : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<100xf32>
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// Which recipes leave every sum in its order: of two reduced loops the outer one
// may be unrolled if the inner one is unrolled as a whole, and none of them
// may swap, named or not.
// CHECK: kernel whole_window
// CHECK: kernel part_of_window (reorders reductions)
// CHECK: kernel around (reorders reductions)
func.func @whole_window(%x: tensor<8x4x3xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "whole_window" loops [i = 8, j = 4, k = 3] ins(%x : tensor<8x4x3xf32>) outs(%o : tensor<8xf32>) recipe [unroll(k, 3), unroll(j, 2)] {
  ^bb0(%a: tensor<8x4x3xf32>, %b: tensor<8xf32>):
    %r = krnl.compute [i | j, k] (%p = %a[i, j, k]) -> (%q = %b[i])
        : (tensor<8x4x3xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @part_of_window(%x: tensor<8x4x3xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "part_of_window" loops [i = 8, j = 4, k = 3] ins(%x : tensor<8x4x3xf32>) outs(%o : tensor<8xf32>) recipe [unroll(j, 2)] {
  ^bb0(%a: tensor<8x4x3xf32>, %b: tensor<8xf32>):
    %r = krnl.compute [i | j, k] (%p = %a[i, j, k]) -> (%q = %b[i])
        : (tensor<8x4x3xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @around(%x: tensor<8x4x3xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "around" loops [j = 4, k = 3, i = 8] ins(%x : tensor<8x4x3xf32>) outs(%o : tensor<8xf32>) recipe [order(i, j)] {
  ^bb0(%a: tensor<8x4x3xf32>, %b: tensor<8xf32>):
    %r = krnl.compute [i | j, k] (%p = %a[i, j, k]) -> (%q = %b[i])
        : (tensor<8x4x3xf32>) -> tensor<8xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
