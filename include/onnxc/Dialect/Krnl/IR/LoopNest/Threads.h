//===- Threads.h - Loops of the threads of a tile ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// map(l): each iteration of a loop is that of a thread of its own.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_THREADS_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_THREADS_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// The live loops that have threads of their own, outermost first.
llvm::SmallVector<unsigned> mappedLoops(const LoopNest &nest);

/// All mapped loops of order(): mappedLoops(), and the loops that are mapped
/// as one of them.
llvm::SmallVector<unsigned> loopsOfThreads(const LoopNest &nest);

/// The threads of a tile: the product of the extents of mappedLoops().
int64_t numThreads(const LoopNest &nest);

/// The threads that have the iterations of a mapped loop.
ThreadLoop threadsOf(const LoopNest &nest, unsigned loop);

/// The reason why some threads would not reach a barrier; empty if all do.
std::string reasonAgainstWaiting(const LoopNest &nest);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_THREADS_H
