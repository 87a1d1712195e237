//===- KeyHash.h - Where numbers stand in hash tables -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler places keys, generated code and the runtime find them: all by
// this function.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_KEYHASH_H
#define ONNXC_RUNTIME_LIB_CALLS_KEYHASH_H

#include <stdint.h>

namespace onnxc::rt {

/// The position of a key among 2^bits, for 0 < bits < 64. For an odd multiplier
/// drawn at random, two different keys collide with a chance of about 2 in
/// 2^bits, for all pairs.
constexpr uint64_t hashKey(uint64_t key, uint64_t multiplier, int64_t bits) {
  return (key * multiplier) >> (64 - bits);
}

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_KEYHASH_H
