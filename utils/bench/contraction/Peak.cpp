//===- Peak.cpp - The core's rate of fused multiply-adds -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Twelve accumulators cover two units with a latency of up to six cycles.
//
//===----------------------------------------------------------------------===//

#include "Peak.h"

static constexpr int accumulators = 12;

// Inline assembly, so that no compiler folds the loop; registers 14 and 15 are
// the factors: zero, so that values stay finite.
#define ONNXC_FMA_ROUND(R)                                                     \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "0\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "1\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "2\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "3\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "4\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "5\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "6\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "7\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "8\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "9\n\t"                             \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "10\n\t"                            \
  "vfmadd231ps %%" R "14, %%" R "15, %%" R "11\n\t"

#define ONNXC_FMA_LOOP(R)                                                      \
  __asm__ volatile("vzeroall\n"                                                \
                   "1:\n\t" ONNXC_FMA_ROUND(R) "dec %0\n\t"                    \
                                               "jnz 1b\n\t"                    \
                                               "vzeroupper"                    \
                   : "+r"(rounds)                                              \
                   :                                                           \
                   : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",     \
                     "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",         \
                     "xmm12", "xmm13", "xmm14", "xmm15")

bool onnxc::bench::hasFusedMultiplyAdd() {
  return __builtin_cpu_supports("avx512f") || __builtin_cpu_supports("fma");
}

double onnxc::bench::runRegisterFMAs(int64_t rounds) {
  double operations = 2.0 * accumulators * double(rounds);
  if (__builtin_cpu_supports("avx512f")) {
    ONNXC_FMA_LOOP("zmm");
    return operations * 16;
  }
  ONNXC_FMA_LOOP("ymm");
  return operations * 8;
}
