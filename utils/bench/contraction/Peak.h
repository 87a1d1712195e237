//===- Peak.h - The core's rate of fused multiply-adds ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_UTILS_BENCH_CONTRACTION_PEAK_H
#define ONNXC_UTILS_BENCH_CONTRACTION_PEAK_H

#include <cstdint>

namespace onnxc::bench {

/// True if the processor multiplies and adds in one instruction.
bool hasFusedMultiplyAdd();

/// Runs `rounds` rounds of independent f32 FMAs that touch registers only, as
/// wide as the processor has them. Returns the number of operations, two per
/// FMA and lane.
double runRegisterFMAs(int64_t rounds);

} // namespace onnxc::bench

#endif // ONNXC_UTILS_BENCH_CONTRACTION_PEAK_H
