// RUN: onnx-opt %s --krnl-fuse=attention=true | FileCheck %s
// RUN: onnx-opt %s --krnl-fuse | FileCheck %s --check-prefix=APART

// Scores, what is made of their rows, and sums over these are one kernel, in which
// all that is between them is a temporary.
// CHECK-LABEL: func.func @attention(
// CHECK-NOT:     krnl.kernel
// CHECK:         krnl.kernel "scores+rows+sums" loops [b = 2, m = 512, n = 384, k = 64, n_2 = 64]
// CHECK-SAME:      ins(%arg0, %arg1, %arg2 :
// CHECK:           krnl.temporary : tensor<2x512x384xf32>
// CHECK:           krnl.compute [b, m, n | k]
// CHECK:           krnl.compute [b, m | n]
// CHECK:           krnl.compute [b, m, n_2 | n]
// CHECK-NOT:     krnl.kernel
// CHECK:         return
// APART-LABEL: func.func @attention(
// APART:         krnl.kernel "scores"
// APART:         krnl.kernel "rows"
// APART:         krnl.kernel "sums"
func.func @attention(%q: tensor<2x512x64xf32>, %k: tensor<2x384x64xf32>, %v: tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
  %s = tensor.empty() : tensor<2x512x384xf32>
  %o = tensor.empty() : tensor<2x512x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 512, n = 384, k = 64] ins(%q, %k : tensor<2x512x64xf32>, tensor<2x384x64xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x64xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x384xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x512x64xf32>, tensor<2x384x64xf32>) -> tensor<2x512x384xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 512, j = 384] ins(%0 : tensor<2x512x384xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %c: tensor<2x512x384xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x512xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x512xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x512x384xf32>) -> tensor<2x512xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x512x384xf32>, tensor<2x512xf32>) -> tensor<2x512x384xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 512, n = 64, k = 384] ins(%1, %v : tensor<2x512x384xf32>, tensor<2x384x64xf32>) outs(%o : tensor<2x512x64xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x512x384xf32>, tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x64xf32>
  } -> tensor<2x512x64xf32>
  return %2 : tensor<2x512x64xf32>
}

// The scores of a head are 64 kB: they stay in the second cache anyway.
// CHECK-LABEL: func.func @small(
// CHECK-COUNT-3: krnl.kernel
func.func @small(%q: tensor<2x128x64xf32>, %k: tensor<2x128x64xf32>, %v: tensor<2x128x64xf32>) -> tensor<2x128x64xf32> {
  %s = tensor.empty() : tensor<2x128x128xf32>
  %o = tensor.empty() : tensor<2x128x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 128, n = 128, k = 64] ins(%q, %k : tensor<2x128x64xf32>, tensor<2x128x64xf32>) outs(%s : tensor<2x128x128xf32>) {
  ^bb0(%x: tensor<2x128x64xf32>, %w: tensor<2x128x64xf32>, %c: tensor<2x128x128xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x128x128xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x128x64xf32>, tensor<2x128x64xf32>) -> tensor<2x128x128xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x128x128xf32>
  } -> tensor<2x128x128xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 128, j = 128] ins(%0 : tensor<2x128x128xf32>) outs(%s : tensor<2x128x128xf32>) {
  ^bb0(%x: tensor<2x128x128xf32>, %c: tensor<2x128x128xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x128xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x128xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x128x128xf32>) -> tensor<2x128xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x128x128xf32>, tensor<2x128xf32>) -> tensor<2x128x128xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x128x128xf32>
  } -> tensor<2x128x128xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 128, n = 64, k = 128] ins(%1, %v : tensor<2x128x128xf32>, tensor<2x128x64xf32>) outs(%o : tensor<2x128x64xf32>) {
  ^bb0(%x: tensor<2x128x128xf32>, %w: tensor<2x128x64xf32>, %c: tensor<2x128x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x128x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x128x128xf32>, tensor<2x128x64xf32>) -> tensor<2x128x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x128x64xf32>
  } -> tensor<2x128x64xf32>
  return %2 : tensor<2x128x64xf32>
}

