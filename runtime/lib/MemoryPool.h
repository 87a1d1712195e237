//===- MemoryPool.h - Blocks whose size is known at run time ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A context keeps the blocks of its calls: a released block goes to a free
// list of its size class and comes back without asking the system, so that a
// repeated call allocates nothing. Used by one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_MEMORYPOOL_H
#define ONNXC_RUNTIME_LIB_MEMORYPOOL_H

#include <stdint.h>

namespace onnxc::rt {

/// 64-byte aligned memory of the system; null on failure or an invalid size.
/// Blocks of several megabytes request large pages. Freed with free().
void *allocateAligned(int64_t bytes);

class MemoryPool {
public:
  /// Null on failure.
  void *allocate(int64_t bytes);
  /// One more reference to a block, which takes one more release.
  static void retain(void *object);
  /// Null is allowed.
  void release(void *object);
  /// Releases live allocations, and gives blocks that this call has not used
  /// back to the system if there is far more than it needed.
  void endCall();
  void destroy();

  /// Bytes taken from the system.
  int64_t heldBytes() const { return held; }

private:
  struct Block;
  /// Four classes per power of two, from 64 bytes up.
  static constexpr int kClasses = 176;

  static int classOf(int64_t bytes);
  static int64_t bytesOfClass(int index);
  Block *takeFree(int sizeClass);
  /// Frees the blocks that no call has used since the one with this number.
  void freeBlocks(int64_t unusedSince);

  Block *live = nullptr;
  Block *freeLists[kClasses] = {};
  int64_t held = 0; // live and free blocks
  int64_t liveBytes = 0;
  int64_t peakBytes = 0; // of liveBytes in this call
  int64_t call = 0;      // number of this call
};

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_MEMORYPOOL_H
