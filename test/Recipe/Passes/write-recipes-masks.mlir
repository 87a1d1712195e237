// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: sed -e '1i module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108>} {' -e '$a }' %s | onnx-opt --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=DEVICE
//
// Panels of keys that a mask hides from all rows of a tile are left out; a block of threads has the scores of all keys in
// registers, and leaves out slices of values.

// CHECK:     block(n, [[SIZE:[0-9]+]]) -> (n.o, n.r)
// CHECK:     skip_masked(n.o)
// DEVICE:    7: skip_masked(n.x)
// DEVICE-NOT: skip_masked
func.func @causal(%q: tensor<96x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>, %o: tensor<96x32xf32>) -> tensor<96x32xf32> {
  %y = krnl.kernel "causal" loops [m = 96, n = 512, k = 32, e = 32] ins(%q, %k, %v : tensor<96x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) outs(%o : tensor<96x32xf32>) {
  ^bb0(%x: tensor<96x32xf32>, %w: tensor<512x32xf32>, %z: tensor<512x32xf32>, %c: tensor<96x32xf32>):
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %s = krnl.temporary : tensor<96x512xf32>
    %t = krnl.temporary : tensor<96xf32>
    %u = krnl.temporary : tensor<96xf32>
    %0 = krnl.compute [m, n] () -> (%_ = %s[m, n]) : () -> tensor<96x512xf32> { linalg.yield %zero : f32 }
    %1 = krnl.compute [m, n | k] (%a = %x[m, k], %b = %w[n, k]) -> (%d = %0[m, n])
        : (tensor<96x32xf32>, tensor<512x32xf32>) -> tensor<96x512xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    %2 = krnl.compute [m, n] () -> (%d = %1[m, n]) : () -> tensor<96x512xf32> {
      %i = krnl.index n
      %j = krnl.index m
      %before = arith.constant 3 : index
      %end = arith.addi %j, %before : index
      %hidden = arith.cmpi sgt, %i, %end : index
      %p = arith.select %hidden, %lowest, %d : f32
      linalg.yield %p : f32
    }
    %3 = krnl.compute [m] () -> (%_ = %t[m]) : () -> tensor<96xf32> { linalg.yield %lowest : f32 }
    %4 = krnl.compute [m | n] (%a = %2[m, n]) -> (%d = %3[m]) : (tensor<96x512xf32>) -> tensor<96xf32> {
      %r = arith.maximumf %d, %a : f32
      linalg.yield %r : f32
    }
    %5 = krnl.compute [m, n] (%a = %4[m]) -> (%d = %2[m, n]) : (tensor<96xf32>) -> tensor<96x512xf32> {
      %p = arith.subf %d, %a : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32
    }
    %6 = krnl.compute [m, e] () -> (%_ = %c[m, e]) : () -> tensor<96x32xf32> { linalg.yield %zero : f32 }
    %7 = krnl.compute [m, e | n] (%a = %5[m, n], %b = %z[n, e]) -> (%d = %6[m, e])
        : (tensor<96x512xf32>, tensor<512x32xf32>) -> tensor<96x32xf32> {
      %p = arith.mulf %a, %b : f32
      %r = arith.addf %d, %p : f32
      linalg.yield %r : f32
    }
    krnl.yield %7 : tensor<96x32xf32>
  } -> tensor<96x32xf32>
  return %y : tensor<96x32xf32>
}
