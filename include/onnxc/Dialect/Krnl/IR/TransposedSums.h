//===- TransposedSums.h - Sums that are transposed --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_TRANSPOSEDSUMS_H
#define ONNXC_DIALECT_KRNL_IR_TRANSPOSEDSUMS_H

#include <algorithm>
#include <cstdint>

namespace onnxc::krnl {

/// Elements along each side of a square that is transposed as a whole: fewer
/// are not profitable.
constexpr int64_t minSquare = 4;

/// Returns true if sums may be transposed before they are stored: their lanes
/// are along a loop of the extent `reads`, and their results are contiguous
/// along another one, of the extent `results`.
inline bool canTransposeSums(int64_t reads, int64_t results) {
  return std::min(reads, results) >= minSquare;
}

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_TRANSPOSEDSUMS_H
