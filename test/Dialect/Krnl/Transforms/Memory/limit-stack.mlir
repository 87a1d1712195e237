// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi" --krnl-limit-stack | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu" --krnl-limit-stack | FileCheck %s --check-prefixes=CHECK,LARGE

// Tiles of this target may have 1024 bytes of an intermediate on the stack.
// CHECK-LABEL: krnl.kernel "fits"
// CHECK:         recipe [fuse_outer(i)]
func.func @fits(%x: tensor<8x256xf32>, %o: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %y = krnl.kernel "fits" loops [i = 8, j = 256] ins(%x : tensor<8x256xf32>) outs(%o : tensor<8x256xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x256xf32>, %b: tensor<8x256xf32>):
    %t = krnl.temporary : tensor<8x256xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x256xf32>) -> tensor<8x256xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x256xf32>) -> tensor<8x256xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x256xf32>
  } -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}

// CHECK-LABEL: krnl.kernel "exceeds"
// SMALL:         recipe [fuse_outer(i), arena(double)]
// LARGE:         recipe [fuse_outer(i)]
func.func @exceeds(%x: tensor<8x257xf32>, %o: tensor<8x257xf32>) -> tensor<8x257xf32> {
  %y = krnl.kernel "exceeds" loops [i = 8, j = 257] ins(%x : tensor<8x257xf32>) outs(%o : tensor<8x257xf32>)
      recipe [fuse_outer(i)] {
  ^bb0(%a: tensor<8x257xf32>, %b: tensor<8x257xf32>):
    %t = krnl.temporary : tensor<8x257xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x257xf32>
  } -> tensor<8x257xf32>
  return %y : tensor<8x257xf32>
}

// CHECK-LABEL: krnl.kernel "there_already"
// CHECK:         recipe [fuse_outer(i), arena(0)]
func.func @there_already(%x: tensor<8x257xf32>, %o: tensor<8x257xf32>) -> tensor<8x257xf32> {
  %y = krnl.kernel "there_already" loops [i = 8, j = 257] ins(%x : tensor<8x257xf32>) outs(%o : tensor<8x257xf32>)
      recipe [fuse_outer(i), arena(0)] {
  ^bb0(%a: tensor<8x257xf32>, %b: tensor<8x257xf32>):
    %t = krnl.temporary : tensor<8x257xf32>
    %s = krnl.compute "double" [i, j] (%p = %a[i, j]) -> (%q = %t[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.addf %p, %p : f32
      linalg.yield %d : f32
    }
    %r = krnl.compute [i, j] (%p = %s[i, j]) -> (%q = %b[i, j]) : (tensor<8x257xf32>) -> tensor<8x257xf32> {
      %d = arith.negf %p : f32
      linalg.yield %d : f32
    }
    krnl.yield %r : tensor<8x257xf32>
  } -> tensor<8x257xf32>
  return %y : tensor<8x257xf32>
}
