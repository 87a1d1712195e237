//===- OutputBlocks.h - Memory of outputs, used again -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Memory of an output that the caller has released serves later runs: new pages
// of the system cost a fault each, which for large outputs is most of the time
// of a small model. Any thread may call these functions; none waits.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_OUTPUTBLOCKS_H
#define ONNXC_RUNTIME_LIB_OUTPUTBLOCKS_H

#include <stdint.h>

namespace onnxc::rt {

/// Limits on the kept blocks, of all models of a runtime together.
constexpr int kMaxOutputBlocks = 8;
constexpr int64_t kMaxOutputBytes = int64_t(256) << 20;
/// Smaller blocks come from malloc without a fault.
constexpr int64_t kMinOutputBlock = 64 << 10;

/// Memory of at least `bytes` bytes, as from allocateAligned; null on failure.
/// `capacity` is its size.
void *takeOutputBlock(int64_t bytes, int64_t &capacity);

/// Keeps memory of `capacity` bytes that free() may free, or frees it.
void giveOutputBlock(void *memory, int64_t capacity);

/// Bytes that wait for later runs.
int64_t keptOutputBytes();

/// Frees all that is kept.
void freeOutputBlocks();

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_OUTPUTBLOCKS_H
