//===- ValueMemory.cpp - Memory of a value as a whole -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ValueMemory.h"

#include "MemoryPool.h"

#include "onnxc/rt/hooks.h"

#include <stdlib.h>

using namespace onnxc::rt;

/// Bytes before a chunk's memory, whose alignment they keep.
static constexpr int64_t kHeader = 64;
static constexpr int64_t kMaxChunk = int64_t(1) << 20;

static ValueMemory::Chunk *makeChunk(int64_t bytes) {
  auto *chunk =
      static_cast<ValueMemory::Chunk *>(allocateAligned(kHeader + bytes));
  if (chunk) {
    chunk->previous = nullptr;
    chunk->next = reinterpret_cast<char *>(chunk) + kHeader;
    chunk->end = chunk->next + bytes;
  }
  return chunk;
}

/// A chunk for one part. The last one stays the one that others lie in.
void *ValueMemory::allocateApart(int64_t bytes) {
  Chunk *chunk = makeChunk(bytes);
  if (!chunk)
    return nullptr;
  if (last) {
    chunk->previous = last->previous;
    last->previous = chunk;
  } else {
    last = chunk;
  }
  void *memory = chunk->next;
  chunk->next = chunk->end;
  return memory;
}

void *ValueMemory::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > ONNXC_MAX_TENSOR_BYTES)
    return nullptr;
  if (bytes > chunkBytes / 4)
    return allocateApart(bytes);
  uintptr_t align = bytes < 64 ? 16 : 64;
  for (;;) {
    if (last) {
      auto at =
          (reinterpret_cast<uintptr_t>(last->next) + align - 1) / align * align;
      if (at + uintptr_t(bytes) <= reinterpret_cast<uintptr_t>(last->end)) {
        last->next = reinterpret_cast<char *>(at) + bytes;
        return reinterpret_cast<void *>(at);
      }
    }
    Chunk *chunk = makeChunk(chunkBytes);
    if (!chunk)
      return nullptr;
    chunk->previous = last;
    last = chunk;
    chunkBytes = chunkBytes < kMaxChunk ? chunkBytes * 2 : chunkBytes;
  }
}

void onnxc::rt::freeChunks(ValueMemory::Chunk *last) {
  while (last) {
    ValueMemory::Chunk *previous = last->previous;
    free(last);
    last = previous;
  }
}
