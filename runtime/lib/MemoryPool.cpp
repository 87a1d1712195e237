//===- MemoryPool.cpp - Blocks whose size is known at run time --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryPool.h"

#include "onnxc/rt/hooks.h"
#include "os/OS.h"

#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// Sits in the 64 bytes before the object.
struct MemoryPool::Block {
  Block *next;
  Block *previous; // live blocks only
  int64_t sizeClass;
  int64_t references;
  int64_t lastCall; // that has used it
  int64_t padding[3];

  void *object() { return this + 1; }
};

constexpr int64_t kHugePage = int64_t(2) << 20;

void *rt::allocateAligned(int64_t bytes) {
  if (bytes < 0 || bytes > ONNXC_MAX_TENSOR_BYTES)
    return nullptr;
  bool huge = bytes >= 2 * kHugePage;
  void *memory = nullptr;
  if (posix_memalign(&memory, huge ? size_t(kHugePage) : 64,
                     bytes > 0 ? size_t(bytes) : 64) != 0)
    return nullptr;
  if (huge)
    os::adviseHuge(memory, size_t(bytes));
  return memory;
}

/// Class 4 * e + q holds (4 + q) << (e + 4) bytes: 64, 80, 96, 112, 128, ...
int MemoryPool::classOf(int64_t bytes) {
  if (bytes <= 64)
    return 0;
  int log = 63 - __builtin_clzll(uint64_t(bytes - 1)); // 2^log < bytes
  int64_t quarter = int64_t(1) << (log - 2);
  int quarters = int((bytes - (int64_t(1) << log) + quarter - 1) / quarter);
  return 4 * (log - 6) + quarters;
}

int64_t MemoryPool::bytesOfClass(int index) {
  return int64_t(4 + index % 4) << (index / 4 + 4);
}

/// A free block of the class, or of one that is less than twice as large.
MemoryPool::Block *MemoryPool::takeFree(int sizeClass) {
  for (int i = sizeClass; i < sizeClass + 4 && i < kClasses; ++i)
    if (Block *block = freeLists[i]) {
      freeLists[i] = block->next;
      return block;
    }
  return nullptr;
}

void *MemoryPool::allocate(int64_t bytes) {
  static_assert(sizeof(Block) == 64);
  if (bytes < 0 || bytes > ONNXC_MAX_TENSOR_BYTES)
    return nullptr;
  int sizeClass = classOf(bytes);
  Block *block = takeFree(sizeClass);
  if (!block) {
    int64_t classBytes = bytesOfClass(sizeClass);
    block = static_cast<Block *>(
        allocateAligned(classBytes + int64_t(sizeof(Block))));
    if (!block)
      return nullptr;
    block->sizeClass = sizeClass;
    held += classBytes;
  }
  block->references = 1;
  block->lastCall = call;
  block->previous = nullptr;
  block->next = live;
  if (live)
    live->previous = block;
  live = block;
  liveBytes += bytesOfClass(int(block->sizeClass));
  peakBytes = liveBytes > peakBytes ? liveBytes : peakBytes;
  return block->object();
}

void MemoryPool::retain(void *object) {
  ++(static_cast<Block *>(object) - 1)->references;
}

void MemoryPool::release(void *object) {
  if (!object)
    return;
  Block *block = static_cast<Block *>(object) - 1;
  if (--block->references > 0)
    return;
  (block->previous ? block->previous->next : live) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  liveBytes -= bytesOfClass(int(block->sizeClass));
  block->next = freeLists[block->sizeClass];
  freeLists[block->sizeClass] = block;
}

void MemoryPool::freeBlocks(int64_t unusedSince) {
  for (int i = 0; i < kClasses; ++i)
    for (Block **position = &freeLists[i]; Block *block = *position;) {
      if (block->lastCall >= unusedSince) {
        position = &block->next;
        continue;
      }
      *position = block->next;
      held -= bytesOfClass(i);
      free(block);
    }
}

void MemoryPool::endCall() {
  while (live) {
    live->references = 1;
    release(live->object());
  }
  // The next call may use the blocks of this one: memory of the system costs
  // a fault for each page.
  constexpr int64_t slack = 1 << 20;
  if (held > 2 * peakBytes + slack)
    freeBlocks(call);
  peakBytes = 0;
  ++call;
}

void MemoryPool::destroy() {
  while (live) {
    live->references = 1;
    release(live->object());
  }
  freeBlocks(call + 1);
}