// CHECK-LABEL: func.func @few_rows(
// CHECK-COUNT-3: krnl.kernel
func.func @few_rows(%q: tensor<2x8x64xf32>, %k: tensor<2x4000x64xf32>, %v: tensor<2x4000x64xf32>) -> tensor<2x8x64xf32> {
  %s = tensor.empty() : tensor<2x8x4000xf32>
  %o = tensor.empty() : tensor<2x8x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 8, n = 4000, k = 64] ins(%q, %k : tensor<2x8x64xf32>, tensor<2x4000x64xf32>) outs(%s : tensor<2x8x4000xf32>) {
  ^bb0(%x: tensor<2x8x64xf32>, %w: tensor<2x4000x64xf32>, %c: tensor<2x8x4000xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x8x4000xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x8x64xf32>, tensor<2x4000x64xf32>) -> tensor<2x8x4000xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x8x4000xf32>
  } -> tensor<2x8x4000xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 8, j = 4000] ins(%0 : tensor<2x8x4000xf32>) outs(%s : tensor<2x8x4000xf32>) {
  ^bb0(%x: tensor<2x8x4000xf32>, %c: tensor<2x8x4000xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x8xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x8xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x8x4000xf32>) -> tensor<2x8xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x8x4000xf32>, tensor<2x8xf32>) -> tensor<2x8x4000xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x8x4000xf32>
  } -> tensor<2x8x4000xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 8, n = 64, k = 4000] ins(%1, %v : tensor<2x8x4000xf32>, tensor<2x4000x64xf32>) outs(%o : tensor<2x8x64xf32>) {
  ^bb0(%x: tensor<2x8x4000xf32>, %w: tensor<2x4000x64xf32>, %c: tensor<2x8x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x8x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x8x4000xf32>, tensor<2x4000x64xf32>) -> tensor<2x8x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x8x64xf32>
  } -> tensor<2x8x64xf32>
  return %2 : tensor<2x8x64xf32>
}

// Four rows of 8000 elements do not fit the stack.
// CHECK-LABEL: func.func @long_rows(
// CHECK-COUNT-3: krnl.kernel
func.func @long_rows(%q: tensor<2x512x64xf32>, %k: tensor<2x8000x64xf32>, %v: tensor<2x8000x64xf32>) -> tensor<2x512x64xf32> {
  %s = tensor.empty() : tensor<2x512x8000xf32>
  %o = tensor.empty() : tensor<2x512x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 512, n = 8000, k = 64] ins(%q, %k : tensor<2x512x64xf32>, tensor<2x8000x64xf32>) outs(%s : tensor<2x512x8000xf32>) {
  ^bb0(%x: tensor<2x512x64xf32>, %w: tensor<2x8000x64xf32>, %c: tensor<2x512x8000xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x8000xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x512x64xf32>, tensor<2x8000x64xf32>) -> tensor<2x512x8000xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x8000xf32>
  } -> tensor<2x512x8000xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 512, j = 8000] ins(%0 : tensor<2x512x8000xf32>) outs(%s : tensor<2x512x8000xf32>) {
  ^bb0(%x: tensor<2x512x8000xf32>, %c: tensor<2x512x8000xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x512xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x512xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x512x8000xf32>) -> tensor<2x512xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x512x8000xf32>, tensor<2x512xf32>) -> tensor<2x512x8000xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x512x8000xf32>
  } -> tensor<2x512x8000xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 512, n = 64, k = 8000] ins(%1, %v : tensor<2x512x8000xf32>, tensor<2x8000x64xf32>) outs(%o : tensor<2x512x64xf32>) {
  ^bb0(%x: tensor<2x512x8000xf32>, %w: tensor<2x8000x64xf32>, %c: tensor<2x512x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x512x8000xf32>, tensor<2x8000x64xf32>) -> tensor<2x512x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x64xf32>
  } -> tensor<2x512x64xf32>
  return %2 : tensor<2x512x64xf32>
}

