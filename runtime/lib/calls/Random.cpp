//===- Random.cpp - Where random numbers start ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The numbers themselves are computed by kernels, from a key and a counter.
// Here is the key: a node's own seed, or one that the process draws once; and
// which draw it is, as every run of a node gives other numbers.
//
//===----------------------------------------------------------------------===//

#include "../os/OS.h"
#include "onnxc/rt/hooks.h"

#include <atomic>

using namespace onnxc::rt;

static std::atomic<uint64_t> draws;
static std::atomic<uint64_t> processSeed;

/// Spreads the bits of a number over all of the result.
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static uint64_t seedOfProcess() {
  uint64_t seed = processSeed.load(std::memory_order_relaxed);
  if (seed)
    return seed;
  uint64_t fresh = os::entropy() | 1;
  return processSeed.compare_exchange_strong(seed, fresh) ? fresh : seed;
}

/// key, draw = random_key() params [has seed, seed]
extern "C" int32_t onnxc_call_random_key(OnnxcCall *, int32_t, OnnxcValue *outs,
                                         int32_t, const OnnxcValue *,
                                         const int64_t *params) {
  uint64_t seed = params[0] ? uint64_t(params[1]) : seedOfProcess();
  *static_cast<uint64_t *>(outs[0].data) = mix(seed + 0x9e3779b97f4a7c15);
  *static_cast<uint64_t *>(outs[1].data) =
      draws.fetch_add(1, std::memory_order_relaxed);
  return ONNXC_OK;
}
