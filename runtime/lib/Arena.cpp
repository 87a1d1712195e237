//===- Arena.cpp - Planned memory of a run ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The arena and the scratch of the threads: made for the first run, by
// omContextPrepare, or in memory of the caller, scratch in front.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <stdlib.h>

using namespace onnxc;
using namespace onnxc::rt;

/// Returned instead of memory where the allocation failed.
alignas(64) static char guard[64];

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

static void *failToReserve(OMContext &context, int64_t bytes) {
  if (context.borrowed)
    context.fail(ONNXC_ERR_MEMORY,
                 "this run needs an arena of %lld bytes and omContextSetArena "
                 "left it %lld",
                 (long long)bytes, (long long)context.arenaBytes);
  else
    failToAllocate(context, "an arena", bytes);
  return guard;
}

void *onnxc_rt_arena_reserve(OnnxcCall *call, int64_t bytes) {
  if (call->arena && call->arenaBytes >= bytes)
    return call->arena;
  if (call->borrowed)
    return failToReserve(*call, bytes);
  free(call->arena);
  call->arena = allocateAligned(bytes);
  call->arenaBytes = call->arena ? bytes : 0;
  if (!call->arena)
    return failToReserve(*call, bytes);
  call->info("arena of %lld bytes", (long long)bytes);
  return call->arena;
}

void *onnxc_rt_arena(OnnxcCall *call) {
  return onnxc_rt_arena_reserve(call, call->entry->arenaBytes);
}

void *onnxc_rt_scratch(OnnxcCall *call, int32_t tid) {
  return static_cast<char *>(call->scratch) + scratchStride(*call) * tid;
}

bool rt::reserveScratch(OMContext &context, int32_t workers) {
  int64_t stride = scratchStride(context), bytes;
  if (stride == 0 || context.scratchWorkers >= workers)
    return true;
  free(context.scratch); // maxThreads asks for no more than was borrowed
  context.scratch =
      multiply(stride, workers, bytes) ? allocateAligned(bytes) : nullptr;
  context.scratchWorkers = context.scratch ? workers : 0;
  if (context.scratch)
    return true;
  context.fail(ONNXC_ERR_MEMORY, "no memory for the scratch of %d threads",
               workers);
  return false;
}

int rt::maxThreads(const OMContext &context) {
  int limit = threadLimit();
  if (context.threads > 0 && context.threads < limit)
    limit = context.threads;
  bool isFixed = context.borrowed && scratchStride(context) > 0;
  if (isFixed && context.scratchWorkers < limit)
    limit = context.scratchWorkers;
  return limit < 1 ? 1 : limit;
}

//===----------------------------------------------------------------------===//
// Memory of the caller
//===----------------------------------------------------------------------===//

void rt::freeArena(OMContext &context) {
  if (!context.borrowed) {
    free(context.arena);
    free(context.scratch);
  }
  context.borrowed = false;
  context.arena = context.scratch = nullptr;
  context.arenaBytes = context.scratchWorkers = 0;
}

int64_t omContextGetArenaBytes(const OMContext *context) {
  if (!context || context->entry->arenaBytes < 0)
    return -1;
  OMContext own{}; // without borrowed memory
  own.entry = context->entry;
  own.threads = context->threads;
  return scratchStride(own) * maxThreads(own) + context->entry->arenaBytes;
}

OM_STATUS omContextSetArena(OMContext *context, void *memory, int64_t bytes) {
  if (!context || context->busy.exchange(1, std::memory_order_acquire) != 0)
    return OM_STATUS_INVALID;
  context->status.store(ONNXC_OK, std::memory_order_relaxed);
  context->message.text[0] = 0;
  freeArena(*context);
  int threads = maxThreads(*context);
  int64_t scratch = scratchStride(*context) * threads;
  int64_t arena =
      context->entry->arenaBytes > 0 ? context->entry->arenaBytes : 0;
  if (memory && reinterpret_cast<uintptr_t>(memory) % 64 != 0)
    context->fail(ONNXC_ERR_INVALID, "the arena is not aligned to 64 bytes");
  else if (memory && bytes < scratch + arena)
    context->fail(ONNXC_ERR_INVALID,
                  "the arena has %lld bytes and %lld are needed",
                  (long long)bytes, (long long)(scratch + arena));
  else if (memory) {
    context->borrowed = true;
    context->scratch = memory;
    context->scratchWorkers = threads;
    context->arena = static_cast<char *>(memory) + scratch;
    context->arenaBytes = bytes - scratch;
  }
  OM_STATUS status = OM_STATUS(context->status.load());
  context->busy.store(0, std::memory_order_release);
  return status;
}
