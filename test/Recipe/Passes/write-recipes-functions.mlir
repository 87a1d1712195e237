// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=haswell" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m55" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,SMALL

// Unrolled copies of a function have values on the stack, which a Cortex-M55 has
// little of; those of other operations do not.
// CHECK-LABEL: kernel "sum_of_powers"
// LARGE:         0: unroll(r, 8),
// SMALL-NOT:     unroll(r
// CHECK-LABEL: kernel "sum_of_squares"
// CHECK:         0: unroll(r, 8),
// A power is two functions: half as many copies.
// CHECK-LABEL: kernel "sum_of_norms"
// LARGE:         0: unroll(r, 2),
// SMALL-NOT:     unroll(r
func.func @sums(%x: tensor<8x64xf32>, %v: tensor<2x64xf32>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %y = krnl.kernel "sum_of_powers" loops [r = 8, c = 64] ins(%x : tensor<8x64xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64xf32>):
    %r = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %b[c]) : (tensor<8x64xf32>) -> tensor<64xf32> {
      %e = math.exp %p : f32
      %s = arith.addf %q, %e : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  %z = krnl.kernel "sum_of_squares" loops [r = 8, c = 64] ins(%x : tensor<8x64xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64xf32>):
    %r = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %b[c]) : (tensor<8x64xf32>) -> tensor<64xf32> {
      %e = arith.mulf %p, %p : f32
      %s = arith.addf %q, %e : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  %w = krnl.kernel "sum_of_norms" loops [r = 2, c = 64] ins(%v : tensor<2x64xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%a: tensor<2x64xf32>, %b: tensor<64xf32>):
    %r = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %b[c]) : (tensor<2x64xf32>) -> tensor<64xf32> {
      %four = arith.constant 4.0 : f32
      %e = math.powf %p, %four : f32
      %s = arith.addf %q, %e : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}
