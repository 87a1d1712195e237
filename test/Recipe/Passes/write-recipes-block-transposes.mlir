// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
//
// A block of threads transposes squares in its memory, so that it reads and writes along memory.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// CHECK-LABEL: kernel "square"
// CHECK-NEXT:    block(i, 32) -> (i.o, i.t),
// CHECK-NEXT:    block(j, {{128|32}}) -> (j.o, j.l),
// CHECK-NEXT:    block(j.l, 32) -> (j.square, j.in_square),
// CHECK-NEXT:    block(j.in_square, 4) -> (j.t, j.r),
// CHECK-NEXT:    order(n, i.o, j.o, i.t, j.t, j.square, j.r),
// CHECK-NEXT:    fuse_outer(n, i.o, j.o, i.t, j.t),
// CHECK-NEXT:    parallel(n, i.o, j.o),
// CHECK-NEXT:    map(i.t, thread),
// CHECK-NEXT:    map(j.t, thread),
// CHECK-NEXT:    cache(0, at=j.square, in=shared),
// CHECK-NEXT:    vectorize(j.r, 4)
func.func @square(%x: tensor<8x2048x1024xf32>, %w: tensor<1024xf32>, %o: tensor<8x1024x2048xf32>) -> tensor<8x1024x2048xf32> {
  %y = krnl.kernel "square" loops [n = 8, i = 1024, j = 2048]
      ins(%x, %w : tensor<8x2048x1024xf32>, tensor<1024xf32>) outs(%o : tensor<8x1024x2048xf32>) recipe [] {
  ^bb0(%a: tensor<8x2048x1024xf32>, %b: tensor<1024xf32>, %c: tensor<8x1024x2048xf32>):
    %s = krnl.compute [n, i, j] (%p = %a[n, j, i], %q = %b[i]) -> (%r = %c[n, i, j])
        : (tensor<8x2048x1024xf32>, tensor<1024xf32>) -> tensor<8x1024x2048xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<8x1024x2048xf32>
  } -> tensor<8x1024x2048xf32>
  return %y : tensor<8x1024x2048xf32>
}

// No square divides 30 rows.
// CHECK-LABEL: kernel "odd"
// CHECK-NOT:     cache
func.func @odd(%x: tensor<64x30xf32>, %o: tensor<30x64xf32>) -> tensor<30x64xf32> {
  %y = krnl.kernel "odd" loops [i = 30, j = 64] ins(%x : tensor<64x30xf32>) outs(%o : tensor<30x64xf32>) recipe [] {
  ^bb0(%a: tensor<64x30xf32>, %c: tensor<30x64xf32>):
    %s = krnl.compute [i, j] (%p = %a[j, i]) -> (%r = %c[i, j]) : (tensor<64x30xf32>) -> tensor<30x64xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %s : tensor<30x64xf32>
  } -> tensor<30x64xf32>
  return %y : tensor<30x64xf32>
}

// Two operands that lie along different loops would need different squares.
// CHECK-LABEL: kernel "two"
// CHECK-NOT:     cache
func.func @two(%x: tensor<64x64x64xf32>, %w: tensor<64x64x64xf32>, %o: tensor<64x64x64xf32>) -> tensor<64x64x64xf32> {
  %y = krnl.kernel "two" loops [i = 64, j = 64, k = 64]
      ins(%x, %w : tensor<64x64x64xf32>, tensor<64x64x64xf32>) outs(%o : tensor<64x64x64xf32>) recipe [] {
  ^bb0(%a: tensor<64x64x64xf32>, %b: tensor<64x64x64xf32>, %c: tensor<64x64x64xf32>):
    %s = krnl.compute [i, j, k] (%p = %a[k, j, i], %q = %b[i, k, j]) -> (%r = %c[i, j, k])
        : (tensor<64x64x64xf32>, tensor<64x64x64xf32>) -> tensor<64x64x64xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<64x64x64xf32>
  } -> tensor<64x64x64xf32>
  return %y : tensor<64x64x64xf32>
}

}
