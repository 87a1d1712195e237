//===- OutputBlocks.cpp - Memory of outputs, used again ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OutputBlocks.h"

#include "MemoryPool.h"

#include <atomic>
#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

namespace {
/// Stands at the start of a kept block.
struct KeptBlock {
  int64_t capacity;
};
} // namespace

/// Who has taken a block out of its slot owns it, so that its size can be read.
static std::atomic<KeptBlock *> slots[kMaxOutputBlocks];
static std::atomic<int64_t> keptBytes;
/// Which slot gives way when all are full.
static std::atomic<uint32_t> nextSlot;

static void freeBlock(KeptBlock *block) {
  if (!block)
    return;
  keptBytes.fetch_sub(block->capacity, std::memory_order_relaxed);
  free(block);
}

static bool putBack(KeptBlock *block) {
  for (std::atomic<KeptBlock *> &slot : slots) {
    KeptBlock *none = nullptr;
    if (!slot.load(std::memory_order_relaxed) &&
        slot.compare_exchange_strong(none, block, std::memory_order_acq_rel))
      return true;
  }
  return false;
}

void *rt::takeOutputBlock(int64_t bytes, int64_t &capacity) {
  capacity = bytes;
  if (bytes < kMinOutputBlock)
    return allocateAligned(bytes);
  for (std::atomic<KeptBlock *> &slot : slots) {
    if (!slot.load(std::memory_order_relaxed))
      continue;
    KeptBlock *block = slot.exchange(nullptr, std::memory_order_acq_rel);
    if (!block)
      continue;
    if (block->capacity >= bytes && block->capacity / 2 <= bytes) {
      capacity = block->capacity;
      keptBytes.fetch_sub(capacity, std::memory_order_relaxed);
      return block;
    }
    if (!putBack(block))
      freeBlock(block);
  }
  return allocateAligned(bytes);
}

void rt::giveOutputBlock(void *memory, int64_t capacity) {
  if (capacity < kMinOutputBlock || capacity > kMaxOutputBytes) {
    free(memory);
    return;
  }
  auto *block = static_cast<KeptBlock *>(memory);
  block->capacity = capacity;
  // Blocks of sizes that no run needs any more are released in the end.
  for (int i = 0; i <= kMaxOutputBlocks; ++i) {
    int64_t others = keptBytes.fetch_add(capacity, std::memory_order_relaxed);
    if (others + capacity <= kMaxOutputBytes && putBack(block))
      return;
    keptBytes.fetch_sub(capacity, std::memory_order_relaxed);
    uint32_t slot = nextSlot.fetch_add(1, std::memory_order_relaxed);
    freeBlock(slots[slot % kMaxOutputBlocks].exchange(
        nullptr, std::memory_order_acq_rel));
  }
  free(memory);
}

int64_t rt::keptOutputBytes() {
  return keptBytes.load(std::memory_order_relaxed);
}

void rt::freeOutputBlocks() {
  for (std::atomic<KeptBlock *> &slot : slots)
    freeBlock(slot.exchange(nullptr, std::memory_order_acq_rel));
}
