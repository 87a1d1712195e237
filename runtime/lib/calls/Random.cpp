//===- Random.cpp - Where random numbers start ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The numbers themselves are computed by kernels, from a key and a counter.
// Here is the key: a node's own seed, or one that the context draws once; and
// which draw of the context it is, as every run of a node gives other numbers.
// Independent of other contexts: a program with a seed can be repeated
// beside other work in its process.
//
//===----------------------------------------------------------------------===//

#include "../os/OS.h"
#include "Context.h"
#include "onnxc/rt/hooks.h"

using namespace onnxc::rt;

/// Spreads the bits of a number over all of the result.
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// A forked child has other numbers than its parent.
static uint64_t seedOf(OnnxcCall &call) {
  if (!call.seed)
    call.seed = os::entropy() | 1;
  return call.seed ^ mix(uint64_t(os::processNumber()));
}

/// key, draw = random_key() params [has seed, seed]
ONNXC_CALL(onnxc_call_random_key) {
  uint64_t seed = params[0] ? uint64_t(params[1]) : seedOf(*call);
  *static_cast<uint64_t *>(outs[0].data) = mix(seed + 0x9e3779b97f4a7c15);
  *static_cast<uint64_t *>(outs[1].data) = call->draws++;
  return ONNXC_OK;
}
