//===- StringHash.h - Where strings stand in hash tables --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler places strings, the runtime finds them: both by this function.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_STRINGHASH_H
#define ONNXC_RUNTIME_LIB_CALLS_STRINGHASH_H

#include <stddef.h>
#include <stdint.h>

namespace onnxc::rt {

/// FNV-1a.
inline uint64_t hashString(const char *text, size_t length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; ++i)
    hash = (hash ^ uint8_t(text[i])) * 0x100000001b3u;
  return hash;
}

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_STRINGHASH_H
