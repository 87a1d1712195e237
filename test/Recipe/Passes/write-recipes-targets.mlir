// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v2" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,SSE
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=sandybridge" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,AVX
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: onnx-opt %s --select-target="triple=aarch64-linux-gnu" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: onnx-opt %s --select-target="triple=riscv64-linux-gnu features=+v" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,V
// RUN: onnx-opt %s --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefixes=CHECK,LEAST

// The tile of a product follows from the registers of the target. Its columns are
// packed in vectors of these.
// CHECK-LABEL: kernel "gemm"
// SSE-NEXT:      block(n, 8) -> (n.o, n.r),
// SSE-NEXT:      block(m, 6) -> (m.o, m.r),
// AVX-NEXT:      block(n, 16) -> (n.o, n.r),
// AVX-NEXT:      block(m, 6) -> (m.o, m.r),
// AVX2-NEXT:     block(n, 16) -> (n.o, n.r),
// AVX2-NEXT:     block(m, 6) -> (m.o, m.r),
// AVX512-NEXT:   block(n, 48) -> (n.o, n.r),
// AVX512-NEXT:   block(m, 8) -> (m.o, m.r),
// NEON-NEXT:     block(n, 8) -> (n.o, n.r),
// NEON-NEXT:     block(m, 14) -> (m.o, m.r),
// V-NEXT:        block(n, 8) -> (n.o, n.r),
// V-NEXT:        block(m, 14) -> (m.o, m.r),
// LEAST-NEXT:    block(n, 8) -> (n.o, n.r),
// LEAST-NEXT:    block(m, 6) -> (m.o, m.r),
// SSE:           register_tile(m.r, n.r, lanes=4),
// SSE-NEXT:      pack(1, [n.o, k, n.r], lanes=4)
// AVX:           register_tile(m.r, n.r, lanes=8),
// AVX-NEXT:      pack(1, [n.o, k, n.r], lanes=8)
// AVX2:          register_tile(m.r, n.r, lanes=8),
// AVX2-NEXT:     pack(1, [n.o, k, n.r], lanes=8)
// AVX512:        register_tile(m.r, n.r, lanes=16),
// AVX512-NEXT:   pack(1, [n.o, k, n.r], lanes=16)
// NEON:          register_tile(m.r, n.r, lanes=4),
// NEON-NEXT:     pack(1, [n.o, k, n.r], lanes=4)
// V:             register_tile(m.r, n.r, lanes=4),
// V-NEXT:        pack(1, [n.o, k, n.r], lanes=4)
// LEAST:         register_tile(m.r, n.r, lanes=4),
// LEAST-NEXT:    pack(1, [n.o, k, n.r], lanes=4)
func.func @gemm(%x: tensor<126x768xf32>, %w: tensor<768x3072xf32>, %o: tensor<126x3072xf32>) -> tensor<126x3072xf32> {
  %y = krnl.kernel "gemm" loops [m = 126, n = 3072, k = 768]
      ins(%x, %w : tensor<126x768xf32>, tensor<768x3072xf32>) outs(%o : tensor<126x3072xf32>) {
  ^bb0(%a: tensor<126x768xf32>, %b: tensor<768x3072xf32>, %c: tensor<126x3072xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<126x3072xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%lhs = %a[m, k], %rhs = %b[k, n]) -> (%sum = %f[m, n])
        : (tensor<126x768xf32>, tensor<768x3072xf32>) -> tensor<126x3072xf32> {
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    krnl.yield %r : tensor<126x3072xf32>
  } -> tensor<126x3072xf32>
  return %y : tensor<126x3072xf32>
}

// Lanes of an elementwise kernel.
// CHECK-LABEL: kernel "relu"
// SSE:           vectorize(i.i, 4)
// AVX:           vectorize(i.i, 8)
// AVX2:          vectorize(i.i, 8)
// AVX512:        vectorize(i.i, 16)
// NEON:          vectorize(i.i, 4)
// V:             vectorize(i.i, 4)
// LEAST:         vectorize(i.i, 4)
func.func @relu(%x: tensor<4096xf32>, %o: tensor<4096xf32>) -> tensor<4096xf32> {
  %y = krnl.kernel "relu" loops [i = 4096] ins(%x : tensor<4096xf32>) outs(%o : tensor<4096xf32>) {
  ^bb0(%a: tensor<4096xf32>, %b: tensor<4096xf32>):
    %r = krnl.compute [i] (%in = %a[i]) -> (%out = %b[i]) : (tensor<4096xf32>) -> tensor<4096xf32> {
      %zero = arith.constant 0.0 : f32
      %m = arith.maximumf %in, %zero : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}
