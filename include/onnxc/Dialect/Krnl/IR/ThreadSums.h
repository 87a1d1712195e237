//===- ThreadSums.h - Sums that threads combine -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// By which threads, and by how much memory, a tile combines parts of sums: the
// emission, the bytes that it has of shared memory and the costs are by these.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_THREADSUMS_H
#define ONNXC_DIALECT_KRNL_IR_THREADSUMS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The threads of a warp, which exchange values directly: recipes are legal for
/// all targets, which agree on its size.
constexpr int64_t warpThreads = target::Processor{}.warpThreads;

/// Threads that share a tile: those of a block of any GPU.
constexpr int64_t maxTileThreads = 1024;

/// The threads of the producer of a pipeline, numbered after those of the
/// mapped loops.
constexpr int64_t producerThreads = warpThreads;

/// Returns true if threads of several warps have the iterations.
inline bool crossesWarps(const ThreadLoop &loop) {
  return loop.stride > 1 || loop.extent > warpThreads;
}

/// The reduced loops of an op that threads have, by stride.
llvm::SmallVector<ThreadLoop> sumsOfThreads(const LoopNest &nest, unsigned op);

/// The number of words of shared memory by which the threads of a tile combine
/// a value, for each of these loops, by stride; 0 where registers suffice.
llvm::SmallVector<int64_t> exchangedWords(llvm::ArrayRef<ThreadLoop> loops,
                                          int64_t tileThreads);

/// The number of sums of a thread that warps combine by one exchange, a vector
/// being one: all that the op has in registers, as far as the memory for them
/// stays small.
int64_t sumsOfExchange(const LoopNest &nest, unsigned op);

/// The number of sums of the op that a thread has in registers at once, a
/// vector being one.
int64_t sumsInRegisters(const LoopNest &nest, unsigned op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_THREADSUMS_H
