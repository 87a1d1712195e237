//===- EarlyReads.h - Operands prefetched before a sum ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_EARLYREADS_H
#define ONNXC_DIALECT_KRNL_IR_EARLYREADS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

#include <optional>
#include <string>

namespace onnxc::krnl {

/// prefetch(operand, distance=0, line): what an op after a sum reads is
/// prefetched before the sum.
struct EarlyRead {
  /// Numbers of the op that sums up, and of the first one after it that reads
  /// the operand.
  unsigned sum, reader;
  mlir::OpOperand *operand;
  /// Loops of threads that read the same elements. Each of them prefetches its
  /// share of the lines.
  llvm::SmallVector<unsigned> sharers;
  /// Lines that a thread reads, and how many each of the sharers prefetches.
  int64_t lines, share;
};

/// Nothing, and why, where such a prefetch is impossible or none would wait
/// less.
std::optional<EarlyRead> earlyReadOf(const LoopNest &nest,
                                     const Prefetch &prefetch,
                                     std::string &reason);

/// Returns true if the operand of the op is prefetched before a sum.
bool isReadEarly(const LoopNest &nest, unsigned op, mlir::OpOperand &operand);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_EARLYREADS_H