// Keys are stored in panels, which as values they could not be read from.
// CHECK-LABEL: func.func @same_operand(
// CHECK-COUNT-3: krnl.kernel
func.func @same_operand(%q: tensor<2x512x64xf32>, %k: tensor<2x384x64xf32>, %v: tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
  %s = tensor.empty() : tensor<2x512x384xf32>
  %o = tensor.empty() : tensor<2x512x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 512, n = 384, k = 64] ins(%q, %k : tensor<2x512x64xf32>, tensor<2x384x64xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x64xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x384xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x512x64xf32>, tensor<2x384x64xf32>) -> tensor<2x512x384xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 512, j = 384] ins(%0 : tensor<2x512x384xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %c: tensor<2x512x384xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x512xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x512xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x512x384xf32>) -> tensor<2x512xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x512x384xf32>, tensor<2x512xf32>) -> tensor<2x512x384xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 512, n = 64, k = 384] ins(%1, %k : tensor<2x512x384xf32>, tensor<2x384x64xf32>) outs(%o : tensor<2x512x64xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x512x384xf32>, tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x64xf32>
  } -> tensor<2x512x64xf32>
  return %2 : tensor<2x512x64xf32>
}

// Weights are packed for a product alone.
// CHECK-LABEL: func.func @weights(
// CHECK:         krnl.kernel "scores"
// CHECK:         krnl.kernel "rows"
// CHECK:         krnl.kernel "sums"
func.func @weights(%q: tensor<2x512x64xf32>, %k: tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
  %v = krnl.constant dense<0.5> : tensor<2x384x64xf32>
  %s = tensor.empty() : tensor<2x512x384xf32>
  %o = tensor.empty() : tensor<2x512x64xf32>
  %0 = krnl.kernel "scores" loops [b = 2, m = 512, n = 384, k = 64] ins(%q, %k : tensor<2x512x64xf32>, tensor<2x384x64xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x64xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x384xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, n, k]) -> (%i = %f[b, m, n])
        : (tensor<2x512x64xf32>, tensor<2x384x64xf32>) -> tensor<2x512x384xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %1 = krnl.kernel "rows" loops [b = 2, r = 512, j = 384] ins(%0 : tensor<2x512x384xf32>) outs(%s : tensor<2x512x384xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %c: tensor<2x512x384xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %t = krnl.temporary : tensor<2x512xf32>
    %f = krnl.compute [b, r] () -> (%_ = %t[b, r]) : () -> tensor<2x512xf32> { linalg.yield %lowest : f32 }
    %p = krnl.compute [b, r | j] (%g = %x[b, r, j]) -> (%h = %f[b, r])
        : (tensor<2x512x384xf32>) -> tensor<2x512xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [b, r, j] (%g = %x[b, r, j], %h = %p[b, r]) -> (%i = %c[b, r, j])
        : (tensor<2x512x384xf32>, tensor<2x512xf32>) -> tensor<2x512x384xf32> {
      %l = arith.subf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<2x512x384xf32>
  } -> tensor<2x512x384xf32>
  %2 = krnl.kernel "sums" loops [b = 2, m = 512, n = 64, k = 384] ins(%1, %v : tensor<2x512x384xf32>, tensor<2x384x64xf32>) outs(%o : tensor<2x512x64xf32>) {
  ^bb0(%x: tensor<2x512x384xf32>, %w: tensor<2x384x64xf32>, %c: tensor<2x512x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, m, n] () -> (%_ = %c[b, m, n]) : () -> tensor<2x512x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [b, m, n | k] (%g = %x[b, m, k], %h = %w[b, k, n]) -> (%i = %f[b, m, n])
        : (tensor<2x512x384xf32>, tensor<2x384x64xf32>) -> tensor<2x512x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<2x512x64xf32>
  } -> tensor<2x512x64xf32>
  return %2 : tensor<2x512x64xf32>
}
